"""A sandbox's folder on the host's disk: how much it holds, and how to remove it whatever lies in it.

It can be run by itself, without any package, by whoever has other rights (see `bubblewrap/measuring.py`).
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

#: What an entry is counted as at least: entries without content fill a disk too.
ENTRY_BYTES = 1024
_LONG_NAME = 1500
_OFTEN = 1000
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


#: Asked, with the bytes so far, whether that is all that has to be known.
Enough = Callable[[int], bool]


class Measured(NamedTuple):
    """What a folder takes."""

    total: int
    """In bytes."""
    closed: bool
    """Whether some folder in it could not be looked into, so that more may be there."""


def measure(folder: Path, enough: Enough = lambda total: False) -> Measured:
    """Measure what a folder takes on the disk. What vanishes meanwhile counts nothing.

    Args:
        folder: The folder.
        enough: Asked now and then, with the bytes so far, whether that is all that has to be known.
    """
    total = 0
    closed = False
    linked: set[tuple[int, int]] = set()
    waiting: list[tuple[_Anchor | None, str]] = [(None, os.fspath(folder))]
    while waiting and not enough(total):
        anchor, name = waiting.pop()
        try:
            fd = os.open(name, _FOLDER, dir_fd=anchor.fd if anchor else None)
        except PermissionError:
            closed = True
            continue
        except OSError:
            continue
        # Few folders stay open, and no path gets longer than the kernel takes, however deep it all goes.
        if anchor is None or len(name) > _LONG_NAME:
            anchor, prefix = _Anchor(os.dup(fd)), ""
        else:
            prefix = f"{name}/"
        try:
            closed |= not _searchable(fd)
            for number, (entry, facts) in enumerate(_entries(fd), 1):
                if facts.st_nlink > 1 and not stat.S_ISDIR(facts.st_mode):
                    if (facts.st_dev, facts.st_ino) in linked:
                        continue
                    linked.add((facts.st_dev, facts.st_ino))
                total += max(facts.st_blocks * 512, ENTRY_BYTES)
                if stat.S_ISDIR(facts.st_mode):
                    waiting.append((anchor, prefix + entry))
                if number % _OFTEN == 0 and enough(total):
                    break
        finally:
            os.close(fd)
    return Measured(total, closed)


def _searchable(fd: int) -> bool:
    return os.access(".", os.X_OK, dir_fd=fd, effective_ids=True)


def _entries(fd: int) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(fd) as entries:
        for entry in entries:
            with suppress(OSError):
                yield entry.name, entry.stat(follow_symlinks=False)


class _Anchor:
    """An open folder, closed when nothing refers to it any more."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def __del__(self) -> None:
        os.close(self.fd)


def remove_folder(folder: Path) -> None:
    """Remove a folder and everything in it. Follows no link, and goes to any depth.

    Nothing may still be writing to it. Folders without permissions are given them; inner folders are moved up to the
    top before they are emptied, so that neither the length of a path nor the number of open files grows with depth.

    Raises:
        OSError: Something could not be removed.
    """
    try:
        top = os.open(folder, _FOLDER)
    except FileNotFoundError:
        return
    except PermissionError:
        folder.chmod(0o700)
        top = os.open(folder, _FOLDER)
    try:
        os.fchmod(top, 0o700)
        _empty(top)
    finally:
        os.close(top)
    folder.rmdir()


def _empty(top: int) -> None:
    number = 0
    waiting = _split(top)
    while waiting:
        name = waiting.pop()
        if os.geteuid() != 0:
            os.chmod(name, 0o700, dir_fd=top)
        inner = os.open(name, _FOLDER, dir_fd=top)
        try:
            for child in _split(inner):
                if os.geteuid() != 0:
                    os.chmod(child, 0o700, dir_fd=inner)
                while True:
                    number += 1
                    moved = f"{number:x}"
                    if not _exists(moved, top):
                        break
                os.rename(child, moved, src_dir_fd=inner, dst_dir_fd=top)
                waiting.append(moved)
        finally:
            os.close(inner)
        os.rmdir(name, dir_fd=top)


def _split(fd: int) -> list[str]:
    """Remove what is no folder in an open folder; return the names of the folders."""
    folders = []
    with os.scandir(fd) as entries:
        for entry in list(entries):
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            else:
                os.unlink(entry.name, dir_fd=fd)
    return folders


def _exists(name: str, fd: int) -> bool:
    try:
        os.stat(name, dir_fd=fd, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def main() -> None:
    """Print what the folder named by the first argument takes, up to the number of bytes in the second."""
    most = int(sys.argv[2])
    sys.stdout.write(str(measure(Path(sys.argv[1]), lambda total: total > most).total))


if __name__ == "__main__":
    main()
