"""Damped Newton steps over the posterior to its mode. Damping follows Levenberg and Marquardt."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from argusic.leaderboards.index.elimination import System
from argusic.leaderboards.index.objective import Objective, Point

_FIRST_DAMPING, _LEAST_DAMPING, _MOST_DAMPING = 1e-3, 1e-12, 1e12
#: Below this gradient exact second derivatives are tried first: near the end they converge quadratically.
_NEAR = 10.0


class NotConverged(Exception):
    """A fit came to no end."""


@dataclass(frozen=True, eq=False)
class Solved:
    """Where the posterior is largest.

    Attributes:
        at: The unknowns there.
        objective: The objective there.
        gradient: The largest element of the gradient there.
        steps: How many steps it took.
    """

    at: Point
    objective: float
    gradient: float
    steps: int


def solve(objective: Objective, start: Point, held: np.typing.NDArray[np.bool_] | None = None) -> Solved:
    """Return the mode of the posterior.

    Args:
        objective: What to minimise.
        start: Where to begin.
        held: Which benchmarks keep the parameters that `start` has; shape (J,). None holds none.

    Raises:
        NotConverged: It did not end within the steps that the options allow.
    """
    free = ~held if held is not None else np.ones(len(objective.responses.benchmarks), dtype=bool)
    at, value, damping = start, objective.value(start), _FIRST_DAMPING
    for steps in range(objective.options.most_steps + 1):
        slope = _only_free(objective.gradient(at), free)
        size = _largest(slope)
        if size <= objective.options.tolerance:
            return Solved(at, value, size, steps)
        moved = None
        for exact in (True, False) if size < _NEAR else (False,):
            system = System.of(objective.responses, objective.curvature(at, exact=exact), free)
            step = system.step(slope, damping)
            if step is not None:
                moved = _sum(at, step)
                break
        reached = objective.value(moved) if moved is not None else np.inf
        # At the end the objective's own rounding is larger than what a step gains.
        if moved is not None and reached <= value + 1e-12 * abs(value):
            at, value, damping = moved, reached, max(damping / 10, _LEAST_DAMPING)
        elif damping >= _MOST_DAMPING:
            break
        else:
            damping *= 10
    raise NotConverged(f"the largest element of the gradient is still {size:.3g} after {steps} steps")


def _only_free(slope: Point, free: np.typing.NDArray[np.bool_]) -> Point:
    return replace(slope, difficulty=np.where(free, slope.difficulty, 0.0), alpha=np.where(free, slope.alpha, 0.0))


def _largest(slope: Point) -> float:
    parts = (slope.theta, slope.difficulty, slope.alpha)
    return max((float(np.max(np.abs(part))) for part in parts if len(part)), default=0.0)


def _sum(at: Point, step: Point) -> Point:
    return Point(at.theta + step.theta, at.difficulty + step.difficulty, at.alpha + step.alpha)
