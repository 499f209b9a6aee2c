"""Imports a copy of a source: read, named, held against the tables, and written as one file of results."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from argusic.database.atomic import write_file
from argusic.errors import InputError, Place
from argusic.leaderboards.index.facts import Benchmark, Source
from argusic.leaderboards.index.importing.aider import read_aider
from argusic.leaderboards.index.importing.arena import read_arena
from argusic.leaderboards.index.importing.epoch_eci import read_epoch_eci
from argusic.leaderboards.index.importing.epoch_hub import read_epoch_hub
from argusic.leaderboards.index.importing.evalplus import read_evalplus
from argusic.leaderboards.index.importing.livebench import read_livebench
from argusic.leaderboards.index.importing.naming import Named, named, told_apart
from argusic.leaderboards.index.importing.plain import read_plain
from argusic.leaderboards.index.importing.raw import Gathered
from argusic.leaderboards.index.reading import cells
from argusic.leaderboards.index.reading.results import COLUMNS, RESULTS, refused_score
from argusic.leaderboards.index.reading.rows import MAX_CELL, read_bytes
from argusic.leaderboards.index.reading.tables import (
    BENCHMARKS,
    MODELS,
    SOURCES,
    read_benchmarks,
    read_models,
    read_sources,
)

Read = Callable[[Path, dict[str, Benchmark]], Gathered]
#: The readers by what they read.
READERS: Final[Mapping[str, Read]] = {
    "aider": read_aider,
    "epoch-eci": read_epoch_eci,
    "epoch-hub": read_epoch_hub,
    "evalplus": read_evalplus,
    "livebench": read_livebench,
    "plain": read_plain,
}
FORMATS: Final = (*sorted(READERS), "arena")
#: Digits after the point of a score that are kept: more than any source is sure of.
_DIGITS: Final = 9


@dataclass(frozen=True)
class Imported:
    """What became of an import.

    Attributes:
        source: The source.
        path: The file of results.
        written: Whether it was written, and not there already with the same content.
        results: How many results it holds.
        models: Of how many models.
        benchmarks: On how many benchmarks.
        repeated: How many rows were the same as another in all.
        left_out: How many rows were not taken, by why.
        unknown: How many results of each version that is no model of the tables were left out.
    """

    source: Source
    path: Path
    written: bool
    results: int
    models: int
    benchmarks: int
    repeated: int
    left_out: Mapping[str, int]
    unknown: Mapping[str, int]


def imported(form: str, copy: Path, source: str, root: Path, own: Path, *, known_only: bool = False) -> Imported:
    """Make the file of results of a source out of a copy of it.

    It lies with the tables where the source's licence lets a repository hold it, else among the user's own. It is
    written whole or not at all, and one that is there already with other content is never replaced.

    Args:
        form: Which form the copy has, one of `FORMATS`.
        copy: The file or folder.
        source: The id of the source in the tables.
        root: The folder of the index's data.
        own: The folder of the user's own files of results.
        known_only: Whether results of models that the tables do not know are left out, and not refused.

    Raises:
        InputError: The copy is not what the tables say, something in it cannot be used, or the file is there already
            with other content.
    """
    sources = read_sources(root / SOURCES)
    if source not in sources:
        raise InputError(cells.unknown("source", source, sorted(sources)), advice=f"Add it to {root / SOURCES}.")
    benchmarks = read_benchmarks(root / BENCHMARKS, sources)
    models = read_models(root / MODELS)
    of = sources[source]
    gathered = _gathered(form, copy, of, benchmarks)
    if gathered.sha256 != of.sha256:
        what = f"is not the copy that {SOURCES} has as {source!r}: its SHA-256 is {gathered.sha256}."
        advice = "Another copy is another source, with a row of its own."
        raise InputError(what, place=Place(copy), advice=advice)
    unknown: Counter[str] = Counter()
    rows, repeated = told_apart(named(gathered.raws, models, known_only=known_only, unknown=unknown), of)
    if not rows:
        raise InputError("holds no result that can be taken.", place=Place(copy))
    _check(rows, benchmarks)
    path = (root / RESULTS if of.redistributable else own) / f"{source}.csv"
    if of.redistributable and path.parent.is_symlink():
        what = "is a symbolic link; what a repository holds is never written through one."
        raise InputError(what, place=Place(path.parent))
    return Imported(
        source=of,
        path=path,
        written=_stored(path, _text(rows)),
        results=len(rows),
        models=len({row.model for row in rows}),
        benchmarks=len({row.raw.benchmark for row in rows}),
        repeated=repeated,
        left_out=dict(sorted(gathered.left_out.items())),
        unknown=dict(sorted(unknown.items())),
    )


def _gathered(form: str, copy: Path, source: Source, benchmarks: dict[str, Benchmark]) -> Gathered:
    if form != "arena":
        return READERS[form](copy, benchmarks)
    rated = [one.benchmark for one in benchmarks.values() if one.source == source.source and one.kind == "relative"]
    if len(rated) != 1:
        raise InputError(
            f"The source {source.source!r} has {len(rated)} relative benchmarks in the tables, and not one."
        )
    return read_arena(copy, benchmarks, rated[0], source.snapshot)


def _check(rows: list[Named], benchmarks: Mapping[str, Benchmark]) -> None:
    """Hold each result against the tables, as the file's reader will, and say where in the copy it stands."""
    for row in rows:
        raw = row.raw
        policy = benchmarks.get(raw.benchmark)
        if policy is None:
            raise InputError(cells.unknown("benchmark", raw.benchmark, sorted(benchmarks)), place=raw.place)
        refusal = refused_score(policy, raw.score, raw.low, raw.high)
        if refusal is not None:
            raise InputError(refusal, place=raw.place)
        if not raw.variant.isprintable() or len(raw.variant) > MAX_CELL:
            what = f"its variant cannot be shown, or has more than {MAX_CELL} characters: {raw.variant[:80]!r}."
            raise InputError(what, place=raw.place)


def _text(rows: list[Named]) -> bytes:
    made = io.StringIO(newline="")
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(sorted(_cells(row) for row in rows))
    return made.getvalue().encode()


def _cells(row: Named) -> tuple[str, ...]:
    raw = row.raw
    as_of = raw.as_of.isoformat() if raw.as_of else ""
    return (raw.benchmark, raw.version, _number(raw.score), as_of, raw.variant, _number(raw.low), _number(raw.high))


def _number(value: float | None) -> str:
    return "" if value is None else repr(round(value, _DIGITS) + 0.0)


def _stored(path: Path, content: bytes) -> bool:
    """Write a new file; return False where it is there with this content.

    Raises:
        InputError: It is there with other content.
    """
    if path.exists() or path.is_symlink():
        if read_bytes(path) == content:
            return False
        what = "holds other results of this source already, and a file of results is never changed."
        advice = "Give another copy a source of its own, or remove the file if it was never published."
        raise InputError(what, place=Place(path), advice=advice)
    write_file(path, content, replace=False)
    return True
