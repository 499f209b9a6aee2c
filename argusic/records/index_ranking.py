"""The composite index at a date, as it is published: derived from the results, never edited."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from argusic.records.base import Day, Items, Part, Record, ReferenceId, Sha256, Slug, Text

_Count = Annotated[int, Field(ge=0)]
_Share = Annotated[float, Field(ge=0, le=1)]
_Place = Annotated[int, Field(ge=1)]
CategoryWord = Literal[
    "agents", "coding", "data", "instruction", "knowledge", "language", "long-context", "math", "preference",
    "reasoning", "science", "vision",
]  # fmt: skip


class Span(Part):
    """A range of 90 % of a score, in points."""

    low: float
    high: float


class RankShown(Part):
    """What a model's rank is worth."""

    place: _Place
    """Its place by score alone."""
    low: _Place
    """The best rank of its interval of 90 %."""
    high: _Place
    """The worst."""
    group: _Place
    """The rank group: those after its first are not told apart from it, and it is told apart from the first before."""
    known: bool
    """Whether its order with every other model holds often enough, so that it has a place."""
    ahead_of_next: _Share | None = None
    """In which share of the draws it is ahead of the next model; absent for the last."""


class RanksShown(Part):
    """A model's rank in each field that it belongs to."""

    all: RankShown
    """Among all models that pass the gate."""
    open: RankShown | None = None
    """Among those whose weights can be had."""


class DomainShown(Part):
    """A score from the benchmarks of one category alone."""

    category: CategoryWord
    """The category."""
    score: float
    """The score, on the overall scale."""
    conditional: Span
    """Its range, the benchmarks' parameters held."""
    benchmarks: Annotated[int, Field(ge=2)]
    """From how many benchmarks."""


class RankedModel(Part):
    """One model with a result that counts."""

    model: Text
    """Its name."""
    refused: Text | None = None
    """Why it has no score; absent where it passes the gate."""
    theta: float | None = None
    """Its ability; absent below the gate, like all that follows from it."""
    score: float | None = None
    """100 + 25 theta."""
    conditional: Span | None = None
    """Its range with the benchmarks' parameters as they are held."""
    joint: Span | None = None
    """Its range with those as uncertain as the data leave them."""
    ranks: RanksShown | None = None
    """What its rank is worth."""
    domains: Items[DomainShown] = ()
    """Its scores by category, where it has at least two benchmarks."""
    results: dict[Slug, _Share]
    """Its results that count, from 0 (the random guess) to 1 (the ceiling), by benchmark."""


class RankedBenchmark(Part):
    """One benchmark of the panel."""

    benchmark: Slug
    """Its id."""
    difficulty: float
    """b, in units of ability."""
    discrimination: float
    """a."""
    anchored: bool
    """Whether these are held by the reference or an addendum."""
    results: _Count
    """How many models have a result."""
    rmse: _Share
    """The root of the mean square of its residuals."""
    free_difficulty: float
    """b in a fit that holds nothing."""
    free_discrimination: float
    """a there."""


class LeftOut(Part):
    """A benchmark that is not in the panel."""

    benchmark: Slug
    """Its id."""
    reason: Text
    """Why it does not count."""


class Cut(Part):
    """Something whose loss would split the graph of models and benchmarks."""

    benchmark: Slug | None = None
    """The benchmark; with `model`, that model's result on it."""
    model: Text | None = None
    """The model, with all of its results where no benchmark is named."""
    cuts_off: Items[Slug]
    """The benchmarks that would no longer be connected with the others."""


class Connections(Part):
    """How the results tie models and benchmarks to one scale."""

    components: _Count
    """How many pieces the graph falls into; one where everything is connected."""
    cuts: Items[Cut] = ()
    """What alone holds two pieces of it together."""
    hanging: _Count
    """How many models have one result that counts, and hang on its benchmark."""


class CoveredShown(Part):
    """How often ranges of 90 % held the difference of two halves that know nothing of each other."""

    share: _Share
    """The share that they held."""
    ablest: _Share
    """The share among the ablest 15 % of the models."""
    pairs: _Count
    """How many differences were looked at."""


class Coverage(Part):
    """What the ranges cover. Each is absent where no model has results enough to be halved."""

    settled: CoveredShown | None = None
    """The conditional range between halves of a model's results, the benchmarks' parameters being those of all."""
    conditional: CoveredShown | None = None
    """The conditional range between halves of the benchmarks, everything fitted in each."""
    joint: CoveredShown | None = None
    """The joint range between the same."""


class Ranking(Record):
    """The index at a date."""

    date: Day
    """The ranking's date."""
    reference: ReferenceId | None = None
    """The reference that holds its scale."""
    reference_sha256: Sha256 | None = None
    """Its digest."""
    published: Literal["conditional", "joint"]
    """Which range stands beside a score."""
    data: Sha256
    """Of the rows that were fitted: model, benchmark, result from 0 to 1."""
    results: _Count
    """How many results count."""
    open_ranked: _Count
    """How many models pass the gate whose weights can be had."""
    ranked: _Count
    """How many pass it."""
    rmse: _Share
    """The root of the mean square of the residuals."""
    coverage: Coverage
    """What the ranges cover."""
    warnings: Items[Text] = ()
    """Where a prior would pose as a measurement, and what else a reader should know."""
    connections: Connections
    """Whether it is one scale."""
    benchmarks: Items[RankedBenchmark]
    """The panel, by id."""
    left_out: Items[LeftOut] = ()
    """The benchmarks that do not count, by id."""
    models: Items[RankedModel]
    """The models: by score, then those below the gate by name."""
