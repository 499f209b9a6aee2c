"""The record cache: records read before, by the git blob id of their file, and the blob ids of untouched files.

It can be deleted at any time, is shared by processes, and is believed only as far as its own checksums and
the record's model agree. It lives in a folder named after a fingerprint of the models: a program with other
models neither sees it nor spoils it. Whatever goes wrong with it costs time and nothing else.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TypeVar

import pydantic
from pydantic import ValidationError

import argusic.records
from argusic.database import codec, reading
from argusic.database.listing import Stamp
from argusic.records import sources
from argusic.records.base import Record

R = TypeVar("R", bound=Record)

_TABLES = """
CREATE TABLE IF NOT EXISTS record (key TEXT PRIMARY KEY, body BLOB NOT NULL, sum BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS seen (path TEXT PRIMARY KEY, stamp TEXT NOT NULL, blob TEXT NOT NULL, sum BLOB NOT NULL)
    WITHOUT ROWID;
"""
#: Below every SQLite's limit on the parameters of one statement.
_BATCH = 500


def schema_fingerprint() -> str:
    """Return a digest of the program's record models and of what reads them."""
    # A kind that is added brings its source model in a folder of its own.
    return fingerprint_of((*argusic.records.__path__, *sources.__path__))


@cache
def fingerprint_of(folders: tuple[str, ...]) -> str:
    """Return a digest of the models in some folders, and of what reads them, as they were when it was first asked."""
    digest = hashlib.sha256(pydantic.VERSION.encode())
    models = sorted({path for folder in folders for path in Path(folder).rglob("*.py")})
    for path in (*models, Path(codec.__file__), Path(reading.__file__), Path(__file__)):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


class RecordCache:
    """The cache below one folder, for the database at one root."""

    def __init__(self, folder: Path, root: Path) -> None:
        self._folder = folder / f"records-{schema_fingerprint()}"
        self._root = root

    def load(self, model: type[R], blobs: Iterable[str]) -> dict[str, R]:
        """Return the cached records of `blobs`, those that can be trusted."""
        found: dict[str, R] = {}
        with suppress(_Unusable), self._open() as connection:
            for batch in _batches(blobs):
                keys = [f"{model.__name__}:{blob}" for blob in batch]
                for key, body, check in _select(connection, "key, body, sum FROM record WHERE key", keys):
                    record = _trusted(model, key, body, check)
                    if record is not None:
                        found[key.partition(":")[2]] = record
        return found

    def store(self, model: type[R], records: Mapping[str, R]) -> None:
        """Keep records by the blob id of the file that they were read from."""
        rows = []
        for blob, record in records.items():
            key, body = f"{model.__name__}:{blob}", record.model_dump_json(by_alias=True).encode()
            rows.append((key, body, _sum(key, body)))
        with suppress(_Unusable), self._open() as connection:
            connection.executemany("INSERT OR REPLACE INTO record VALUES (?, ?, ?)", rows)

    def known_blobs(self, stamps: Mapping[str, Stamp]) -> dict[str, str]:
        """Return the blob ids of those paths whose stamp is unchanged since it was remembered."""
        found: dict[str, str] = {}
        with suppress(_Unusable), self._open() as connection:
            for batch in _batches(stamps):
                full = {self._name(path): path for path in batch}
                for name, stamp, blob, check in _select(
                    connection, "path, stamp, blob, sum FROM seen WHERE path", list(full)
                ):
                    path = full[name]
                    if stamp == _stamp_text(stamps[path]) and check == _sum(name, f"{stamp} {blob}".encode()):
                        found[path] = blob
        return found

    def remember_blobs(self, blobs: Mapping[str, str], stamps: Mapping[str, Stamp]) -> None:
        """Remember the blob ids of files with their stamps."""
        rows = []
        for path, blob in blobs.items():
            name, stamp = self._name(path), _stamp_text(stamps[path])
            rows.append((name, stamp, blob, _sum(name, f"{stamp} {blob}".encode())))
        with suppress(_Unusable), self._open() as connection:
            connection.executemany("INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?)", rows)

    def _name(self, path: str) -> str:
        """Return what a file is called here, which is text whatever bytes its name is made of."""
        return os.fsencode(self._root / path).decode("utf-8", "backslashreplace")

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Open a connection for one question and commit at its end, so that threads and forks never share one."""
        try:
            if not self._folder.is_dir():
                self._begin()
            with closing(sqlite3.connect(self._folder / "cache.sqlite3", timeout=20)) as connection:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA synchronous=NORMAL")
                connection.executescript(_TABLES)
                with connection:
                    yield connection
        except (sqlite3.OperationalError, OSError):
            raise _Unusable from None  # Locked for too long, a full disk, a folder that cannot be written.
        except (sqlite3.DatabaseError, UnicodeDecodeError):
            _discard(self._folder)
            raise _Unusable from None

    def _begin(self) -> None:
        """Make the folder, and clear away those of programs with other models."""
        for old in self._folder.parent.glob("records-*"):
            _discard(old)
        self._folder.mkdir(parents=True, exist_ok=True)


class _Unusable(Exception):
    """The cache cannot be used now; the caller does without."""


def _discard(folder: Path) -> None:
    """Remove a cache folder in one step for everyone else: a journal must never meet another database."""
    gone = folder.with_name(f"discarded-{secrets.token_hex(8)}")
    with suppress(OSError):
        folder.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)


def _select(connection: sqlite3.Connection, what: str, keys: Sequence[str]) -> sqlite3.Cursor:
    return connection.execute(f"SELECT {what} IN ({','.join('?' * len(keys))})", keys)


def _trusted(model: type[R], key: str, body: object, check: object) -> R | None:
    if not isinstance(body, bytes) or check != _sum(key, body):
        return None
    try:
        return model.model_validate_json(body)
    except ValidationError:
        return None


def _sum(key: str, body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=16, key=hashlib.blake2b(key.encode(), digest_size=32).digest()).digest()


def _stamp_text(stamp: Stamp) -> str:
    return " ".join(map(str, stamp))


def _batches(items: Iterable[str]) -> Iterator[list[str]]:
    iterator = iter(items)
    while batch := list(islice(iterator, _BATCH)):
        yield batch
