"""Submodules: the repositories that a commit names, each pinned by the commit's own tree, fetched without history.

What a repository names is a stranger's choice of address. So only web addresses are followed, through a proxy of our
own that leads to public addresses alone; what lies on the server that the repository itself came from is fetched as
the repository was. Nothing of `.gitmodules` is run, and its names are not used: places come from the tree.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from pydantic import ValidationError

from argusic.pool.commits import MAX_BYTES, MAX_FILES, ContentUnusable
from argusic.pool.git import Git, GitFailed, GitTookTooLong, hardened
from argusic.pool.snapshots import extent, lay_out
from argusic.records.sources.repository import Source
from argusic.sandbox.addresses import refusal
from argusic.sandbox.connections import ConnectionLimits
from argusic.sandbox.proxy import Proxy
from argusic.sandbox.supervised.way_out import own_addresses
from argusic.sandbox.upstream import Upstream

#: The most submodules of a commit, theirs included, and how deep they may lie in one another.
MOST, DEEPEST = 100, 5
_SCP = re.compile(r"(?P<user>[^/:]+@)?(?P<host>[^/:]+):(?!//)(?P<path>.*)")


class Submodule(NamedTuple):
    """A repository that a commit names."""

    path: str
    """Where it lies in the commit, with `/`."""
    commit: str
    """Its commit, by the commit's own tree."""
    address: str | None
    """Where it comes from; None where the commit does not say, and git leaves an empty folder."""


def submodules(git: Git, repository: Path, commit: str, parent: str) -> tuple[Submodule, ...]:
    """Return the submodules of a commit, in order.

    Args:
        git: Git.
        repository: A bare repository that holds the commit.
        commit: Its id.
        parent: The address that the commit itself came from, which relative addresses go by.

    Raises:
        ContentUnusable: There are too many, or one lies at a place that is no UTF-8.
    """
    links: dict[str, str] = {}
    with git.lines("ls-tree", "-r", "-z", "--full-tree", commit, folder=repository) as entries:
        for entry in entries:
            facts, _, place = entry.partition(b"\t")
            mode, _, link = facts.split()
            if mode != b"160000":
                continue
            try:
                links[place.decode("utf-8")] = link.decode("ascii")
            except UnicodeDecodeError:
                raise ContentUnusable(f"it has a submodule at {place!r}, which is no UTF-8") from None
            if len(links) > MOST:
                raise ContentUnusable(f"it has more than {MOST} submodules")
    if not links:
        return ()
    addresses = _addresses(git, repository, commit)
    return tuple(
        Submodule(path, links[path], None if path not in addresses else absolute(addresses[path], parent))
        for path in sorted(links)
    )


def absolute(address: str, parent: str) -> str:
    """Return a submodule's address, a relative one by its parent's as git does it.

    Args:
        address: As `.gitmodules` says it.
        parent: The address of the repository that names it.
    """
    if not address.startswith(("./", "../")):
        return address
    front, between = parent.removesuffix("/"), "/"
    while address.startswith(("./", "../")):
        up = address.startswith("../")
        address = address[3 if up else 2 :]
        if up:
            cut = front.rfind("/") if "/" in front else front.rfind(":")
            between = ":" if "/" not in front and cut >= 0 else between
            front = front[: max(cut, 0)]
    return f"{front}{between}{address}".removesuffix("/")


def server_of(address: str) -> str | None:
    """Return the server of an address: scheme, user, name and port; None for a folder of this machine."""
    if address.startswith("/"):
        return None
    if "://" in address:
        parts = urlsplit(address)
        return None if parts.scheme == "file" else f"{parts.scheme}://{parts.netloc.lower()}"
    found = _SCP.fullmatch(address)
    return f"ssh://{found['user'] or ''}{found['host'].lower()}" if found else None


def why_not(address: str, parent: str) -> str | None:
    """Return why a submodule's address is not followed; None where it is.

    Args:
        address: Where it comes from.
        parent: The address of the repository that was asked for, which a person chose.
    """
    try:
        Source(url=address)
    except ValidationError:
        return "which is no address that a submodule may have"
    server = server_of(address)
    if server is None:
        return "which is a folder of this machine"
    if server != server_of(parent) and not server.startswith(("https://", "http://")):
        return "and a submodule comes from the web or from the server of its repository"
    return None


@contextmanager
def git_for(address: str, parent: str) -> Iterator[Git]:
    """Give a git to fetch a submodule with: off the repository's own server, one that reaches public places alone."""
    if server_of(address) == server_of(parent):
        with hardened() as git:
            yield git
        return
    listener = socket.create_server(("127.0.0.1", 0))
    own = own_addresses()
    proxy = Proxy(listener, lambda one: refusal(one, own), Upstream(dict(os.environ)), ConnectionLimits.affordable())
    port = listener.getsockname()[1]
    proxy.start()
    try:
        with hardened(proxy=f"http://127.0.0.1:{port}") as git:
            yield git
    finally:
        proxy.stop()


def lay_out_all(commits: Path, commit: str, folder: Path, parent: str) -> None:
    """Check a cached commit and its cached submodules out into the empty folder `folder`.

    Args:
        commits: The folder of cached commits, each under its id.
        commit: The commit.
        folder: Where it goes.
        parent: The address that it came from.

    Raises:
        ContentUnusable: A submodule's place is not in the folder.
        GitFailed: One cannot be checked out.
    """
    lay_out(commits / commit, commit, folder)
    with hardened() as git:
        found = submodules(git, commits / commit, commit, parent)
    for one in found:
        if one.address is not None:
            lay_out_all(commits, one.commit, _place(folder, one.path), one.address)


def add_up(git: Git, repository: Path, commit: str, files: int, size: int) -> tuple[int, int]:
    """Return how many files and bytes there are with those of one more commit.

    Raises:
        ContentUnusable: They are too many.
    """
    more = extent(git, repository, commit)
    files, size = files + more[0], size + more[1]
    if files > MAX_FILES or size > MAX_BYTES:
        raise ContentUnusable(f"it has more than {MAX_FILES} files or {MAX_BYTES} bytes with its submodules")
    return files, size


def _addresses(git: Git, repository: Path, commit: str) -> dict[str, str]:
    """Return the address of each submodule by its place, as the commit's `.gitmodules` says it."""
    blob = f"{commit}:.gitmodules"
    try:
        said = git.run("config", "--blob", blob, "--list", "-z", "--no-includes", folder=repository)
    except GitTookTooLong:
        raise
    except GitFailed:
        return {}
    facts: dict[str, dict[str, str]] = {}
    for line in said.decode("utf-8", "surrogateescape").split("\0"):
        key, _, value = line.partition("\n")
        section, _, rest = key.partition(".")
        name, _, field = rest.rpartition(".")
        if section == "submodule" and field in ("path", "url"):
            # The first counts, so that one name's path and url are of one mind.
            facts.setdefault(name, {}).setdefault(field, value)
    return {one["path"].rstrip("/"): one["url"] for one in facts.values() if one.get("path") and one.get("url")}


def _place(folder: Path, path: str) -> Path:
    """Return the folder of a submodule, which the checkout left empty."""
    place = folder
    for part in path.split("/"):
        place = place / part
        if part in ("", ".", "..") or part.lower() == ".git" or place.is_symlink() or not place.is_dir():
            raise ContentUnusable(f"its submodule {path} has no folder of its own")
    if any(place.iterdir()):
        raise ContentUnusable(f"the folder of its submodule {path} is not empty")
    return place
