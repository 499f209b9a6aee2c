"""Repositories that try to run something on the host, to write outside their folder, or to take it all."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError

from argusic.errors import InputError
from argusic.pool.git import Bounds, GitFailed, GitTookTooLong, hardened
from argusic.pool.kinds.protocol import PinMismatch, Resolved, SubjectUnavailable
from argusic.pool.kinds.repository import RepositoryKind
from argusic.pool.snapshots import new_repository
from argusic.records.sources.repository import Pin, Source
from argusic.records.subject import Subject
from argusic.runs.happened import ending_of
from tests.pool.conftest import Said

KIND = RepositoryKind(pauses=())
CALL = """
from pathlib import Path
from argusic.pool.git import hardened
with hardened() as git:
    print(git.run("--version", folder=Path.cwd()).decode())
"""

Git = Callable[..., str]


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that leaves `sprung` behind when anything runs it."""
    program = tmp_path / "trap"
    program.write_text(f'#!/bin/sh\ntouch "{tmp_path}/sprung"\ncat\n')
    program.chmod(0o755)
    return program


def hand_in(target: str, workshop: Said, folder: Path) -> Path:
    found = KIND.resolve(target, workshop.workshop)
    named = Subject(kind="repository", slug="project", name=found.name, source=found.source)
    cached = KIND.fetch(named, found.pin, workshop.workshop)
    folder.mkdir()
    KIND.hand_in(named, found.pin, cached, folder)
    return folder


def fetch(project: Path, commit: str, workshop: Said) -> Path:
    source = Source(url=str(project))
    named = Subject(kind="repository", slug="project", name="project", source=source)
    return KIND.fetch(named, Pin(commit=commit), workshop.workshop)


def object_of(project: Path, kind: str, content: bytes) -> str:
    """Write an object that git itself would not make."""
    return (
        subprocess.run(
            ["git", "hash-object", "-t", kind, "--literally", "-w", "--stdin"],
            cwd=project,
            input=content,
            stdout=subprocess.PIPE,
            check=True,
        )
        .stdout.decode()
        .strip()
    )


def commit_of_tree(project: Path, git: Git, entries: list[tuple[str, str, str]]) -> str:
    """Commit a tree of (mode, name, object id) as the head."""
    tree = object_of(
        project, "tree", b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(oid) for mode, name, oid in entries)
    )
    commit = git(project, "commit-tree", tree, "-m", "hostile")
    git(project, "update-ref", "HEAD", commit)
    return commit


def test_a_local_repositorys_own_configuration_and_hooks_run_nothing(
    project: Path, workshop: Said, git: Git, trap: Path, tmp_path: Path
) -> None:
    (project / ".gitattributes").write_text("* filter=evil diff=evil merge=evil\n*.md ident\n")
    (project / ".lfsconfig").write_text("[lfs]\n\turl = http://127.0.0.1:9\n")
    git(project, "add", ".")
    git(project, "commit", "--quiet", "-m", "attributes")
    for key, value in {
        "core.fsmonitor": str(trap),
        "core.hooksPath": str(trap.parent / "hooks"),
        "core.sshCommand": str(trap),
        "core.pager": str(trap),
        "core.gitProxy": str(trap),
        "core.alternateRefsCommand": str(trap),
        "diff.external": str(trap),
        "filter.evil.clean": str(trap),
        "filter.evil.smudge": str(trap),
        "filter.evil.process": str(trap),
        "filter.evil.required": "true",
        "uploadpack.packObjectsHook": str(trap),
        "credential.helper": f"!{trap}",
        "gpg.program": str(trap),
    }.items():
        git(project, "config", key, value)
    for folder in (trap.parent / "hooks", project / ".git" / "hooks"):
        folder.mkdir(exist_ok=True)
        for hook in ("post-checkout", "pre-auto-gc", "reference-transaction", "post-index-change", "post-merge"):
            (folder / hook).write_bytes(trap.read_bytes())
            (folder / hook).chmod(0o755)
    (project / "README.md").write_text("changed, so that its state is looked at\n")
    folder = hand_in(str(project), workshop, tmp_path / "handed")
    assert (folder / "README.md").read_text() == "# project\n"
    assert not (tmp_path / "sprung").exists()
    subprocess.run(["git", "status"], cwd=project, capture_output=True, timeout=20)
    assert (tmp_path / "sprung").exists(), "the trap does not work, so this test shows nothing"


