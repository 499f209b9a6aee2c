"""What the page of one benchmark shows: its curve with the models on it, and what keeps it in the panel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from argusic.leaderboards.index.facts import Result, Source
from argusic.leaderboards.index.fitting import ORIGIN, UNIT
from argusic.leaderboards.index.panel import DATES, Kept
from argusic.leaderboards.index.standings import BenchmarkStanding, ModelStanding, Placed
from argusic.site.index.contents import Contents, clipped
from argusic.site.index.drawing import Box, axis_of

#: The liveness rule's dates, as `Liveness.kept_by` names them, in words.
KEPT_BY: Final[Mapping[Kept, str]] = {
    "open result": "the newest run of an open model",
    "external result": "the newest result of another model",
    "open release": "the newest release of an open model that has a result",
}


#: The same where there is little room.
SHORT: Final[Mapping[Kept, str]] = {
    "open result": "open run",
    "external result": "other run",
    "open release": "open release",
}


@dataclass(frozen=True)
class Point:
    """A model on a benchmark's curve.

    Attributes:
        model: Its name.
        x: How far from the left.
        y: How far from the top.
        open_weights: Whether it is known to be open.
        score: Its score.
        normalised: Its result, from 0 to 1.
    """

    model: str
    x: float
    y: float
    open_weights: bool
    score: float
    normalised: float


@dataclass(frozen=True)
class ShownRow:
    """A model's result in the table of a benchmark's page.

    Attributes:
        standing: The model's standing; None where none of its results counts.
        result: The published result.
        normalised: From 0 (the baseline) to 1 (the ceiling), clipped.
        expected: What the fit expects there; None where it says nothing.
        residual: What the result is above that.
    """

    standing: ModelStanding | None
    result: Result
    normalised: float
    expected: float | None
    residual: float | None


@dataclass(frozen=True)
class ShownBenchmark:
    """One benchmark's page.

    Attributes:
        standing: Its standing.
        source: Where its results come from.
        licence: The licence of its results.
        rows: The results, the highest first.
        box: The box that the curve is drawn in.
        curve: The curve, as a path; None where it does not count.
        free: The curve of a fit that holds nothing; None where there is none, or where it is the same.
        points: The models that have a score, on it.
    """

    standing: BenchmarkStanding
    source: Source
    licence: str
    rows: tuple[ShownRow, ...]
    box: Box
    curve: str | None
    free: str | None
    points: tuple[Point, ...]

    @property
    def middle(self) -> float:
        """Where the score lies at which half of the scale is expected, in the box."""
        return self.box.x(ORIGIN + UNIT * (self.standing.difficulty or 0.0))

    @property
    def drift(self) -> float | None:
        """By how many points its difficulty lies higher in a fit that holds nothing; None where nothing is held."""
        free, held = self.standing.free_difficulty, self.standing.difficulty
        return UNIT * (free - held) if free is not None and held is not None and self.standing.anchored else None

    @property
    def dates(self) -> tuple[tuple[str, date | None, bool], ...]:
        """The dates of the rule in words, each with whether it keeps the benchmark in the panel."""
        live = self.standing.liveness
        return tuple((KEPT_BY[name], getattr(live, field), name in live.kept_by) for name, field in DATES.items())


def shown_benchmark(contents: Contents, standing: BenchmarkStanding, rows: tuple[ShownRow, ...]) -> ShownBenchmark:
    """Return what the page of a benchmark shows.

    Args:
        contents: Everything.
        standing: Its standing.
        rows: Its results, from `rows_of`.
    """
    box = Box(axis_of(contents.index))
    source = contents.facts.sources[standing.benchmark.source]
    said = standing.benchmark.licence
    points = [_point(box, row) for row in rows if row.standing is not None and row.standing.refused is None]
    return ShownBenchmark(
        standing=standing,
        source=source,
        licence=source.licence if said == "as the source" else said,
        rows=rows,
        box=box,
        curve=_curve(box, standing.difficulty, standing.discrimination),
        free=_curve(box, standing.free_difficulty, standing.free_discrimination),
        points=tuple(point for point in points if point is not None),
    )


def rows_of(contents: Contents) -> dict[str, tuple[ShownRow, ...]]:
    """Return the rows of every accuracy benchmark's table, in one pass over the models."""
    found: dict[str, list[ShownRow]] = {benchmark: [] for benchmark in contents.by_benchmark}
    for standing in contents.index.models:
        for placed in standing.results:
            if placed.result.benchmark in found:
                found[placed.result.benchmark].append(_row(standing, placed))
    for name in contents.index.others:
        for result in contents.best_of(name):
            if result.benchmark in found:
                share = clipped(result.score, contents.facts.benchmarks[result.benchmark])
                found[result.benchmark].append(ShownRow(None, result, share, None, None))
    return {
        benchmark: tuple(sorted(rows, key=lambda row: (-row.result.score, row.result.model, row.result.row)))
        for benchmark, rows in found.items()
    }


def _row(standing: ModelStanding, placed: Placed) -> ShownRow:
    expected = placed.expected if standing.refused is None else None
    residual = placed.normalised - expected if expected is not None else None
    return ShownRow(standing, placed.result, placed.normalised, expected, residual)


def _curve(box: Box, difficulty: float | None, discrimination: float | None) -> str | None:
    return None if difficulty is None or discrimination is None else box.curve(difficulty, discrimination)


def _point(box: Box, row: ShownRow) -> Point | None:
    if row.standing is None:
        return None
    score = row.standing.score
    is_open = row.standing.model.open_weights is True
    return Point(row.result.model, box.x(score), box.y(row.normalised), is_open, score, row.normalised)
