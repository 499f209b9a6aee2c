"""What the page of one model shows: its standing, what pulled it up and down, and what is published beside that."""

from __future__ import annotations

from dataclasses import dataclass

from argusic.leaderboards.index.facts import Benchmark, Result, Source
from argusic.leaderboards.index.standings import DomainScore, Field, ModelStanding, Placed, Rank
from argusic.site.index.contents import Contents


@dataclass(frozen=True)
class ShownResult:
    """One result of a model on its page.

    Attributes:
        result: The result.
        benchmark: On which benchmark.
        source: Where it comes from.
        normalised: On the scale from 0 to 1; None where none is shown.
        expected: What the fit expects; None where it does not count, or where the model has no score.
        pull: By how many points the score moves by it; None likewise.
        variants: Of how many published results of the model on this benchmark it is the best.
        why_not: Why it does not count, in a sentence; None where it does.
    """

    result: Result
    benchmark: Benchmark
    source: Source
    normalised: float | None
    expected: float | None
    pull: float | None
    variants: int
    why_not: str | None

    @property
    def tone(self) -> str:
        """How its pull looks: good or bad where it can be seen, else like all text."""
        return "" if self.pull is None or abs(self.pull) < 0.05 else "good" if self.pull > 0 else "bad"

    @property
    def residual(self) -> float | None:
        """What it is above what is expected of it."""
        return None if self.expected is None or self.normalised is None else self.normalised - self.expected


@dataclass(frozen=True)
class ShownModel:
    """One model's page.

    Attributes:
        name: Its name.
        standing: Its standing; None where none of its results counts.
        counting: The results that count, what pulls it up most first.
        others: Those that do not, each with the reason, by benchmark.
        ratings: What it was given on rating boards, which never count.
    """

    name: str
    standing: ModelStanding | None
    counting: tuple[ShownResult, ...]
    others: tuple[ShownResult, ...]
    ratings: tuple[ShownResult, ...]

    @property
    def largest(self) -> float:
        """The largest pull of a result, in points; 0 where there is none."""
        return max((abs(shown.pull) for shown in self.counting if shown.pull is not None), default=0.0)

    @property
    def domains(self) -> tuple[tuple[str, DomainScore], ...]:
        """Its scores by category."""
        return tuple(self.standing.domains.items()) if self.standing is not None else ()

    def rank(self, field: Field) -> Rank | None:
        """Return its rank in a field; None where it has none."""
        return self.standing.ranks.get(field) if self.standing is not None else None


def shown_model(contents: Contents, name: str) -> ShownModel:
    """Return what the page of a model shows."""
    standing = contents.by_model.get(name)
    if standing is None:
        others = [
            _published(contents, result)
            for result in contents.best_of(name)
            if contents.facts.benchmarks[result.benchmark].kind == "accuracy"
        ]
    else:
        others = [_placed(contents, standing, one) for one in standing.results if not one.counts]
    placed = standing.results if standing is not None else ()
    counting = [_placed(contents, standing, one) for one in placed if standing is not None and one.counts]
    ratings = [
        _published(contents, result)
        for result in contents.best_of(name)
        if contents.facts.benchmarks[result.benchmark].kind == "relative"
    ]
    return ShownModel(name, standing, tuple(sorted(counting, key=_strongest)), tuple(others), tuple(ratings))


def _strongest(shown: ShownResult) -> tuple[float, str]:
    return (-(shown.pull or 0.0), shown.benchmark.benchmark)


def _placed(contents: Contents, standing: ModelStanding, one: Placed) -> ShownResult:
    scored = standing.refused is None
    return ShownResult(
        result=one.result,
        benchmark=contents.facts.benchmarks[one.result.benchmark],
        source=contents.facts.sources[one.result.source],
        normalised=one.normalised,
        expected=one.expected if scored else None,
        pull=one.pull if scored else None,
        variants=len(contents.published.get((one.result.model, one.result.benchmark), (one.result,))),
        why_not=None if one.counts else _left_out(contents, one.result.benchmark),
    )


def _published(contents: Contents, result: Result) -> ShownResult:
    return ShownResult(
        result=result,
        benchmark=contents.facts.benchmarks[result.benchmark],
        source=contents.facts.sources[result.source],
        normalised=None,
        expected=None,
        pull=None,
        variants=len(contents.published[result.model, result.benchmark]),
        why_not=_left_out(contents, result.benchmark),
    )


def _left_out(contents: Contents, benchmark: str) -> str:
    standing = contents.by_benchmark.get(benchmark)
    if standing is None:
        return "It is a rating among those who took part, which never counts."
    return standing.liveness.left_out or "It does not count."
