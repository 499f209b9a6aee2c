"""Where a prior would pose as a measurement: said in sentences, beside the numbers that it would pose in."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from argusic.leaderboards.index.connecting import Connectivity, connectivity
from argusic.leaderboards.index.fitting import UNIT, Fit
from argusic.leaderboards.index.objective import Objective
from argusic.leaderboards.index.ranges import WIDTH
from argusic.leaderboards.index.standings import ModelStanding

#: How many names a sentence lists before the others are counted.
_NAMED = 5


def warnings(
    fitted: Fit, models: tuple[ModelStanding, ...], connected: Connectivity, reference: str | None
) -> Iterator[str]:
    """Yield what a reader must know of a fit.

    A number is more prior than measurement where the prior adds more to how sure it is than the results do: then it
    would lie near the prior's mean whatever is true.
    """
    held = _held(fitted)
    yield from _pieces(connected, held)
    free = [name for name in fitted.responses.benchmarks if name not in held]
    if reference is not None and free:
        yield (
            f"{_named(free)} {_have(free)} no parameters in {reference} and no addendum: they are fitted with every "
            "ranking, and move models that have no new result."
        )
    thin = _thin(fitted)
    if thin:
        yield f"The difficulty of {_named(thin)} is more prior than measurement: {_has(thin)} too few results."
    unsure = [one.model.model for one in models if one.refused is None and _of_prior(one, fitted.options.theta_sd)]
    if unsure:
        yield f"The score of {_named(unsure)} is more prior than measurement: 100 is the mean of the prior."


def of_table(fitted: Fit) -> Iterator[str]:
    """Yield what a reader must know of a fit of a table, where nothing is known of the benchmarks but their results."""
    yield from _pieces(connectivity(fitted.responses), _held(fitted))
    thin = _thin(fitted)
    if thin:
        yield f"The difficulty of {_named(thin)} is more prior than measurement: {_has(thin)} too few results."


def _held(fitted: Fit) -> set[str]:
    return {name for name, is_held in zip(fitted.responses.benchmarks, fitted.held, strict=True) if is_held}


def _pieces(connected: Connectivity, held: set[str]) -> Iterator[str]:
    for place, piece in enumerate(connected.components):
        # Where the reference holds one of its benchmarks, a piece is on the scale whatever the graph looks like.
        if held.intersection(piece) or (place == 0 and not held):
            continue
        yield (
            f"No result connects {_named(list(piece))} with the {'reference' if held else 'other benchmarks'}: "
            "priors alone place them and the models that have results there alone, and 100 is where they put who is "
            "average among these."
        )


def _thin(fitted: Fit) -> list[str]:
    curvature = Objective(fitted.responses, fitted.options).curvature(fitted.at, exact=False)
    prior = 1 / fitted.options.difficulty_sd**2
    return [fitted.responses.benchmarks[j] for j in np.flatnonzero(~fitted.held & (curvature.difficulty < 2 * prior))]


def _of_prior(one: ModelStanding, theta_sd: float) -> bool:
    sd = (one.conditional.high - one.conditional.low) / (2 * UNIT * WIDTH)
    return sd**2 > theta_sd**2 / 2


def _named(names: list[str]) -> str:
    listed, more = names[:_NAMED], len(names) - _NAMED
    if more > 0:
        return f"{', '.join(listed)} and {more} more"
    return " and ".join(filter(None, [", ".join(listed[:-1]), listed[-1]]))


def _have(names: list[str]) -> str:
    return "has" if len(names) == 1 else "have"


def _has(names: list[str]) -> str:
    return "it has" if len(names) == 1 else "each has"
