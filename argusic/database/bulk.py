"""Reading many records of one sort: from the record cache where it has them, from their files where not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import PurePosixPath
from typing import Protocol, TypeVar

from argusic.database.cache import RecordCache
from argusic.database.codec import parse_record
from argusic.database.listing import blob_id
from argusic.errors import InputError
from argusic.records.base import Record

R = TypeVar("R", bound=Record)

_BATCH = 1000


class Source(Protocol):
    """Where the files are."""

    def read_bytes(self, path: PurePosixPath) -> bytes:
        """Return the bytes of a file."""

    def checked(self, path: PurePosixPath, record: R) -> R:
        """Return a record that belongs at `path`."""


def read_all(
    source: Source,
    cache: RecordCache,
    blobs: Mapping[str, str],
    model: type[R],
    failed: Callable[[InputError], None] | None,
) -> Iterator[tuple[PurePosixPath, R]]:
    """Yield the records of a listing.

    Args:
        source: Where the files are.
        cache: What remembers records by blob id.
        blobs: The blob id of each file, by path.
        model: Which record they all are.
        failed: What is told of a file that holds no such record; None to raise the error.
    """
    waiting = iter(blobs)
    while batch := list(islice(waiting, _BATCH)):
        cached = cache.load(model, {blobs[path] for path in batch})
        fresh: dict[str, R] = {}
        try:
            for text in batch:
                path, blob = PurePosixPath(text), blobs[text]
                try:
                    record = cached.get(blob) or _read(source, path, blob, model, fresh)
                    source.checked(path, record)
                except InputError as error:
                    if failed is None:
                        raise
                    failed(error)
                    continue
                yield path, record
        finally:
            if fresh:
                cache.store(model, fresh)


def _read(source: Source, path: PurePosixPath, blob: str, model: type[R], fresh: dict[str, R]) -> R:
    data = source.read_bytes(path)
    record = parse_record(data, model, file=path)
    # Kept only under the id of what was really read: the file may have changed since it was listed, or git
    # may hold it in another form.
    if blob_id(data, like=blob) == blob:
        fresh[blob] = record
    return record
