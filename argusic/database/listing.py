"""Which files the database holds, each with the git blob id of its content, without reading most of them.

For a clean tracked file git already knows the blob id. Everything else is hashed from its bytes; so is every
file where the database is no git checkout. A file system that was looked at a moment ago need not be read
again: an untouched file is recognised by its size, times and inode through `known` (a record cache).
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from argusic.database.atomic import TEMPORARY_PREFIX
from argusic.database.git import Git
from argusic.errors import InputError, Place

#: What recognises an untouched file: size, modification and change time in nanoseconds, inode, device.
Stamp = tuple[int, int, int, int, int]
#: A stamp is trusted from this age on: longer than any file system's clock tick.
_SETTLED_NS = 2_000_000_000


@dataclass(frozen=True)
class Listing:
    """The files below some folders of the database.

    Attributes:
        blobs: The git blob id of every regular file, by path from the top, sorted by path.
        strange: What is no regular file (a link, a device, a repository of its own), with what it is.
        unfinished: Temporary files of writes that are going on, or that a crash cut short.
    """

    blobs: Mapping[str, str]
    strange: Mapping[str, str]
    unfinished: tuple[str, ...] = ()


class KnownBlobs(Protocol):
    """Remembers the blob ids of untouched files."""

    def known_blobs(self, stamps: Mapping[str, Stamp]) -> dict[str, str]:
        """Return the blob ids of those paths whose stamp is unchanged since it was remembered."""

    def remember_blobs(self, blobs: Mapping[str, str], stamps: Mapping[str, Stamp]) -> None:
        """Remember the blob ids of files with their stamps."""


def list_files(
    root: Path, git: Git | None, known: KnownBlobs | None, *under: str, only: Callable[[str], bool] = lambda path: True
) -> Listing:
    """List the files below the folders `under` of the database at `root`.

    Args:
        root: The top of the database.
        git: The repository around it, where there is one.
        known: What remembers blob ids of untracked files; None to hash them all.
        under: Folders or files from the top. What does not exist holds nothing.
        only: Which paths are wanted; the others are neither hashed nor listed.

    Raises:
        InputError: A file cannot be read.
    """
    blobs: dict[str, str] = {}
    strange: dict[str, str] = {}
    if git is None:
        unhashed = [path for folder in under for path in _walk(root, folder, strange)]
    else:
        # Each question walks the tree once; asked together, they take as long as the slowest.
        with ThreadPoolExecutor(3) as together:
            asked = together.submit(git.differing, *under), together.submit(git.untracked, *under)
            tracked = git.tracked(*under)
            differing, untracked = (question.result() for question in asked)
        unhashed = []
        for entry in tracked:
            if entry.path in differing or entry.unwatched or entry.mode not in ("100644", "100755"):
                unhashed.append(entry.path)
            else:
                blobs[entry.path] = entry.blob
        for path in untracked:
            if path.endswith("/"):
                strange[path.rstrip("/")] = "a git repository of its own"
            else:
                unhashed.append(path)
    unfinished = tuple(sorted(path for path in unhashed if _is_unfinished(path)))
    wanted = [path for path in unhashed if only(path) and not _is_unfinished(path)]
    blobs |= _hash_all(root, wanted, strange, known)
    found = {path: blob for path, blob in sorted(blobs.items()) if only(path)}
    return Listing(found, dict(sorted(strange.items())), unfinished)


def blob_id(data: bytes, *, like: str = "") -> str:
    """Return the id that git gives a file of these bytes.

    It names content for the cache alone; nothing is proven by it.

    Args:
        data: The bytes.
        like: An id of the repository's own format; SHA-1 where it is empty.
    """
    make = hashlib.sha256 if len(like) == 64 else hashlib.sha1
    return make(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _is_unfinished(path: str) -> bool:
    return path.rpartition("/")[2].startswith(TEMPORARY_PREFIX)


def _walk(root: Path, folder: str, strange: dict[str, str]) -> Iterator[str]:
    top = root / folder
    if top.is_symlink():
        strange[folder] = "a symbolic link"
        return
    if top.is_file():
        yield folder
        return
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        try:
            entries = list(os.scandir(root / here))
        except FileNotFoundError:
            continue
        for entry in entries:
            path = f"{here}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                waiting.append(path)
            else:
                yield path


def _hash_all(root: Path, paths: list[str], strange: dict[str, str], known: KnownBlobs | None) -> dict[str, str]:
    stamps: dict[str, Stamp] = {}
    for path in paths:
        try:
            facts = os.lstat(root / path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        if stat.S_ISREG(facts.st_mode):
            stamps[path] = (facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino, facts.st_dev)
        elif not stat.S_ISDIR(facts.st_mode):
            strange[path] = "a symbolic link" if stat.S_ISLNK(facts.st_mode) else "no regular file"
        else:
            strange[path] = "a folder where a file is tracked"
    found = known.known_blobs(stamps) if known else {}
    fresh: dict[str, str] = {}
    for path in stamps:
        if path not in found:
            try:
                fresh[path] = blob_id((root / path).read_bytes())
            except FileNotFoundError:
                continue
            except OSError as error:
                raise InputError(f"cannot be read: {error.strerror}.", place=Place(path)) from None
    if known and fresh:
        # A file that changed this very moment may change again without its stamp showing it.
        settled = time.time_ns() - _SETTLED_NS
        old = {path: stamps[path] for path in fresh if max(stamps[path][1:3]) < settled}
        known.remember_blobs({path: fresh[path] for path in old}, old)
    return found | fresh


def below(folder: Path, depth: int) -> list[Path]:
    """Return all that lies so many folders below one, sorted; nothing where it is not there.

    Raises:
        OSError: A folder on the way cannot be read. `Path.glob` would pass over it in silence.
    """
    found = [folder]
    for _ in range(depth):
        found = [inside for outside in found if outside.is_dir() for inside in outside.iterdir()]
    return sorted(found)