def test_this_users_own_configuration_is_not_read(
    project: Path, workshop: Said, trap: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(
        f'[core]\n\tfsmonitor = {trap}\n[url "/nowhere/"]\n\tinsteadOf = {project.parent}/\n[user]\n\tname = Me\n'
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(home))
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(trap))
    hand_in(str(project), workshop, tmp_path / "handed")
    assert not (tmp_path / "sprung").exists()
    assert not (tmp_path / "trace").exists()


@pytest.mark.parametrize("name", [".git", ".GIT", "..", ".", "git~1", ".g\u200cit", ".git ", "a/b"])
def test_a_tree_with_a_path_that_leads_elsewhere_is_refused(
    project: Path, workshop: Said, git: Git, name: str, tmp_path: Path
) -> None:
    blob = object_of(project, "blob", b"hostile")
    inner = object_of(project, "tree", b"100644 config\0" + bytes.fromhex(blob))
    commit = commit_of_tree(project, git, [("40000", name, inner)])
    with pytest.raises((PinMismatch, SubjectUnavailable)):
        fetch(project, commit, workshop)
    assert not list((workshop.workshop.cache / "commits").glob("[!.]*"))


def test_a_link_that_shadows_a_folder_cannot_be_written_through(
    project: Path, workshop: Said, git: Git, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    blob = object_of(project, "blob", b"hostile")
    link = object_of(project, "blob", str(outside).encode())
    inner = object_of(project, "tree", b"100644 owned\0" + bytes.fromhex(blob))
    commit = commit_of_tree(project, git, [("120000", "way", link), ("40000", "way", inner)])
    with pytest.raises((PinMismatch, SubjectUnavailable)):
        fetch(project, commit, workshop)
    assert not list(outside.iterdir())


@pytest.mark.parametrize(
    "modules", ['[submodule "x"]\n\tpath = x\n\turl = --upload-pack=touch sprung\n', '[submodule "../x"]\n\tpath = x\n']
)
def test_hostile_submodules_are_refused(project: Path, workshop: Said, git: Git, modules: str) -> None:
    (project / ".gitmodules").write_text(modules)
    git(project, "add", ".")
    git(project, "commit", "--quiet", "-m", "modules")
    with pytest.raises((PinMismatch, SubjectUnavailable)):
        fetch(project, git(project, "rev-parse", "HEAD"), workshop)


def test_a_tree_that_unfolds_into_billions_of_files_is_refused(project: Path, workshop: Said, git: Git) -> None:
    entry = ("100644", object_of(project, "blob", b"x"))
    for _ in range(8):
        entries = b"".join(f"{entry[0]} {n:02d}\0".encode() + bytes.fromhex(entry[1]) for n in range(20))
        entry = ("40000", object_of(project, "tree", entries))
    commit = git(project, "commit-tree", entry[1], "-m", "bomb")
    git(project, "update-ref", "HEAD", commit)
    with pytest.raises(PinMismatch, match="more than"):
        fetch(project, commit, workshop)
    assert not list((workshop.workshop.cache / "commits").glob("*/config"))


def test_git_is_ended_at_its_time_limit(tmp_path: Path) -> None:
    with hardened(bounds=Bounds(seconds=0.5)) as git:
        repository = new_repository(git, tmp_path / "r")
        with pytest.raises(GitTookTooLong):
            git.run("-c", "alias.wait=!sleep 60", "wait", folder=repository)


def test_git_cannot_write_more_than_its_bound(tmp_path: Path) -> None:
    with hardened() as git:
        repository = new_repository(git, tmp_path / "r")
    with hardened(bounds=Bounds(file_bytes=1_000_000)) as git, pytest.raises(GitFailed):
        git.run("hash-object", "-w", "--stdin", folder=repository, stdin=os.urandom(3_000_000))


@pytest.mark.parametrize(
    "address",
    [
        "--upload-pack=touch sprung",
        "ext::sh -c touch% sprung",
        "fd::17",
        "-x@host:path",
        "git@-oProxyCommand=x:path",
        "ssh://-oProxyCommand=x/path",
        "https://user:word@host.invalid/x",
        "https://token@host.invalid/x",
        "https://host.invalid/a b",
        "https://host.invalid/a\nb",
    ],
)
def test_an_address_that_is_an_option_a_command_or_a_credential_is_no_source(address: str) -> None:
    with pytest.raises(ValidationError):
        Source(url=address)


@pytest.mark.parametrize("target", ["https://token@host.invalid/x", "git@host.invalid:-x", "ssh://-oProxyCommand=x/p"])
def test_such_an_address_is_the_users_mistake(target: str, workshop: Said) -> None:
    with pytest.raises(InputError):
        KIND.resolve(target, workshop.workshop)


def test_a_remote_address_cannot_make_git_read_this_machine(project: Path, tmp_path: Path) -> None:
    with hardened() as git:
        repository = new_repository(git, tmp_path / "r")
        with pytest.raises(GitFailed, match="not allowed"):
            git.run("fetch", "--", str(project), "HEAD", folder=repository)


def test_the_environment_of_this_user_does_not_reach_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "s3cr3t")
    monkeypatch.setenv("SSL_CERT_FILE", "/some/bundle")
    with hardened() as git:
        printed = git.run("-c", "alias.show-it=!env", "show-it", folder=tmp_path).decode()
    assert "s3cr3t" not in printed
    assert "SSL_CERT_FILE=/some/bundle" in printed


