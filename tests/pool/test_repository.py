from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from argusic.errors import InputError
from argusic.pool.kinds.protocol import PinMismatch, Resolved, SubjectUnavailable
from argusic.pool.kinds.repository import RepositoryKind
from argusic.records.published import PublishedSource
from argusic.records.sources.repository import Pin, Source
from argusic.records.subject import Subject
from tests.pool.conftest import Index, Said, sdist

KIND = RepositoryKind(pauses=())

Git = Callable[..., str]


def subject(found: Resolved) -> Subject:
    return Subject(kind="repository", slug="project", name=found.name, source=found.source)


def handed(found: Resolved, workshop: Said, folder: Path) -> Path:
    """Fetch what was resolved and hand it in."""
    cached = KIND.fetch(subject(found), found.pin, workshop.workshop)
    folder.mkdir()
    KIND.hand_in(subject(found), found.pin, cached, folder)
    return folder


def commit_of(found: Resolved) -> str:
    assert isinstance(found.pin, Pin)
    return found.pin.commit


@pytest.fixture
def daemon(project: Path) -> Iterator[str]:
    """The project behind a git server on loopback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [
            *("git", "daemon", "--export-all", "--reuseaddr", "--listen=127.0.0.1", f"--port={port}"),
            *(f"--base-path={project.parent}", str(project.parent)),
        ],
        env={**os.environ, "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"},
        start_new_session=True,
    )
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    yield f"git://127.0.0.1:{port}/project"
    os.killpg(server.pid, 15)
    server.wait()


@pytest.mark.parametrize("form", ["folder", "file", "daemon"])
def test_the_newest_commit_of_the_default_branch_is_pinned_and_handed_in(
    project: Path, daemon: str, workshop: Said, git: Git, tmp_path: Path, form: str
) -> None:
    target = {"folder": str(project), "file": f"file://{project}", "daemon": daemon}[form]
    found = KIND.resolve(target, workshop.workshop)
    assert commit_of(found) == git(project, "rev-parse", "HEAD")
    assert found.name == "project"
    folder = handed(found, workshop, tmp_path / "handed")
    assert (folder / "README.md").read_text() == "# project\n"
    assert (folder / "more" / "data").read_bytes() == b"\0\xff\r\n"
    assert os.access(folder / "run.sh", os.X_OK)
    assert (folder / "link").is_symlink() and (folder / "link").readlink() == Path("README.md")
    assert git(folder, "status", "--porcelain") == ""


def test_nothing_but_the_pinned_commit_is_handed_in(project: Path, workshop: Said, git: Git, tmp_path: Path) -> None:
    found = KIND.resolve(str(project), workshop.workshop)
    folder = handed(found, workshop, tmp_path / "handed")
    assert git(folder, "log", "--format=%s") == "second"
    assert git(folder, "tag") == git(folder, "remote") == git(folder, "reflog") == ""
    assert git(folder, "for-each-ref", "--format=%(refname)") == "refs/heads/main"
    assert git(folder, "fsck", "--strict") == ""
    assert git(folder, "cat-file", "--batch-all-objects", "--batch-check").count(" commit ") == 1
    names = {path.name for path in (folder / ".git").rglob("*")}
    assert not names & {"FETCH_HEAD", "ORIG_HEAD", "logs", "packed-refs", "alternates", "description", "hooks"}
    for path in (folder / ".git").rglob("*"):
        if path.is_file():
            assert os.fsencode(tmp_path) not in path.read_bytes(), path


def test_a_branch_that_moves_on_does_not_move_the_pin(project: Path, workshop: Said, git: Git, tmp_path: Path) -> None:
    found = KIND.resolve(str(project), workshop.workshop)
    shutil.rmtree(workshop.workshop.cache)
    (project / "later").write_text("later\n")
    git(project, "add", ".")
    git(project, "commit", "--quiet", "-m", "third")
    assert not (handed(found, workshop, tmp_path / "handed") / "later").exists()


def test_uncommitted_changes_are_not_tested_and_that_is_said(
    project: Path, workshop: Said, git: Git, tmp_path: Path
) -> None:
    assert KIND.resolve(str(project), workshop.workshop).notes == ()
    (project / "README.md").write_text("changed\n")
    found = KIND.resolve(str(project), workshop.workshop)
    assert "has uncommitted changes: they are not tested" in found.notes[0]
    assert (handed(found, workshop, tmp_path / "handed") / "README.md").read_text() == "# project\n"


def test_a_commit_that_is_not_there_makes_the_subject_unavailable(project: Path, workshop: Said, daemon: str) -> None:
    absent = Resolved("project", Source(url=daemon), Pin(commit="1" * 40), None)
    with pytest.raises(SubjectUnavailable, match="no longer has"):
        KIND.fetch(subject(absent), absent.pin, workshop.workshop)
    assert not list((workshop.workshop.cache / "commits").glob("[!.]*"))


def test_a_server_that_is_not_there_makes_the_subject_unavailable(workshop: Said) -> None:
    with pytest.raises(SubjectUnavailable):
        KIND.resolve("git://127.0.0.1:9/project", workshop.workshop)


def test_what_is_no_repository_is_the_users_mistake(workshop: Said, daemon: str, tmp_path: Path, git: Git) -> None:
    with pytest.raises(InputError, match="no folder"):
        KIND.resolve(str(tmp_path / "nowhere"), workshop.workshop)
    (tmp_path / "empty").mkdir()
    git(tmp_path / "empty", "init", "--quiet")
    with pytest.raises(InputError, match="no commit"):
        KIND.resolve(str(tmp_path / "empty"), workshop.workshop)
    (tmp_path / "nothing").mkdir()
    with pytest.raises(InputError, match="no files"):
        KIND.resolve(str(tmp_path / "nothing"), workshop.workshop)


def test_a_server_of_plain_files_is_asked_for_everything(
    project: Path, workshop: Said, git: Git, tmp_path: Path
) -> None:
    git(project, "update-server-info")
    handler = partial(_Quiet, directory=str(project))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        found = KIND.resolve(f"http://127.0.0.1:{server.server_address[1]}/.git", workshop.workshop)
        folder = handed(found, workshop, tmp_path / "handed")
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert git(folder, "log", "--format=%s") == "second"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.mark.parametrize("damage", ["pack", "gone", "ref", "emptied"])
def test_a_damaged_cache_entry_is_fetched_again(
    project: Path, workshop: Said, git: Git, tmp_path: Path, damage: str
) -> None:
    found = KIND.resolve(str(project), workshop.workshop)
    cached = KIND.fetch(subject(found), found.pin, workshop.workshop)
    pack = next((cached / "objects" / "pack").glob("*.pack"))
    match damage:
        case "pack":
            content = bytearray(pack.read_bytes())
            content[len(content) // 2] ^= 1
            pack.chmod(0o644)
            pack.write_bytes(content)
        case "gone":
            pack.unlink()
        case "ref":
            (cached / "refs" / "heads" / "main").unlink()
        case "emptied":
            shutil.rmtree(cached)
            cached.mkdir()
    folder = handed(found, workshop, tmp_path / "handed")
    assert git(folder, "rev-parse", "HEAD") == commit_of(found)
    assert git(folder, "fsck", "--strict") == ""


def test_what_a_killed_fetcher_left_is_removed_by_the_next(project: Path, workshop: Said) -> None:
    left = workshop.workshop.cache / "commits" / ".making-left"
    left.mkdir(parents=True)
    (left / "half").write_bytes(b"x")
    found = KIND.resolve(str(project), workshop.workshop)
    KIND.fetch(subject(found), found.pin, workshop.workshop)
    assert not left.exists()


def plain(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "main.py").write_text("print('hello')\n")
    (folder / 'od"d \n\xe9').write_text("odd\n")
    (folder / "sub").mkdir()
    (folder / "sub" / "tool").write_bytes(b"\0\xff")
    (folder / "sub" / "tool").chmod(0o700)
    (folder / "outside").symlink_to("/etc")
    (folder / ".env").write_text("SECRET=1\n")
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "x.js").write_text("x\n")
    os.mkfifo(folder / "pipe")
    return folder


def test_a_plain_folder_is_pinned_by_its_content_alone(workshop: Said, tmp_path: Path) -> None:
    one = KIND.resolve(str(plain(tmp_path / "a" / "thing")), workshop.workshop)
    other = KIND.resolve(str(plain(tmp_path / "b" / "thing")), workshop.workshop)
    assert one.pin == other.pin
    assert "what it holds now is tested, without" in one.notes[0] and ".env" in one.notes[0]
    assert commit_of(one) == "c1076c3af978c14eac0d69ea5b37b531e87caec8"
    folder = handed(one, workshop, tmp_path / "handed")
    assert sorted(path.name for path in folder.iterdir()) == [".git", "main.py", 'od"d \n\xe9', "outside", "sub"]
    assert (folder / "outside").readlink() == Path("/etc")
    assert os.access(folder / "sub" / "tool", os.X_OK)


def test_a_plain_folder_that_changed_is_not_what_was_pinned(workshop: Said, tmp_path: Path) -> None:
    found = KIND.resolve(str(plain(tmp_path / "thing")), workshop.workshop)
    shutil.rmtree(workshop.workshop.cache)
    (tmp_path / "thing" / "main.py").write_text("print('other')\n")
    with pytest.raises(PinMismatch, match=commit_of(found)):
        KIND.fetch(subject(found), found.pin, workshop.workshop)
    assert not list((workshop.workshop.cache / "commits").glob("[!.]*"))


def published(index: Index, files: dict[str, bytes]) -> Source:
    file, content = sdist("thing", "1.0", files, executable=["bin/run"])
    sha256 = index.add("thing", file, content)
    return Source(published=PublishedSource(ecosystem="pypi", name="thing", version="1.0", file=file, sha256=sha256))


def test_a_published_archive_always_makes_the_same_commit(
    workshop: Said, index: Index, git: Git, tmp_path: Path
) -> None:
    source = published(index, {"README.rst": b"thing\n", "bin/run": b"#!/bin/sh\n", "pyproject.toml": b""})
    wrong = Resolved("thing", source, Pin(commit="0" * 40), None)
    with pytest.raises(PinMismatch) as refused:
        KIND.fetch(subject(wrong), wrong.pin, workshop.workshop)
    commit = str(refused.value).split("makes the commit ")[1].split(",")[0]
    assert commit == "0560516bae3ccbacd03b09bc63f0e419a99f45b9"
    found = Resolved("thing", source, Pin(commit=commit), None)
    folder = handed(found, workshop, tmp_path / "handed")
    assert sorted(path.name for path in folder.iterdir()) == [".git", "PKG-INFO", "README.rst", "bin", "pyproject.toml"]
    assert os.access(folder / "bin" / "run", os.X_OK)
    assert git(folder, "log", "--format=%an %ae %aI %s") == (
        "Argusic argusic@argusic.invalid 2000-01-01T00:00:00+00:00 thing 1.0, as published"
    )


@pytest.mark.parametrize("path", ["../out", "a/../../out", ".git/config", "sub/.GIT/hooks/post-checkout", "a//b"])
def test_an_archive_that_reaches_out_of_its_folder_is_refused(
    workshop: Said, index: Index, tmp_path: Path, path: str
) -> None:
    source = published(index, {"pyproject.toml": b"", path: b"hostile"})
    found = Resolved("thing", source, Pin(commit="0" * 40), None)
    with pytest.raises(PinMismatch, match="must not hold"):
        KIND.fetch(subject(found), found.pin, workshop.workshop)
    assert not list(tmp_path.rglob("out"))
