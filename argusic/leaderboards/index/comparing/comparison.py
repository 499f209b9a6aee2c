"""The outcome of a comparison: what a page or a program shows of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Standing:
    """Where one model stands in one way's ranking.

    Attributes:
        model: Who.
        open_weights: Whether its weights can be had; None where that is not known.
        score: Its score; None where the way has none for it.
        place: Its place among all that are ranked, from 1; equals share one.
        place_open: Its place among the open ones; None where it is not one of them.
        benchmarks: On how many benchmarks it has results, whether the way uses them or not.
        ease: The mean, over those benchmarks, of what the index expects a model of average ability to score there,
            from 0 to 1.
        field: The mean, over those benchmarks, of how able the models that were run on it are on average, in points
            of the index.
        why_not: Why it has no score, in a sentence; None where it has one.
    """

    model: str
    open_weights: bool | None
    score: float | None
    place: int | None
    place_open: int | None
    benchmarks: int
    ease: float
    field: float
    why_not: str | None


@dataclass(frozen=True)
class Ranking:
    """What one way makes of the results.

    Attributes:
        name: The way's name in addresses.
        title: Its name for people.
        says: What it does, in a sentence.
        standings: Those with a score, the highest first, equals by name; then those without, by name.
        followed: Where the model stands that the comparison follows; None where the way does not know it.
        ease: Spearman's correlation, over the models that both rank, between the places that a model gains against
            the index and the ease of its benchmarks: above 0 where easy benchmarks buy places. None for the index.
        field: The same with the strength of the field that it was compared with: below 0 where a weak one does.
        pairs: How many pairs of ranked models have enough benchmarks in common to be held against each other.
        upheld: In which share of those pairs the one that is ranked higher is also the better one on average over the
            benchmarks that both have. No model of ability enters into it. None where there is no pair.
        why: Why it ranks as it does: sentences derived from the results.
    """

    name: str
    title: str
    says: str
    standings: tuple[Standing, ...]
    followed: Standing | None
    ease: float | None
    field: float | None
    pairs: int
    upheld: float | None
    why: tuple[str, ...]

    @property
    def ranked(self) -> int:
        """How many models have a score."""
        return sum(standing.score is not None for standing in self.standings)

    def first(self, count: int, *, open_only: bool = False) -> tuple[Standing, ...]:
        """Return the first few, or the first few open ones."""
        there = [s for s in self.standings if s.score is not None and (s.open_weights or not open_only)]
        return tuple(there[:count])


@dataclass(frozen=True)
class Agreement:
    """How far two rankings agree on the models that both rank.

    Attributes:
        one: The name of one way.
        other: The name of the other.
        models: How many models both rank.
        spearman: Spearman's rank correlation over them; None where it is not defined (fewer than three, or all equal).
        kendall: Kendall's tau-b over them.
        top: Over how many the next two are taken: those of the models that `one` ranks highest.
        spearman_top: Spearman's correlation over those alone.
        kendall_top: Kendall's.
    """

    one: str
    other: str
    models: int
    spearman: float | None
    kendall: float | None
    top: int
    spearman_top: float | None
    kendall_top: float | None


@dataclass(frozen=True)
class AtLeast:
    """The category average over the models with at least so many benchmarks.

    Attributes:
        least: The minimum.
        ranked: How many models are left.
        among: Among how many of them the next places are: the open ones, or all, where none is known to be open.
        first: Who is first among these; None where nobody is left.
        first_benchmarks: On how many benchmarks.
        followed: The place, among the same, of the model that the comparison follows; None where it is left out.
    """

    least: int
    ranked: int
    among: int
    first: str | None
    first_benchmarks: int
    followed: int | None


@dataclass(frozen=True, eq=False)
class Comparison:
    """All ways on the same results.

    Attributes:
        results: How many results they were given.
        models: Of how many models.
        benchmarks: On how many benchmarks.
        active: How many of those are in the panel.
        followed: The model whose place is told throughout: the first open one of the index, unless another was named.
        rankings: The index first, then each way; ratings that were given last.
        agreements: Of every two rankings, in the order of `rankings`: `one` stands before `other`.
        minimums: The category average with a growing minimum number of benchmarks.
    """

    results: int
    models: int
    benchmarks: int
    active: int
    followed: str
    rankings: tuple[Ranking, ...]
    agreements: tuple[Agreement, ...]
    minimums: tuple[AtLeast, ...]

    @property
    def by_name(self) -> Mapping[str, Ranking]:
        """The rankings by their names."""
        return {ranking.name: ranking for ranking in self.rankings}

    def agreement(self, one: str, other: str) -> Agreement:
        """Return how far two agree, in the order in which they were compared.

        Raises:
            KeyError: There are no such two.
        """
        for agreement in self.agreements:
            if {agreement.one, agreement.other} == {one, other}:
                return agreement
        raise KeyError((one, other))
