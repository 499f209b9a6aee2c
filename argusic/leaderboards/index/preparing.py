"""From what was published to what is fitted: one result to a model and benchmark, on one scale, of those that count."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from argusic.errors import InputError
from argusic.leaderboards.index.facts import Benchmark, Facts, Result
from argusic.leaderboards.index.panel import PanelRule as PanelRule
from argusic.leaderboards.index.panel import liveness
from argusic.leaderboards.index.reading import cells
from argusic.leaderboards.index.responses import Responses
from argusic.leaderboards.index.standings import Liveness

#: A benchmark is dropped when more than this share of its normalised results is exactly 0 or 1.
MOST_AT_EDGE: Final = 0.25

#: Scores this near to one another are the same, on the scale from 0 to 1: sources round.
SAME: Final = 1e-6


@dataclass(frozen=True)
class Chosen:
    """The result that a model has on a benchmark, of all that were published.

    Attributes:
        result: It.
        normalised: From 0 (the baseline) to 1 (the ceiling), clipped.
        counts: Whether its benchmark is in the panel.
    """

    result: Result
    normalised: float
    counts: bool


@dataclass(frozen=True, eq=False)
class Prepared:
    """What is fitted at a date, and what became of the rest.

    Attributes:
        responses: The results that count.
        chosen: Every chosen result on an accuracy benchmark, sorted by benchmark and model.
        relative: Every chosen result on a relative benchmark, in its own unit, sorted alike. They are not fitted.
        liveness: Of every accuracy benchmark that has a result, by id.
        clipped_low: How many of its chosen results were below the baseline, by id.
        clipped_high: How many were above the ceiling, by id.
        at_edge: The share of its normalised results that are exactly 0 or 1, by id.
        sources: The sources whose results were used, sorted.
        rule: The rule in force.
    """

    responses: Responses
    chosen: tuple[Chosen, ...]
    relative: tuple[Result, ...]
    liveness: Mapping[str, Liveness]
    clipped_low: Mapping[str, int]
    clipped_high: Mapping[str, int]
    at_edge: Mapping[str, float]
    sources: tuple[str, ...]
    rule: PanelRule


def prepare(facts: Facts, rule: PanelRule, sources: Collection[str] | None = None) -> Prepared:
    """Choose, normalise and clip results, and say which benchmarks count.

    A result from after the panel's date is not used, nor one without a day from a copy that was taken after it.

    Args:
        facts: Everything that was imported.
        rule: Which benchmarks count.
        sources: Ids of the sources to use; None for all.

    Raises:
        InputError: A named source has no results here.
    """
    _check(facts, sources)
    usable = [
        result
        for result in facts.results
        if (sources is None or result.source in sources)
        and (result.as_of or facts.sources[result.source].snapshot) <= rule.date
    ]
    live: dict[str, Liveness] = {}
    low: dict[str, int] = {}
    high: dict[str, int] = {}
    edge: dict[str, float] = {}
    chosen: list[Chosen] = []
    relative: list[Result] = []
    for name, of_benchmark in groupby(usable, key=lambda result: result.benchmark):
        benchmark, published = facts.benchmarks[name], list(of_benchmark)
        best = [best_variant(list(of_model), benchmark) for _, of_model in groupby(published, key=lambda r: r.model)]
        if benchmark.kind == "relative":
            relative.extend(best)
            continue
        raw = [normalised(result.score, benchmark) for result in best]
        low[name], high[name] = sum(score < 0 for score in raw), sum(score > 1 for score in raw)
        clipped = [min(max(score, 0.0), 1.0) for score in raw]
        edge[name] = sum(score in (0, 1) for score in clipped) / len(clipped)
        found = liveness(published, facts.models, rule)
        live[name] = _dropped(found, edge[name]) if edge[name] > MOST_AT_EDGE else found
        chosen.extend(Chosen(*pair, live[name].active) for pair in zip(best, clipped, strict=True))
    rows = [(one.result.model, one.result.benchmark, one.normalised) for one in chosen if one.counts]
    responses = Responses.of_rows(rows)
    return Prepared(
        responses,
        tuple(chosen),
        tuple(relative),
        live,
        low,
        high,
        edge,
        tuple(sorted({result.source for result in usable})),
        rule,
    )


def best_variant(published: Collection[Result], benchmark: Benchmark) -> Result:
    """Return the one result that stands for a model on a benchmark: the highest that was published.

    Of equal ones (a source may round, and may clip at the baseline), that of the source which the benchmark's
    results are taken from; then the newest.
    """
    worth = {id(result): _worth(result, benchmark) for result in published}
    highest = max(worth.values())
    equal = [result for result in published if worth[id(result)] >= highest - SAME]

    def order(result: Result) -> tuple[object, ...]:
        as_of = result.as_of.isoformat() if result.as_of else ""
        return (result.source == benchmark.source, as_of, result.score, result.source, result.version, result.variant)

    return max(equal, key=order)


def _worth(result: Result, benchmark: Benchmark) -> float:
    if benchmark.kind == "relative":
        return result.score
    return min(max(normalised(result.score, benchmark), 0.0), 1.0)


def normalised(score: float, benchmark: Benchmark) -> float:
    """Return a score with the benchmark's baseline at 0 and its ceiling at 1; others may lie outside.

    Raises:
        ValueError: The benchmark is relative.
    """
    if benchmark.baseline is None or benchmark.ceiling is None:
        raise ValueError(f"{benchmark.benchmark} is relative: it has no baseline and no ceiling")
    return (score - benchmark.baseline) / (benchmark.ceiling - benchmark.baseline)


def _dropped(found: Liveness, share: float) -> Liveness:
    why = (
        f"Of its normalised results, {share:.1%} are exactly 0 or 1, and {MOST_AT_EDGE:.0%} is the most: "
        "its baseline or its ceiling is likely wrong."
    )
    return replace(found, active=False, left_out=f"{found.left_out} {why}" if found.left_out else why)


def _check(facts: Facts, sources: Collection[str] | None) -> None:
    there = {result.source for result in facts.results}
    for source in sorted(sources or ()):
        if source not in there:
            raise InputError(cells.unknown("source with results", source, sorted(there)))
