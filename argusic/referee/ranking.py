"""The index's part of what is derived: the newest ranking is recomputed, older ones stay as they were published.

A ranking says what was known at its date. Once a later one follows it, what is learnt of a table or a model changes the
later one alone; so nothing that readers were shown moves behind them. Numbers are loaded only where there is a ranking
to derive.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath

from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.database.paths import ranking_path, what_is

#: Where what is kept of the last derivation goes among that of cycles, none of which may be called so.
KEPT_AS = "index"


@dataclass(frozen=True)
class Rankings:
    """The rankings of a repository, without having read any.

    Attributes:
        newest: The date of the newest.
        older: Where the others lie as they were published.
        inputs: A digest of every file that feeds the index.
    """

    newest: str
    older: frozenset[PurePosixPath]
    inputs: str

    @property
    def path(self) -> PurePosixPath:
        """Where the newest lies."""
        return ranking_path(self.newest)


def rankings(database: Database) -> Rankings | None:
    """Return the rankings of a repository; None where it has none.

    Raises:
        InputError: Something stands where a file of the index should that is none.
    """
    if not (database.root / "leaderboards/index/rankings").is_dir():
        return None
    blobs = database.index_inputs()
    dates = sorted(_dates(blobs))
    if not dates:
        return None
    digest = hashlib.sha256()
    for path, blob in blobs.items():
        digest.update(f"{path}\0{blob}\n".encode("utf-8", "surrogateescape"))
    return Rankings(dates[-1], frozenset(map(ranking_path, dates[:-1])), digest.hexdigest())


def derived_ranking(database: Database, found: Rankings) -> bytes:
    """Return the file of the newest ranking.

    Raises:
        InputError: What it is made from cannot be used.
        CheckFailed: The fit came to no end.
    """
    from argusic.leaderboards.index.recorded import recorded
    from argusic.leaderboards.index.stored import read_index

    index = read_index(database, date.fromisoformat(found.newest))
    assert index is not None, "a ranking of a date that is named is there, or the error says so"
    return dump(recorded(index))


def _dates(blobs: Mapping[str, str]) -> list[str]:
    held = (what_is(path) for path in blobs)
    return [one.ids["date"] for one in held if one is not None and one.row.name == "inputs of a ranking"]
