"""Files of results: one to a source, each row held against the tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from argusic.errors import InputError
from argusic.leaderboards.index.facts import Benchmark, Result, Source
from argusic.leaderboards.index.reading import cells
from argusic.leaderboards.index.reading.rows import Row, read_rows
from argusic.leaderboards.index.reading.tables import UNITS

#: The folder of the files of results.
RESULTS: Final = "results"
COLUMNS: Final = ("benchmark", "version", "score", "as_of", "variant", "low", "high")


def read_results(
    path: Path, source: Source, benchmarks: Mapping[str, Benchmark], names: Mapping[str, str]
) -> list[Result]:
    """Return the results of a file, in its order.

    A file names models as their source does. Which model that is, the table of models says, so that what is learnt of
    a name later changes no file of results.

    Args:
        path: The file.
        source: Whose results it holds.
        benchmarks: The benchmarks by id.
        names: The models' names by every name that the tables know.

    Raises:
        InputError: It cannot be read, or a row of it cannot be used.
    """
    found: list[Result] = []
    first: dict[tuple[object, ...], Result] = {}
    for row in read_rows(path, COLUMNS):
        result = _result(row, source, benchmarks, names)
        key = (result.benchmark, result.version, result.variant, result.as_of)
        before = first.setdefault(key, result)
        if before is not result:
            same = (before.score, before.low, before.high) == (result.score, result.low, result.high)
            what = f"{result.version} on {result.benchmark} stands in line {before.row} already"
            raise InputError(f"{what}." if same else f"{what}, with another score.", place=row.place())
        found.append(result)
    return found


def _result(row: Row, source: Source, benchmarks: Mapping[str, Benchmark], names: Mapping[str, str]) -> Result:
    benchmark, version = cells.text(row, "benchmark"), cells.name(row, "version")
    if benchmark not in benchmarks:
        what = cells.unknown("benchmark", benchmark, sorted(benchmarks))
        raise InputError(what, place=row.place("benchmark"))
    if version not in names:
        raise InputError(cells.unknown("model", version, sorted(names)), place=row.place("version"))
    policy = benchmarks[benchmark]
    score, low, high = cells.number(row, "score"), cells.number_or_none(row, "low"), cells.number_or_none(row, "high")
    refusal = refused_score(policy, score, low, high)
    if refusal is not None:
        raise InputError(refusal, place=row.place("score"))
    as_of = cells.day_or_none(row, "as_of")
    if as_of is not None and as_of > source.snapshot:
        what = f"{as_of} is after the copy was taken, {source.snapshot}."
        raise InputError(what, place=row.place("as_of"))
    return Result(
        model=names[version],
        benchmark=benchmark,
        score=score,
        as_of=as_of,
        source=source.source,
        version=version,
        variant=row.cells["variant"],
        row=row.line,
        low=low,
        high=high,
    )


def refused_score(policy: Benchmark, score: float, low: float | None, high: float | None) -> str | None:
    """Return why a score cannot be one of a benchmark, in a sentence, or None."""
    least, most = UNITS[policy.unit]
    for value in (score, low, high):
        if value is not None and not least <= value <= most:
            what = f"{value:g} is not between {least:g} and {most:g}"
            return f"{what}, the unit of {policy.benchmark} ({policy.unit})."
    if (low is None) != (high is None):
        return "has one end of a range, and not the other."
    if low is not None and high is not None and not low <= score <= high:
        return f"{score:g} is not in its range, {low:g} to {high:g}."
    return None
