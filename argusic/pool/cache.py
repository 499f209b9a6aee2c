"""The content-addressed cache of fetched subjects: an entry appears whole or not at all, and one fetcher at a time.

An entry is a file or folder named by the digest or commit that pins it, so that what is there can be proved
again whenever it is used. Verifying is the caller's: only it knows what the content must be.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

_MAKING = ".making-"


@contextmanager
def _lock(path: Path, *, wait: bool) -> Iterator[None]:
    """Hold `path` (a file or folder) alone. Raises `BlockingIOError` where it is held and waiting is not wanted."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


class Shelf:
    """One kind of entry in the cache, such as `packages`.

    Args:
        cache: The top folder of the cache, made when it is not there.
        name: The shelf's name.
    """

    def __init__(self, cache: Path, name: str) -> None:
        self.folder = cache / name

    def entry(self, key: str) -> Path:
        """Return where the entry of `key` (a digest or commit id) lies once it is there."""
        return self.folder / key

    @contextmanager
    def locked(self, key: str) -> Iterator[None]:
        """Keep every other process from fetching `key` meanwhile. The lock ends with the process that holds it."""
        locks = self.folder / ".locks"
        locks.mkdir(parents=True, exist_ok=True)
        (locks / key).touch(mode=0o600)
        with _lock(locks / key, wait=True):
            yield

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """Give a folder to make an entry in, on the same file system. What is left in it goes.

        What a killed process left goes too: each folder is locked by the process that works in it.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        for left in self.folder.glob(f"{_MAKING}*"):
            with suppress(OSError), _lock(left, wait=False):
                shutil.rmtree(left, ignore_errors=True)
        with self._begun() as folder:
            try:
                yield folder
            finally:
                shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def _begun(self) -> Iterator[Path]:
        """Give a new folder, locked. Who clears up may have been quicker with one that was not locked yet."""
        while True:
            folder = Path(tempfile.mkdtemp(prefix=_MAKING, dir=self.folder))
            with ExitStack() as held:
                try:
                    held.enter_context(_lock(folder, wait=False))
                except (BlockingIOError, FileNotFoundError):
                    continue
                if folder.is_dir():
                    yield folder
                    return

    def place(self, made: Path, key: str) -> Path:
        """Move the finished folder `made` to the place of `key`, and return that place.

        Called under the lock of `key`. An entry that is in the way was found wanting and is thrown away.
        """
        entry = self.entry(key)
        self.remove(key)
        made.rename(entry)
        return entry

    def remove(self, key: str) -> None:
        """Throw the entry of `key` away, if there is one."""
        entry = self.entry(key)
        if not os.path.lexists(entry):
            return
        with self.scratch() as bin_:
            entry.rename(bin_ / "entry")
