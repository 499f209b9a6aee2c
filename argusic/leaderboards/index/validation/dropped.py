"""Whether the order rests on one benchmark: each is left out in turn, and everything is fitted again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from argusic.leaderboards.index.fitting import UNIT, Fit
from argusic.leaderboards.index.objective import Objective, Point
from argusic.leaderboards.index.one_thread import one_thread
from argusic.leaderboards.index.responses import Floats
from argusic.leaderboards.index.solving import solve

#: The gradient at which a fit without a benchmark ends: scores are exact to a hundredth of a point.
_TOLERANCE = 1e-2


@dataclass(frozen=True)
class Dropped:
    """What moves when a benchmark is left out. The field is ranked by ability; equals by name.

    Attributes:
        benchmark: Which.
        results: How many results it has.
        places: By how many places the model of the top moves that moves the most.
        model: Which model that is, the highest of them.
        came: Its rank with the benchmark.
        went: Its rank without.
        points: The largest move of a score within the top, in points.
    """

    benchmark: str
    results: int
    places: int
    model: str
    came: int
    went: int
    points: float


@one_thread()
def each_dropped(fitted: Fit, field: Sequence[str], *, top: int = 20) -> tuple[Dropped, ...]:
    """Leave out each benchmark in turn; the largest move first, equals by name.

    Args:
        fitted: The fit on all benchmarks. What it holds stays held.
        field: The models that are ranked, whatever of their results is left.
        top: How many of the first of them are watched.

    Raises:
        NotConverged: A fit without one came to no end.
        ValueError: The field is empty, or has a model that is not in the fit.
    """
    places = _places(fitted, field)
    before = _ranks(fitted.at.theta[places])
    watched = np.argsort(before, kind="stable")[:top]
    found = []
    for benchmark, name in enumerate(fitted.responses.benchmarks):
        theta = without(fitted, benchmark)[places]
        after = _ranks(theta)
        moves = np.abs(after - before)[watched]
        most = int(watched[np.argmax(moves)])
        shift = UNIT * float(np.max(np.abs(theta - fitted.at.theta[places])[watched]))
        results = int(np.sum(fitted.responses.benchmark == benchmark))
        model = fitted.responses.models[places[most]]
        found.append(Dropped(name, results, int(np.max(moves)), model, int(before[most]), int(after[most]), shift))
    return tuple(sorted(found, key=lambda one: (-one.places, -one.points, one.benchmark)))


def without(fitted: Fit, benchmark: int) -> Floats:
    """Return the abilities of a fit without the results of a benchmark, by its place; shape (I,)."""
    left = fitted.responses.where(fitted.responses.benchmark != benchmark)
    start = Point(fitted.at.theta.copy(), fitted.at.difficulty.copy(), fitted.at.alpha.copy())
    if not fitted.held[benchmark]:
        start.difficulty[benchmark] = start.alpha[benchmark] = 0.0
    options = replace(fitted.options, tolerance=max(_TOLERANCE, fitted.options.tolerance))
    return solve(Objective(left, options), start, fitted.held).at.theta


def _places(fitted: Fit, field: Sequence[str]) -> NDArray[np.intp]:
    of_name = {name: place for place, name in enumerate(fitted.responses.models)}
    unknown = sorted(set(field) - set(of_name))
    if unknown or not field:
        raise ValueError(f"{unknown[0]!r} is not in the fit" if unknown else "nobody is to be ranked")
    return np.array(sorted(of_name[name] for name in set(field)), dtype=np.intp)


def _ranks(theta: Floats) -> NDArray[np.intp]:
    ranks = np.empty(len(theta), dtype=np.intp)
    ranks[np.argsort(-theta, kind="stable")] = np.arange(1, len(theta) + 1)
    return ranks
