"""Submodules: fetched as the commit pins them, in their places, from nowhere that a stranger must not choose."""

from __future__ import annotations

import socket
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from argusic.errors import InputError
from argusic.pool import checkouts, submodules
from argusic.pool.kinds.protocol import PinMismatch, Resolved, SubjectUnavailable
from argusic.pool.kinds.repository import RepositoryKind
from argusic.pool.submodules import absolute, why_not
from argusic.records.sources.repository import Pin, Source
from argusic.records.subject import Subject
from argusic.sandbox.proxy import Proxy
from tests.loopback import OnLoopback
from tests.pool.conftest import Said
from tests.pool.kinds.repository.conftest import Git, Server

KIND = RepositoryKind(pauses=())


def subject(found: Resolved) -> Subject:
    return Subject(kind="repository", slug="top", name=found.name, source=found.source)


def handed(found: Resolved, said: Said, folder: Path) -> Path:
    cached = KIND.fetch(subject(found), found.pin, said.workshop)
    folder.mkdir()
    KIND.hand_in(subject(found), found.pin, cached, folder)
    return folder


def pinned(url: str, commit: str) -> Resolved:
    return Resolved("top", Source(url=url), Pin(commit=commit), None)


def test_submodules_lie_in_their_places_and_have_no_history(
    server: Server, workshop: Said, git: Git, tmp_path: Path
) -> None:
    deep = server.repository("group/deep", {"deep.txt": "deep\n"})
    lib = server.repository("group/lib", {"lib.txt": "old\n"})
    (lib / "lib.txt").write_text("new\n")
    server.commit(lib)
    inner = server.take_in(lib, "inner", "./../deep", server.head(deep))
    top = server.repository("group/top", {"README.md": "# top\n"})
    commit = server.take_in(top, "vendor/lib", "../lib", inner)
    folder = handed(pinned(f"{server.url}/group/top", commit), workshop, tmp_path / "handed")
    assert (folder / "vendor/lib/lib.txt").read_text() == "new\n"
    assert (folder / "vendor/lib/inner/deep.txt").read_text() == "deep\n"
    assert git(folder, "status", "--porcelain") == ""
    for place in (folder, folder / "vendor/lib", folder / "vendor/lib/inner"):
        assert git(place, "rev-list", "--all", "--count") == "1"
        assert git(place, "remote") == git(place, "reflog") == ""
        assert git(place, "fsck", "--strict") == ""
    assert git(folder / "vendor/lib", "rev-parse", "HEAD") == inner


def test_a_submodule_stays_at_the_commit_that_the_tree_names(server: Server, workshop: Said, tmp_path: Path) -> None:
    lib = server.repository("lib", {"lib.txt": "pinned\n"})
    top = server.repository("top", {})
    commit = server.take_in(top, "lib", "../lib", server.head(lib))
    (lib / "lib.txt").write_text("moved on\n")
    server.commit(lib)
    folder = handed(pinned(f"{server.url}/top", commit), workshop, tmp_path / "handed")
    assert (folder / "lib/lib.txt").read_text() == "pinned\n"


def test_a_submodule_without_an_address_stays_an_empty_folder(server: Server, workshop: Said, tmp_path: Path) -> None:
    commit = server.take_in(server.repository("top", {"a": "a\n"}), "x", None, "1" * 40)
    folder = handed(pinned(f"{server.url}/top", commit), workshop, tmp_path / "handed")
    assert list((folder / "x").iterdir()) == []


def test_what_is_declared_and_not_in_the_tree_is_nowhere(server: Server, workshop: Said, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    modules = "".join(
        f'[submodule "{n}"]\n\tpath = {path}\n\turl = ../lib\n'
        for n, path in enumerate(["../outside", ".git/hooks", "link/x", "gone"])
    )
    top = server.repository("top", {".gitmodules": modules, "a": "a\n"})
    (top / "link").symlink_to("/etc")
    commit = server.commit(top)
    folder = handed(pinned(f"{server.url}/top", commit), workshop, tmp_path / "handed")
    assert sorted(one.name for one in folder.iterdir()) == [".git", ".gitmodules", "a", "link"]
    assert not list((tmp_path / "outside").iterdir())


def test_a_submodule_that_cannot_be_reached_makes_the_subject_unavailable(server: Server, workshop: Said) -> None:
    commit = server.take_in(server.repository("top", {}), "x", "../nowhere", "1" * 40)
    with pytest.raises(SubjectUnavailable, match="its submodule x could not be fetched"):
        KIND.fetch(subject(pinned(f"{server.url}/top", commit)), Pin(commit=commit), workshop.workshop)
    with pytest.raises(SubjectUnavailable, match="its submodule x"):
        KIND.resolve(f"{server.url}/top", workshop.workshop)


def test_a_submodule_that_lacks_its_commit_makes_the_subject_unavailable(server: Server, workshop: Said) -> None:
    server.repository("lib", {"a": "a\n"})
    commit = server.take_in(server.repository("top", {}), "x", "../lib", "1" * 40)
    with pytest.raises(SubjectUnavailable, match=r"its submodule x is not there: .* no longer has the commit 1{40}"):
        KIND.fetch(subject(pinned(f"{server.url}/top", commit)), Pin(commit=commit), workshop.workshop)


@pytest.mark.parametrize(
    "address",
    [
        *("file:///etc", "/etc", "ext::sh -c true", "ssh://git@other.invalid/x", "git://127.0.0.1:1/x"),
        *("git@host.invalid:x", "https://token@host.invalid/x", "--upload-pack=x", "git@-oProxyCommand=x:y"),
        *("etc", "../x", "C:/x"),
    ],
)
def test_an_address_that_a_submodule_must_not_have_is_refused(address: str) -> None:
    assert why_not(address, "https://host.example/o/n") is not None


def test_what_leads_into_this_machine_stops_the_subject(server: Server, workshop: Said) -> None:
    commit = server.take_in(server.repository("top", {"a": "a\n"}), "x", "file:///etc", "1" * 40)
    with pytest.raises(PinMismatch, match=r"its submodule x comes from file:///etc, which is a folder of this machine"):
        KIND.fetch(subject(pinned(f"{server.url}/top", commit)), Pin(commit=commit), workshop.workshop)


def test_a_submodule_beside_a_folder_of_this_machine_is_refused(server: Server, workshop: Said) -> None:
    lib = server.repository("lib", {"a": "a\n"})
    top = server.repository("top", {"a": "a\n"})
    server.take_in(top, "lib", "../lib", server.head(lib))
    with pytest.raises(InputError, match="which is a folder of this machine"):
        KIND.resolve(str(top), workshop.workshop)


def test_a_submodule_cannot_make_this_machine_speak_to_its_neighbours(server: Server, workshop: Said) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)
        port = listener.getsockname()[1]
        top = server.repository("top", {"a": "a\n"})
        commit = server.take_in(top, "x", f"http://127.0.0.1:{port}/x", "1" * 40)
        with pytest.raises(SubjectUnavailable, match="its submodule x could not be fetched"):
            KIND.fetch(subject(pinned(f"{server.url}/top", commit)), Pin(commit=commit), workshop.workshop)
        with pytest.raises(TimeoutError):
            listener.accept()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


