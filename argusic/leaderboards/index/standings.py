"""A whole index at one date: where every model and benchmark stands, and how sure that is.

What the committed ranking is written from and the site's pages are drawn from: both show the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from argusic.leaderboards.index.connecting import Connectivity
from argusic.leaderboards.index.facts import Benchmark, Category, Model, Result
from argusic.leaderboards.index.fitting import Fit
from argusic.leaderboards.index.validation.halves import Halves

#: What a rank is among: the open models that pass the gate, or all that do.
Field = Literal["open", "all"]


@dataclass(frozen=True)
class Placed:
    """One result of a model as the index sees it.

    Attributes:
        result: The published result, the best variant of its benchmark.
        normalised: From 0 (the baseline) to 1 (the ceiling), clipped.
        counts: Whether its benchmark is in the panel.
        expected: What the fit expects there; None where the benchmark does not count.
        pull: By how many points of score the model moves up by this result, against being estimated without it,
            the benchmarks' parameters held; None where the benchmark does not count.
    """

    result: Result
    normalised: float
    counts: bool
    expected: float | None
    pull: float | None


@dataclass(frozen=True)
class Range:
    """A range of 90 % of a score, in points."""

    low: float
    high: float


@dataclass(frozen=True)
class DomainScore:
    """A model's score from the benchmarks of one category alone, on the overall scale.

    Attributes:
        score: The score.
        conditional: Its range with the benchmarks' parameters as they are held.
        benchmarks: From how many benchmarks; at least two.
    """

    score: float
    conditional: Range
    benchmarks: int


@dataclass(frozen=True)
class Rank:
    """What a model's rank is worth.

    Attributes:
        place: Its place by score alone, from 1.
        low: The best rank of its interval of 90 %.
        high: The worst.
        group: The rank group, from 1: its first is behind the first of the group before in at least 95 % of the
            draws, and ahead of the others of its own group in fewer.
        known: Whether its order with every other model holds in at least 95 % of the draws, so that it has a place.
        ahead_of_next: In which share of the draws it is ahead of the next model; None for the last.
    """

    place: int
    low: int
    high: int
    group: int
    known: bool
    ahead_of_next: float | None


@dataclass(frozen=True)
class ModelStanding:
    """One model.

    Attributes:
        model: Who.
        refused: Why it has no score, in a sentence; None where it passes the gate.
        theta: Its ability. Below the gate too, where it is shown nowhere.
        score: 100 + 25 theta.
        conditional: Range with the benchmarks' parameters as they are held.
        joint: Range with those as uncertain as the data leave them.
        ranks: Its rank in each field that it belongs to; empty below the gate.
        domains: By category, where it has at least two benchmarks; empty below the gate.
        results: Every result, sorted by benchmark.
    """

    model: Model
    refused: str | None
    theta: float
    score: float
    conditional: Range
    joint: Range
    ranks: Mapping[Field, Rank]
    domains: Mapping[Category, DomainScore]
    results: tuple[Placed, ...]

    @property
    def counted(self) -> int:
        """How many of its results count."""
        return sum(placed.counts for placed in self.results)


@dataclass(frozen=True)
class Liveness:
    """Why a benchmark is in the panel or not: the three dates, and how many recent results it has.

    Attributes:
        open_result: The newest day of a run of an open model.
        external_result: The newest day of a run of a model that is not known to be open.
        open_release: The newest release of an open model that has a result.
        kept_by: Which of these keep it: those at most 365 days before the panel's date.
        recent: How many results were run within those days.
        active: Whether it counts under the rule in force.
        left_out: Why it does not, in a sentence; None where it counts.
    """

    open_result: date | None
    external_result: date | None
    open_release: date | None
    kept_by: tuple[str, ...]
    recent: int
    active: bool
    left_out: str | None


@dataclass(frozen=True)
class BenchmarkStanding:
    """One benchmark.

    Attributes:
        benchmark: Which.
        liveness: Why it counts or not.
        difficulty: b, in units of ability; None where it does not count.
        discrimination: a; None where it does not count.
        anchored: Whether these are held by the reference.
        results: How many models have a result.
        clipped_low: How many results were below the baseline.
        clipped_high: How many were above the ceiling.
        at_edge: The share of normalised results that are exactly 0 or 1.
        rmse: Root mean square of its residuals, from 0 to 1; None where it does not count.
        free_difficulty: b in a fit that holds nothing, for comparison (drift); None where it does not count.
        free_discrimination: a there.
    """

    benchmark: Benchmark
    liveness: Liveness
    difficulty: float | None
    discrimination: float | None
    anchored: bool
    results: int
    clipped_low: int
    clipped_high: int
    at_edge: float
    rmse: float | None
    free_difficulty: float | None
    free_discrimination: float | None


@dataclass(frozen=True, eq=False)
class Index:
    """The index at a date.

    Attributes:
        date: The panel's date, which is recorded and not today's.
        reference: The frozen reference that anchors it, or None.
        reference_sha256: Its hash, or None.
        published: Which range is the published one.
        fit: The fit behind it.
        models: Every model with a result that counts, the highest score first, equals by name.
        others: Names of models that have results, none of which counts.
        benchmarks: Every accuracy benchmark by id, those outside the panel too.
        components: How many pieces the graph of models and benchmarks falls into.
        halves: What the ranges cover, by halves of the same results that know nothing of each other.
        warnings: Where a prior would pose as a measurement, each a sentence.
        connectivity: How the graph of models and benchmarks holds together.
    """

    date: date
    reference: str | None
    reference_sha256: str | None
    published: Literal["conditional", "joint"]
    fit: Fit
    models: tuple[ModelStanding, ...]
    others: tuple[str, ...]
    benchmarks: tuple[BenchmarkStanding, ...]
    components: int
    halves: Halves
    warnings: tuple[str, ...]
    connectivity: Connectivity = field(default_factory=Connectivity)
