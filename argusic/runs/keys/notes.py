"""Which keys were asked for, written down before they are: whatever dies then, the next sweep knows where to look.

A note lies outside of the attempt's folder, because it outlives it: it goes when the key's deletion is confirmed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from argusic.database.atomic import write_file
from argusic.database.codec import dump, read_record
from argusic.database.database import Database
from argusic.errors import InputError
from argusic.records.base import Record, RunId, UtcTime
from argusic.records.configuration import KeyUsed, ModelUsed

_FOLDER: Final = "keys"


class Note(Record):
    """A key that was asked for. No secret is in it."""

    run: RunId
    """The run that it is for."""
    key: KeyUsed
    """Who issues it."""
    model_url: str
    """The endpoint of the model, by which the provider is found where it has no address of its own."""
    asked: UtcTime
    """When it was asked for."""
    expires: UtcTime
    """When it dies by itself."""


class Notes:
    """The notes of one checkout.

    Args:
        folder: Where they lie.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def of(cls, database: Database) -> Notes:
        """Return those of a database."""
        return cls(database.work.parent / _FOLDER)

    def write(self, run: str, key: KeyUsed, model: ModelUsed, asked: UtcTime, expires: UtcTime) -> None:
        """Write down that a key is about to be asked for."""
        note = Note(run=run, key=key, model_url=model.url, asked=asked, expires=expires)
        write_file(self._path(run), dump(note), replace=True)

    def remove(self, run: str) -> None:
        """Forget a key that is gone for certain. Safe to call twice."""
        self._path(run).unlink(missing_ok=True)

    def all(self) -> list[Note]:
        """Return every note, by run."""
        found = []
        for path in sorted(self._folder.glob("*.yaml")) if self._folder.is_dir() else ():
            try:
                found.append(read_record(path, Note))
            except InputError:
                if path.exists():  # Another sweep may just have removed it.
                    raise
        return found

    def _path(self, run: str) -> Path:
        return self._folder / f"{run}.yaml"
