"""Nothing that is committed poses as the program's own memory, which it believes because nobody else writes there."""

from __future__ import annotations

from collections.abc import Iterator

from argusic.database.database import Database
from argusic.errors import Finding, Place


def check_own_folder(database: Database) -> Iterator[Finding]:
    """Yield what git tracks of `.argusic/`: caches of records and derivations, and evidence."""
    if database.git is not None:
        for entry in database.git.tracked(".argusic"):
            yield Finding(Place(entry.path), "is committed, and lies in .argusic/, which each checkout has of its own.")
