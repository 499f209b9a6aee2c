"""The files of the database: read whole or not at all, written whole or not at all, never through a link.

It knows which record belongs at which path, and nothing of what the records mean. It looks at the files as
they lie there now, each time it is asked; what it remembers is the record cache alone, keyed by content.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TypeVar

from argusic.database import paths
from argusic.database.atomic import sweep_unfinished, write_file
from argusic.database.bulk import read_all
from argusic.database.cache import RecordCache
from argusic.database.codec import dump, parse_record, read_file
from argusic.database.git import Git
from argusic.database.listing import Listing, list_files
from argusic.database.stated import stated_path
from argusic.errors import InputError, Place
from argusic.records.base import Record

R = TypeVar("R", bound=Record)


class Storage:
    """The files below the top folder `root`.

    Args:
        root: The top folder.
        cache_folder: Where the caches live; by default the folder that ARGUSIC_CACHE names, else
            `.argusic/cache` in the top folder.
    """

    def __init__(self, root: Path, *, cache_folder: Path | None = None) -> None:
        self.root = root.resolve()
        self.cache_folder = cache_folder or _folder("ARGUSIC_CACHE", self.root / ".argusic" / "cache")
        self.store_folder = _folder("ARGUSIC_EVIDENCE", self.root / ".argusic" / "evidence")
        self.work = self.root / ".argusic" / "work"

    @cached_property
    def git(self) -> Git | None:
        """The git repository around the database; None where there is none."""
        return Git.around(self.root)

    def repository(self) -> Git:
        """Return the git repository around the database.

        Raises:
            InputError: There is none, or none that git trusts; in git's words.
        """
        return self.git or Git.required_around(self.root)

    @cached_property
    def _cache(self) -> RecordCache:
        return RecordCache(self.cache_folder, self.root)

    def read_bytes(self, path: PurePosixPath) -> bytes:
        """Return the bytes of the file at `path`.

        Raises:
            InputError: It is not there, or a link leads there or away from there.
        """
        full = self._full(path)
        if Path(os.path.realpath(full.parent)) != full.parent:
            raise InputError("lies behind a symbolic link; records are never read through one.", place=Place(path))
        return read_file(full, shown=path)

    def read(self, path: PurePosixPath, model: type[R]) -> R:
        """Return the record at `path`.

        Raises:
            InputError: There is none, it is not valid, or its ids disagree with its path.
        """
        return self.checked(path, parse_record(self.read_bytes(path), model, file=path))

    def holds(self, path: PurePosixPath) -> bool:
        """Return whether something lies at `path`, a link or a folder included."""
        return not _leads_out(path) and os.path.lexists(self.root / path)

    def write(self, path: PurePosixPath, record: Record, *, replace: bool = False) -> None:
        """Write `record` to `path` in its canonical form.

        Raises:
            InputError: Something is there and `replace` is false; or the record does not belong there.
        """
        self.write_bytes(path, dump(self.checked(path, record)), replace=replace)

    def write_bytes(self, path: PurePosixPath, data: bytes, *, replace: bool) -> None:
        """Write `data` to `path` whole.

        Raises:
            InputError: Something is there and `replace` is false; or a link leads there or away from there.
        """
        write_file(self._own(path), data, replace=replace)

    def remove(self, path: PurePosixPath) -> None:
        """Remove the file or link at `path`, if it is still there.

        Raises:
            InputError: A link leads there.
        """
        self._own(path).unlink(missing_ok=True)

    def _full(self, path: PurePosixPath) -> Path:
        if _leads_out(path):
            raise InputError("is no path in the database: none holds '..' or a symbolic link.", place=Place(path))
        return self.root / path

    def _own(self, path: PurePosixPath) -> Path:
        full = self._full(path)
        if Path(os.path.realpath(full.parent)) != full.parent:
            what = "lies behind a symbolic link; nothing is written or removed through one."
            raise InputError(what, place=Place(path))
        return full

    def checked(self, path: PurePosixPath, record: R) -> R:
        """Return `record` if its ids put it at `path`.

        Raises:
            InputError: They put it elsewhere.
        """
        stated = stated_path(record)
        if stated is not None and stated != path:
            raise InputError(f"holds what belongs at {stated}.", place=Place(path))
        return record

    def listing(self, *under: str, only: Callable[[str], bool] = lambda path: True) -> Listing:
        """Return those files below some folders whose path `only` wants, with their blob ids."""
        return list_files(self.root, self.git, self._cache, *under, only=only)

    def sweep(self) -> None:
        """Remove what writers that died in the middle of a write left in the database and the evidence store."""
        unfinished = self.listing(*paths.DATA_FOLDERS, only=lambda path: False).unfinished
        sweep_unfinished(self.root / path for path in unfinished)
        if self.store_folder.is_dir():
            sweep_unfinished(self.store_folder.iterdir())

    def records(
        self, blobs: Mapping[str, str], model: type[R], *, failed: Callable[[InputError], None] | None = None
    ) -> Iterator[tuple[PurePosixPath, R]]:
        """Yield the records of files by path, from the cache where it has them, reading the others.

        Args:
            blobs: The blob id of each file, by path, as a listing gives them.
            model: Which record they all are.
            failed: What is told of a file that holds no such record; None to raise the error.

        Raises:
            InputError: A record is not valid, or its ids disagree with its path.
        """
        return read_all(self, self._cache, blobs, model, failed)


def _folder(variable: str, default: Path) -> Path:
    named = os.environ.get(variable)
    return Path(named).absolute() if named else default


def _leads_out(path: PurePosixPath) -> bool:
    """Return whether a path may lead out of the database; an id that begins with a slash makes one that does."""
    return path.is_absolute() or ".." in path.parts
