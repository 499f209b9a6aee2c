"""Writing so that a crash at any instant leaves either the old state or the new one, never half a file.

Every write goes to a temporary name in the same folder, is flushed to the disk, and is renamed into place.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from argusic.database.faults import fault_point
from argusic.errors import InputError, Place

#: How the name of an unfinished file begins. What bears it after a crash is rubbish.
TEMPORARY_PREFIX = ".argusic-tmp-"

_RENAME_NOREPLACE = 1
_AT_FDCWD = -100


def write_file(path: Path, data: bytes, *, replace: bool) -> None:
    """Write `data` to `path` whole, making the folders above it where they are missing.

    Args:
        path: The file.
        data: All of its content.
        replace: Whether a file that is already there may be replaced.

    Raises:
        InputError: The file exists and `replace` is false.
    """
    _make_folders(path.parent)
    with unfinished_file(path.parent) as (temporary, file):
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
        fault_point("file-written")
        if replace:
            temporary.replace(path)
        else:
            move_new(temporary, path)
    fault_point("file-renamed")
    sync_folder(path.parent)


@contextmanager
def unfinished_file(folder: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """Make a temporary file in `folder`, to be renamed by the caller; remove it at the end where it was not.

    It is locked while it is open, by which `sweep_unfinished` tells a living writer's from a dead one's.
    """
    path, file = _begin(folder)
    try:
        with file:
            yield path, file
    finally:
        path.unlink(missing_ok=True)


def sweep_unfinished(paths: Iterable[Path]) -> None:
    """Remove those temporary files among `paths` whose writer is dead."""
    for path in paths:
        if not path.name.startswith(TEMPORARY_PREFIX):
            continue
        with contextlib.suppress(OSError), path.open("rb") as file:  # Gone or not ours to open: nothing to do.
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()


def _begin(folder: Path) -> tuple[Path, BinaryIO]:
    while True:
        path = folder / f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}"
        file = path.open("xb")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()  # A sweeper was quicker and is about to remove it.
            continue
        if os.fstat(file.fileno()).st_nlink:
            return path, file
        file.close()


def publish_folder(source: Path, destination: Path) -> None:
    """Make the finished folder `source` appear at `destination` in one step.

    Both must be on one file system. Every file and folder in `source` is flushed first, so that the
    destination is complete from the instant it can be seen.

    Raises:
        InputError: `destination` exists.
    """
    for folder, _, files in os.walk(source):
        for name in files:
            _sync(Path(folder) / name, os.O_RDONLY | os.O_NOFOLLOW)
        sync_folder(Path(folder))
    _make_folders(destination.parent)
    fault_point("folder-synced")
    move_new(source, destination)
    fault_point("folder-renamed")
    sync_folder(destination.parent)
    sync_folder(source.parent)


def sync_folder(folder: Path) -> None:
    """Flush the entries of `folder` to the disk."""
    _sync(folder, os.O_RDONLY | os.O_DIRECTORY)


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _make_folders(folder: Path) -> None:
    """Make `folder` and what is missing above it, each flushed into its parent."""
    if folder.is_dir():
        return
    _make_folders(folder.parent)
    with contextlib.suppress(FileExistsError):
        folder.mkdir()
    sync_folder(folder.parent)


def move_new(source: Path, destination: Path) -> None:
    """Rename `source` to `destination` unless something is there; atomic against other writers."""
    try:
        _rename_noreplace(source, destination)
    except FileExistsError:
        raise InputError("is there already and is never replaced.", place=Place(destination)) from None


def _rename_noreplace(source: Path, destination: Path) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    rename = getattr(libc, "renameat2", None)
    if rename is not None:
        if rename(_AT_FDCWD, os.fsencode(source), _AT_FDCWD, os.fsencode(destination), _RENAME_NOREPLACE) == 0:
            return
        error = ctypes.get_errno()
        if error not in (errno.EINVAL, errno.ENOSYS):
            raise OSError(error, os.strerror(error), str(source), None, str(destination))
    # The file system or the system lacks the flag. A link refuses to replace a file; renaming a folder
    # refuses to replace one with content, and an empty one holds nothing to lose.
    if source.is_dir():
        if destination.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(destination))
        source.rename(destination)
    else:
        os.link(source, destination)
        source.unlink()