def test_a_folder_of_another_kind_of_subject_is_not_handed_in_by_mistake(project: Path, workshop: Said) -> None:
    found = Resolved("project", Source(url=str(project)), Pin(commit="a" * 64), None)
    named = Subject(kind="repository", slug="project", name="project", source=found.source)
    with pytest.raises((PinMismatch, SubjectUnavailable)):
        KIND.fetch(named, found.pin, workshop.workshop)


def test_a_shell_that_allows_smaller_files_than_git_may_write_is_obeyed() -> None:
    """What a user's own shell forbids cannot be allowed again, and need not be."""
    said = subprocess.run(
        ["bash", "-c", 'ulimit -f 4096; exec "$@"', "sh", sys.executable, "-c", CALL],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (said.returncode, said.stdout[:11]) == (0, "git version"), said.stderr


def test_a_question_that_git_could_not_answer_is_not_answered_no(tmp_path: Path) -> None:
    with hardened() as git:
        assert git.answers("check-ref-format", "refs/heads/main", folder=tmp_path)
        assert not git.answers("check-ref-format", "refs/heads/a..b", folder=tmp_path)
        with pytest.raises(GitFailed):
            git.answers("merge-base", "--is-ancestor", "main", "main", folder=tmp_path)
    with hardened(bounds=Bounds(seconds=0.3)) as git, pytest.raises(GitTookTooLong):
        git.answers("-c", "alias.wait=!sleep 60", "wait", folder=new_repository(git, tmp_path / "r"))


@pytest.mark.parametrize(
    ("says", "raised"),
    [
        ("fatal: write error: No space left on device", OSError),
        ("error: unable to write file: Disk quota exceeded", OSError),
        ("remote: fatal: No space left on device", GitFailed),
        ("fatal: bad object No space left on device, said a stranger", GitFailed),
    ],
)
def test_a_full_disk_is_no_fault_of_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, raised: type[Exception]
) -> None:
    (tmp_path / "git").write_text(f"#!/bin/sh\necho '{says}' >&2\necho 'fatal: index-pack failed' >&2\nexit 128\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with hardened() as git, pytest.raises(raised) as failed:
        git.run("fetch", folder=tmp_path)
    assert ending_of(failed.value).how == ("host_disk_full" if raised is OSError else "harness_error")
