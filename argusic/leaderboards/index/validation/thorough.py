"""The checks that take long: a truth that is planted into the index's own data, and wider models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argusic.leaderboards.index.fitting import fit
from argusic.leaderboards.index.one_thread import one_thread
from argusic.leaderboards.index.responses import Responses
from argusic.leaderboards.index.simulation import (
    Pattern,
    Recovered,
    Truth,
    at_random,
    by_ability,
    pattern_of,
    planted,
    recovered,
    silenced,
)
from argusic.leaderboards.index.validation.case import Case
from argusic.leaderboards.index.validation.dimension import Tried, tried

Made = Callable[[int], Responses]
Who = NDArray[np.bool_]

#: One in so many models withholds results where some do.
_WITHHOLDS = 5


@dataclass(frozen=True)
class Scenario:
    """One way in which results come to be there or not.

    Attributes:
        name: In words.
        ignorable: Whether what is missing does not depend on what it would have been.
        found: How the fits stand to the truth.
    """

    name: str
    ignorable: bool
    found: Recovered


@dataclass(frozen=True)
class Thorough:
    """What the checks found that take long.

    Attributes:
        scenarios: Planted truths.
        one_ability: The error on results held out with one ability.
        wider: What wider models predict.
    """

    scenarios: tuple[Scenario, ...]
    one_ability: float
    wider: tuple[Tried, ...]


@one_thread()
def thorough(case: Case, *, draws: int = 10, deals: int = 3, now: Callable[[str], None] = lambda _: None) -> Thorough:
    """Plant truths and try wider models.

    Args:
        case: What is validated.
        draws: How many data sets are made of each truth.
        deals: How many deals of five folds wider models are judged by.
        now: Is told what runs now.

    Raises:
        NotConverged: A fit came to no end.
    """
    found = scenarios(case, draws=draws, now=now)
    now("Trying wider models")
    one, wider = tried(case.responses, case.options, groups=case.groups, seeds=range(deals))
    return Thorough(found, one, wider)


def scenarios(case: Case, *, draws: int = 10, now: Callable[[str], None] = lambda _: None) -> tuple[Scenario, ...]:
    """Return how fits stand to truths: to what a fit of the case found, and to one that is drawn in its size.

    The first keeps who was run on what as it is; noise is made anew, so that nothing is missing for what it would have
    been, until some withhold.
    """
    responses, sigma = case.responses, case.options.sigma
    truth, pattern = Truth.of(fit(responses, case.options)), pattern_of(responses)
    models, items = len(truth.models), len(truth.benchmarks)
    fresh, share = Truth.drawn(models, items), len(responses) / (models * items)
    some = np.arange(models) % _WITHHOLDS == 0
    everyone = np.ones(models, dtype=bool)

    def whole(draw: int) -> Responses:
        return planted(truth, pattern, sigma=sigma, seed=draw)

    def less(who: Who, *, choosing: bool) -> Made:
        return lambda draw: silenced(truth, whole(draw), who, choosing=choosing, seed=draw)

    def anew(where: Callable[..., Pattern]) -> Made:
        return lambda draw: planted(fresh, where(fresh, share=share, seed=draw), sigma=sigma, seed=draw)

    kinds: tuple[tuple[str, bool, Truth, Made, Who | None], ...] = (
        ("the fit, on the same pairs", True, truth, whole, None),
        ("a fifth leave results out by chance: these", True, truth, less(some, choosing=False), some),
        ("a fifth withhold half of what falls short: these", False, truth, less(some, choosing=True), some),
        ("a fifth withhold half of what falls short: the others", False, truth, less(some, choosing=True), ~some),
        ("all withhold half of what falls short", False, truth, less(everyone, choosing=True), None),
        ("drawn from the priors, pairs by chance", True, fresh, anew(at_random), None),
        ("drawn from the priors, pairs by ability", True, fresh, anew(by_ability), None),
    )
    found = []
    for number, (name, ignorable, of, made, watched) in enumerate(kinds):
        now(f"Planting: {name}")
        ranked = case.field if number == 0 else ()
        one = recovered(of, made, options=case.options, draws=draws, watched=watched, ranked=ranked)
        found.append(Scenario(name, ignorable, one))
    return tuple(found)
