"""What the database asks git: answered the same whatever the names, and nothing of a hostile checkout is run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from argusic.database.git import Git
from argusic.database.listing import blob_id, list_files
from argusic.errors import EnvironmentLack, InputError

RunGit = Callable[..., str]


@pytest.fixture
def checkout(tmp_path: Path, git: RunGit) -> Path:
    root = tmp_path / "checkout"
    (root / "runs").mkdir(parents=True)
    (root / "runs" / "a.yaml").write_text("a: 1\n")
    (root / "runs" / "b.yaml").write_text("b: 1\n")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "First")
    return root


def _git(root: Path) -> Git:
    found = Git.around(root)
    assert found is not None
    return found


def test_a_plain_folder_has_no_git(tmp_path: Path) -> None:
    assert Git.around(tmp_path) is None


def test_without_git_installed_everything_is_a_plain_folder(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = _git(checkout)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert Git.around(checkout) is None
    with pytest.raises(EnvironmentLack, match="git is not installed"):
        found.commit("HEAD")


def test_changes_are_seen_as_they_lie_there_committed_or_not(checkout: Path, git: RunGit) -> None:
    first = git(checkout, "rev-parse", "HEAD")
    (checkout / "runs" / "c.yaml").write_text("c: 1\n")
    git(checkout, "add", ".")
    git(checkout, "commit", "-q", "-m", "Second")
    (checkout / "runs" / "a.yaml").write_text("a: 2\n")
    (checkout / "runs" / "b.yaml").rename(checkout / "runs" / "moved.yaml")
    found = [(change.status, str(change.path)) for change in _git(checkout).changes(first, "runs")]
    assert found == [("M", "runs/a.yaml"), ("D", "runs/b.yaml"), ("A", "runs/c.yaml"), ("A", "runs/moved.yaml")]


def test_a_file_that_a_merge_left_in_conflict_is_read_from_the_disk(checkout: Path, git: RunGit) -> None:
    for branch in ("one", "two"):
        git(checkout, "checkout", "-q", "-b", branch, "main")
        (checkout / "runs" / "a.yaml").write_text(f"a: {branch}\n")
        git(checkout, "commit", "-q", "-a", "-m", branch)
    with pytest.raises(subprocess.CalledProcessError):
        git(checkout, "merge", "-q", "one")
    assert {entry.path: entry.unwatched for entry in _git(checkout).tracked("runs")} == {
        "runs/a.yaml": True,
        "runs/b.yaml": False,
    }
    data = (checkout / "runs" / "a.yaml").read_bytes()
    assert b"<<<<<<<" in data
    assert list_files(checkout, _git(checkout), None, "runs").blobs["runs/a.yaml"] == blob_id(data)


def test_ignored_files_are_seen(checkout: Path, git: RunGit) -> None:
    (checkout / ".gitignore").write_text("runs/*.yaml\n")
    (checkout / "runs" / "hidden.yaml").write_text("x: 1\n")
    assert _git(checkout).untracked("runs") == {"runs/hidden.yaml"}


def test_awkward_names_come_through_whole(checkout: Path) -> None:
    names = {
        "runs/a b.yaml",
        "runs/new\nline.yaml",
        'runs/quo"te.yaml',
        "runs/é.yaml",
        "runs/-dash.yaml",
        "runs/:(top)x",
    }
    for name in names:
        (checkout / name).write_text("x: 1\n")
    assert _git(checkout).untracked("runs") == names


def test_a_database_below_the_top_of_its_repository_sees_its_own_files(checkout: Path, git: RunGit) -> None:
    inner = checkout / "inner"
    (inner / "runs").mkdir(parents=True)
    (inner / "runs" / "x.yaml").write_text("x: 1\n")
    git(checkout, "add", ".")
    git(checkout, "commit", "-q", "-m", "Inner")
    found = _git(inner)
    assert [entry.path for entry in found.tracked("runs")] == ["runs/x.yaml"]
    assert found.show(found.commit("HEAD"), PurePosixPath("runs/x.yaml")) == b"x: 1\n"
    (inner / "runs" / "x.yaml").write_text("x: 2\n")
    assert [str(change.path) for change in found.changes(found.commit("HEAD"), "runs")] == ["runs/x.yaml"]


@pytest.mark.parametrize("revision", ["nowhere", "--all", "-h", "HEAD~9", "", "HEAD:runs/a.yaml", "$(touch x)"])
def test_what_names_no_commit_is_a_clear_error(checkout: Path, revision: str) -> None:
    with pytest.raises(InputError, match="names no commit"):
        _git(checkout).commit(revision)


def test_nothing_of_a_hostile_configuration_is_run(checkout: Path, git: RunGit, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    touched = tmp_path / "touched"
    trap.write_text(f"#!/bin/sh\ntouch {touched}\n")
    trap.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "core.pager",
        "diff.external",
        "core.sshCommand",
        "diff.x.textconv",
        "diff.x.command",
        "filter.x.clean",
        "filter.x.smudge",
        "gpg.program",
        "gpg.ssh.program",
        "filter.odd=name.with\u00e9.process",
    ):
        git(checkout, "config", key, str(trap))
    for hook in ("post-index-change", "post-checkout", "reference-transaction"):
        (checkout / ".git" / "hooks" / hook).symlink_to(trap)
    (checkout / ".gitattributes").write_text("*.yaml diff=x filter=x\nb.yaml filter=odd=name.with\u00e9\n")
    git(checkout, "config", "filter.x.required", "true")
    git(checkout, "config", "log.showSignature", "true")
    commit = git(checkout, "cat-file", "commit", "HEAD")
    head, _, rest = commit.partition("\n\n")
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
    (checkout / "signed").write_text(f"{head}\n{signature}\n\n{rest}\n")
    git(checkout, "update-ref", "HEAD", git(checkout, "hash-object", "-t", "commit", "-w", "signed"))
    (checkout / "runs" / "a.yaml").write_text("a: 2\n")
    os.utime(checkout / "runs" / "b.yaml", (1, 1))
    touched.unlink(missing_ok=True)
    found = _git(checkout)
    found.tracked("runs"), found.differing("runs"), found.untracked("runs"), found.changes("HEAD", "runs")
    found.show("HEAD", PurePosixPath("runs/a.yaml")), found.is_dirty(), found.head(), found.descends_from("HEAD")
    assert found.containing("a: [0-9]", "runs") == ["runs/a.yaml"]
    assert found.holds_any("HEAD", PurePosixPath("runs")) and not found.holds_any("HEAD", PurePosixPath("pool"))
    assert [revision.subject for revision in found.history(PurePosixPath("runs/a.yaml"))] == ["First"]
    assert not touched.exists()


def test_what_a_partial_clone_lacks_is_fetched_by_no_program_of_its_configuration(
    checkout: Path, git: RunGit, tmp_path: Path
) -> None:
    trap, touched = tmp_path / "trap", tmp_path / "touched"
    trap.write_text(f"#!/bin/sh\ntouch {touched}\n")
    trap.chmod(0o755)
    missing = git(checkout, "rev-parse", "HEAD:runs/a.yaml")
    for key, value in (
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.url", f"ext::{trap}"),
        ("remote.origin.promisor", "true"),
        ("protocol.ext.allow", "always"),
    ):
        git(checkout, "config", key, value)
    (checkout / ".git" / "objects" / missing[:2] / missing[2:]).unlink()
    assert _git(checkout).show("HEAD", PurePosixPath("runs/a.yaml")) is None
    assert not touched.exists()


def test_a_submodule_is_not_entered(checkout: Path, git: RunGit, tmp_path: Path) -> None:
    trap, touched = tmp_path / "trap", tmp_path / "touched"
    trap.write_text(f"#!/bin/sh\ntouch {touched}\ncat\n")
    trap.chmod(0o755)
    inner = checkout / "runs" / "inner"
    inner.mkdir()
    (inner / "x").write_text("x\n")
    git(inner, "init", "-q")
    git(inner, "add", ".")
    git(inner, "commit", "-q", "-m", "Inner")
    git(checkout, "add", "runs/inner")
    git(checkout, "commit", "-q", "-m", "With a submodule")
    git(inner, "config", "filter.inner.clean", str(trap))
    (inner / ".git" / "info" / "attributes").write_text("* filter=inner\n")
    (inner / "x").write_text("y\n")
    found = _git(checkout)
    found.tracked("runs"), found.differing("runs"), found.changes("HEAD", "runs"), found.is_dirty()
    assert not touched.exists()


def test_the_environment_of_a_hook_does_not_lead_git_astray(
    checkout: Path, tmp_path: Path, git: RunGit, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    assert [entry.path for entry in _git(checkout).tracked("runs")] == ["runs/a.yaml", "runs/b.yaml"]


def test_a_question_writes_nothing(checkout: Path) -> None:
    os.utime(checkout / "runs" / "a.yaml")
    index = checkout / ".git" / "index"
    before = index.read_bytes()
    found = _git(checkout)
    found.is_dirty(), found.differing("runs"), found.changes("HEAD", "runs")
    assert index.read_bytes() == before


def test_what_git_cannot_do_is_named_by_its_command_not_by_a_setting(checkout: Path) -> None:
    with pytest.raises(InputError, match=r"^git checkout failed: "):
        _git(checkout)._answer("-c", "core.symlinks=true", "-c", "core.autocrlf=false", "checkout", "no-such-commit")
