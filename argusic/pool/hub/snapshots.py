"""Pinned files of a hub's repositories in the cache: fetched once, named by digest, proved again at every use."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from argusic.pool.cache import Shelf
from argusic.pool.files import PAUSES, digest_of, patiently
from argusic.pool.hub.answers import Listed
from argusic.pool.hub.client import Hub, Locked, Missing, RepoType
from argusic.pool.kinds.protocol import PinMismatch, SubjectUnavailable, Workshop
from argusic.records.hub import HubFile

_FILES = "files"


class _Gone(Exception):
    """Asking again would not help."""


def pinned_snapshot(
    hub: Hub,
    kind: RepoType,
    name: str,
    revision: str,
    files: Sequence[HubFile],
    workshop: Workshop,
    pauses: tuple[float, ...] = PAUSES,
) -> Path:
    """Return the folder of the pinned files in the cache, fetching them where they are not there. All are proved.

    Raises:
        PinMismatch: What the hub has is not what was pinned. Nothing is kept.
        SubjectUnavailable: The hub cannot be reached, or has it no longer, or for others only.
    """

    def make(folder: Path) -> None:
        workshop.progress(f"fetching {name} at {revision[:12]}")
        hub.fetch(kind, name, revision, files, folder)

    return cached_files(files, make, workshop, pauses)


def cached_files(
    files: Sequence[HubFile],
    make: Callable[[Path], None],
    workshop: Workshop,
    pauses: tuple[float, ...] = PAUSES,
) -> Path:
    """Return the folder of these files in the cache, having `make` put them into a folder where they are not there.

    Raises:
        PinMismatch, SubjectUnavailable: As `pinned_snapshot` does.
    """
    shelf, key = Shelf(workshop.cache, "hub"), key_of(files)
    cached = shelf.entry(key) / _FILES
    if what_differs(cached, files) is None:
        return cached
    with shelf.locked(key):
        if what_differs(cached, files) is None:
            return cached

        def attempt() -> None:
            with shelf.scratch() as scratch:
                made = scratch / "entry"
                (made / _FILES).mkdir(parents=True)
                got = scratch / "got"
                got.mkdir()
                try:
                    make(got)
                except (Missing, Locked) as error:
                    raise _Gone(str(error)) from error
                lay_files(got, files, made / _FILES, move=True)
                shelf.place(made, key)

        try:
            patiently(attempt, pauses)
        except _Gone as error:
            raise SubjectUnavailable(str(error)) from error
    return cached


def fetched_files(
    hub: Hub, kind: RepoType, name: str, revision: str, listed: Sequence[Listed], workshop: Workshop
) -> tuple[HubFile, ...]:
    """Fetch files that the hub lists, and return them with the digests that they have. They are in the cache then.

    Raises:
        PinMismatch: The hub gives something else than it lists.
        Missing, Locked, SubjectUnavailable: As `Hub.fetch` does.
    """
    shelf = Shelf(workshop.cache, "hub")
    with shelf.scratch() as scratch:
        got = scratch / "got"
        got.mkdir()
        hub.fetch(kind, name, revision, listed, got)
        files = tuple(_found(got, file) for file in listed)
        made = scratch / "entry"
        (made / _FILES).mkdir(parents=True)
        lay_files(got, files, made / _FILES, move=True)
        key = key_of(files)
        with shelf.locked(key):
            # Somebody may be copying what is there.
            if what_differs(shelf.entry(key) / _FILES, files) is not None:
                shelf.place(made, key)
    return files


def lay_files(cached: Path, files: Sequence[HubFile], folder: Path, *, move: bool = False) -> None:
    """Lay pinned files out in `folder`, copied or moved, each proved where it lies then. Nothing else comes along.

    Raises:
        PinMismatch: One is not what was pinned.
    """
    for file in files:
        source, target = cached / file.path, folder / file.path
        if not _is_regular(cached, file.path):
            raise PinMismatch(f"{file.path} is not there as a regular file")
        target.parent.mkdir(parents=True, exist_ok=True)
        if move:
            source.rename(target)
        else:
            shutil.copyfile(source, target)
        target.chmod(0o644)
        _prove(target, file)
        if move:
            _settle(target)


def what_differs(folder: Path, files: Sequence[HubFile]) -> str | None:
    """Return the first file in `folder` that is not what was pinned, in a sentence; None where all are."""
    for file in files:
        if not _is_regular(folder, file.path):
            return f"{file.path} is not there as a regular file"
        try:
            _prove(folder / file.path, file)
        except PinMismatch as error:
            return str(error)
    return None


def key_of(files: Sequence[HubFile]) -> str:
    """Return the name of these files in the cache: the digest of their list."""
    listing = [[file.path, file.size, file.sha256] for file in files]
    return hashlib.sha256(json.dumps(listing, ensure_ascii=True).encode()).hexdigest()


def _prove(path: Path, file: HubFile) -> None:
    size = path.stat().st_size
    if size != file.size:
        raise PinMismatch(f"{file.path} has {size} bytes, but {file.size} were pinned")
    found = digest_of(path)
    if found != file.sha256:
        raise PinMismatch(f"{file.path} has sha256 {found}, but {file.sha256} was pinned")


def _found(folder: Path, listed: Listed) -> HubFile:
    found = digest_of(folder / listed.path) if _is_regular(folder, listed.path) else None
    if found is None:
        raise PinMismatch(f"{listed.path} did not come as a regular file")
    if listed.sha256 is not None and found != listed.sha256:
        raise PinMismatch(f"{listed.path} has sha256 {found}, but the hub lists {listed.sha256}")
    return HubFile(path=listed.path, size=(folder / listed.path).stat().st_size, sha256=found)


def _is_regular(folder: Path, path: str) -> bool:
    """Return whether a path within `folder` is a regular file, and no link is on the way."""
    here = folder
    for part in path.split("/"):
        here = here / part
        if here.is_symlink():
            return False
    return here.is_file()


def _settle(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
