"""A commit with its submodules, fetched into the cache and looked at: what it comes to before anything is laid out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from argusic.pool.commits import ContentUnusable
from argusic.pool.git import Git, GitFailed, GitTookTooLong, hardened
from argusic.pool.kinds.protocol import PinMismatch, SubjectUnavailable
from argusic.pool.origins import CommitNotThere, fetch_commit
from argusic.pool.pointers import pointers
from argusic.pool.snapshots import cached_commit
from argusic.pool.submodules import DEEPEST, MOST, Submodule, add_up, git_for, submodules, why_not


class Checkout(NamedTuple):
    """What a commit comes to."""

    submodules: int
    """How many submodules it has, theirs included, that are handed in with it."""
    pointers: int
    """How many files hold only a pointer of git LFS."""


def gather(cache: Path, commit: str, parent: str, progress: Callable[[str], None]) -> Checkout:
    """Fetch the submodules of a cached commit that are not in the cache yet, and say what all of it comes to.

    Args:
        cache: The cache's top folder.
        commit: The commit, in the cache already.
        parent: The address that it came from.
        progress: Told in a few words what is being done.

    Raises:
        PinMismatch: A submodule must not be followed or checked out, or there are too many.
        SubjectUnavailable: A submodule could not be reached, or lacks its commit.
    """
    waiting: list[tuple[str, str, int]] = [(commit, parent, 0)]
    done = files = size = held = 0
    while waiting:
        one, address, depth = waiting.pop()
        repository = cache / "commits" / one
        with hardened() as git:
            try:
                files, size = add_up(git, repository, one, files, size)
                held += pointers(git, repository, one)
                found = submodules(git, repository, one, address)
            except ContentUnusable as error:
                raise PinMismatch(f"{parent} at {commit} cannot be used: {error}") from error
        for sub in found:
            if sub.address is None:
                continue
            done += 1
            if done > MOST or depth == DEEPEST:
                bound = f"more than {MOST} submodules" if done > MOST else f"submodules more than {DEEPEST} deep"
                raise PinMismatch(f"{parent} at {commit} cannot be used: it has {bound}")
            why = why_not(sub.address, parent)
            if why is not None:
                raise PinMismatch(f"its submodule {sub.path} comes from {sub.address}, {why}")
            _cached(cache, sub, sub.address, parent, progress)
            waiting.append((sub.commit, sub.address, depth + 1))
    return Checkout(done, held)


def holds_folder(repository: Path, commit: str, folder: str) -> bool:
    """Return whether a commit has a folder."""
    with hardened() as git:
        try:
            return git.run("cat-file", "-t", f"{commit}:{folder}", folder=repository).strip() == b"tree"
        except GitTookTooLong:
            raise
        except GitFailed:
            return False


def has_readme(repository: Path, commit: str, folder: str | None) -> bool:
    """Return whether a commit, or a folder of it, has a README at its top or in its `docs` or `.github`."""
    top = f"{commit}:{folder or ''}"
    with hardened() as git:
        names = git.run("ls-tree", "-r", "-z", "--name-only", top, folder=repository).split(b"\0")
    places = (b"", b"docs", b"doc", b".github")
    return any(name.rpartition(b"/")[0] in places and b"readme" in name.rpartition(b"/")[2].lower() for name in names)


def _cached(cache: Path, sub: Submodule, address: str, parent: str, progress: Callable[[str], None]) -> None:
    """Bring one submodule's commit into the cache. Every object is proved."""

    def make(_: Git, repository: Path) -> None:
        progress(f"fetching the submodule {sub.path}")
        with git_for(address, parent) as git:
            fetch_commit(git, repository, address, sub.commit)

    what = f"its submodule {sub.path}"
    try:
        cached_commit(cache, sub.commit, make, local=None)
    except CommitNotThere as error:
        raise SubjectUnavailable(f"{what} is not there: {error}") from error
    except GitFailed as error:
        if "fsck" in error.said or error.said.startswith("found "):
            raise PinMismatch(f"{what} gives no sound commit {sub.commit}: {error.said}") from error
        raise SubjectUnavailable(f"{what} could not be fetched from {address}: {error.said}") from error
    except ContentUnusable as error:
        raise PinMismatch(f"{what} cannot be used: {error}") from error
