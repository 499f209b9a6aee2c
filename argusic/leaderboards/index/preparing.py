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
from argusic.leaderboards.index.responses import Responses
from argusic.leaderboards.index.standings import Liveness

#: A benchmark is dropped when more than this share of its normalised results is exactly 0 or 1.
MOST_AT_EDGE: Final = 0.25


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

    A source whose copy was taken after the panel's date is not used: at that date, nobody had it.

    Args:
        facts: Everything that was imported.
        rule: Which benchmarks count.
        sources: Ids of the sources to use; None for all of that date.

    Raises:
        InputError: A named source is not known, has no results here, or was copied after the panel's date.
    """
    used = _sources(facts, rule, sources)
    usable = [result for result in facts.results if result.source in used]
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
        found = liveness(benchmark, published, facts.models, rule)
        live[name] = _dropped(found, edge[name]) if edge[name] > MOST_AT_EDGE else found
        chosen.extend(Chosen(*pair, live[name].active) for pair in zip(best, clipped, strict=True))
    rows = [(one.result.model, one.result.benchmark, one.normalised) for one in chosen if one.counts]
    responses = Responses.of_rows(rows)
    return Prepared(responses, tuple(chosen), tuple(relative), live, low, high, edge, tuple(sorted(used)), rule)


def best_variant(published: Collection[Result], benchmark: Benchmark) -> Result:
    """Return the one result that stands for a model on a benchmark.

    The source that the benchmark's results are taken from goes first: another source may have read it otherwise.
    Of one source's results, the highest score; of equal ones, the newest.
    """

    def worth(result: Result) -> tuple[object, ...]:
        as_of = result.as_of.isoformat() if result.as_of else ""
        return (result.source == benchmark.source, result.score, as_of, result.source, result.version, result.variant)

    return max(published, key=worth)


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


def _sources(facts: Facts, rule: PanelRule, named: Collection[str] | None) -> set[str]:
    there = {result.source for result in facts.results}
    if named is None:
        return {source for source in there if facts.sources[source].snapshot <= rule.date}
    for source in sorted(named):
        if source not in there:
            raise InputError(f"The source {source!r} has no results here.")
        if facts.sources[source].snapshot > rule.date:
            snapshot = facts.sources[source].snapshot
            raise InputError(f"The source {source!r} was copied on {snapshot}, after the panel's date, {rule.date}.")
    return set(named)