def test_a_submodule_of_another_server_comes_through_a_proxy_of_our_own(
    server: Server, workshop: Said, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submodules, "refusal", lambda address, own: None)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    lib = server.repository("lib", {"lib.txt": "lib\n"})
    git(lib, "update-server-info")
    seen: list[Proxy] = []

    def noted(*arguments: Any) -> Proxy:
        seen.append(Proxy(*arguments))
        return seen[-1]

    monkeypatch.setattr(submodules, "Proxy", noted)
    handler = partial(Quiet, directory=str(lib))
    with OnLoopback(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as other:
        url = f"http://127.0.0.1:{other.port}/.git"
        commit = server.take_in(server.repository("top", {"a": "a\n"}), "x", url, server.head(lib))
        folder = handed(pinned(f"{server.url}/top", commit), workshop, tmp_path / "handed")
    assert (folder / "x" / "lib.txt").read_text() == "lib\n" and seen


def test_submodules_are_bounded_in_number_and_depth(
    server: Server, workshop: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = server.repository("deep", {"a": "a\n"})
    lib = server.repository("lib", {"b": "b\n"})
    inner = server.take_in(lib, "deep", "../deep", server.head(deep))
    commit = server.take_in(server.repository("top", {}), "lib", "../lib", inner)
    for name, bound, said in (("DEEPEST", 1, "more than 1 deep"), ("MOST", 1, "more than 1 submodules")):
        with monkeypatch.context() as patch, pytest.raises(PinMismatch, match=said):
            patch.setattr(checkouts, name, bound)
            KIND.fetch(subject(pinned(f"{server.url}/top", commit)), Pin(commit=commit), workshop.workshop)


def test_more_links_than_a_commit_may_have_are_refused(server: Server, workshop: Said, git: Git) -> None:
    top = server.repository("top", {})
    tree = git(top, "mktree", "--missing", stdin="".join(f"160000 commit {'1' * 40}\tx{n:03}\n" for n in range(101)))
    commit = git(top, "commit-tree", tree, "-m", "many")
    git(top, "update-ref", "HEAD", commit)
    with pytest.raises(PinMismatch, match="more than 100 submodules"):
        KIND.fetch(subject(pinned(f"{server.url}/top", commit)), Pin(commit=commit), workshop.workshop)


@pytest.mark.parametrize(
    ("address", "parent", "comes_to"),
    [
        ("https://a.example/x.git", "https://b.example/o/n", "https://a.example/x.git"),
        ("../x.git", "https://a.example/o/n.git", "https://a.example/o/x.git"),
        ("../x", "https://a.example/o/n/", "https://a.example/o/x"),
        ("./x", "https://a.example/o/n", "https://a.example/o/n/x"),
        ("../../p/x/", "https://a.example/o/n", "https://a.example/p/x"),
        ("./../x", "git@a.example:o/n.git", "git@a.example:o/x"),
        ("../../x", "git@a.example:o/n", "git@a.example:x"),
        ("../x", "git@a.example:n", "git@a.example:x"),
    ],
)
def test_a_relative_address_goes_by_its_parent_as_git_does_it(address: str, parent: str, comes_to: str) -> None:
    assert absolute(address, parent) == comes_to


def test_what_lies_on_the_repositorys_own_server_may_be_fetched_as_it_was() -> None:
    assert why_not("git@a.example:o/x", "git@a.example:o/n") is None
    assert why_not("ssh://a.example/x", "ssh://a.example/n") is None
    assert why_not("git@b.example:o/x", "git@a.example:o/n") is not None
    assert why_not("http://b.example/x", "ssh://a.example/n") is None
