"""Damped Newton steps over the posterior to its mode.

Damping follows Levenberg and Marquardt, and its size what a step gained against what it promised (Nielsen, Damping
Parameter in Marquardt's Method, 1999). After each step every ability takes one of its own: that costs little, and the
whole step need not be made smaller for the sake of a few.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from argusic.errors import CheckFailed
from argusic.leaderboards.index.elimination import System
from argusic.leaderboards.index.objective import Objective, Point

_FIRST_DAMPING: Final = 1e-3
_LEAST_DAMPING: Final = 1e-12
_MOST_DAMPING: Final = 1e12
#: Once a step gains less than this share of the objective, exact second derivatives are tried first: near the end they
#: converge quadratically.
_NEAR: Final = 1e-2
#: A step that moves nothing by more than this share of the narrowest prior (or of 1) is the end: with a small sigma the
#: gradient's own rounding may be above its tolerance.
_SETTLED: Final = 1e-10
#: Less than this share of the objective is lost in its own rounding.
_ROUNDING: Final = 1e-12
#: Below this sigma the mode is reached by way of wider ones: from far away the valley is too narrow to follow.
_NARROW: Final = 0.02
_WIDER: Final = 10**0.5


class NotConverged(CheckFailed):
    """A fit came to no end.

    Args:
        why: Where it stood, as the end of a sentence.
    """

    def __init__(self, why: str) -> None:
        super().__init__(f"The fit came to no end: {why}.")
        self.why = why


@dataclass(frozen=True, eq=False)
class Solved:
    """Where the posterior is largest.

    Attributes:
        at: The unknowns there.
        objective: The objective there.
        gradient: The largest element of the gradient there.
        steps: How many steps it took.
        ended_by: Why that is the end: the gradient is within its tolerance, or a step would move nothing.
    """

    at: Point
    objective: float
    gradient: float
    steps: int
    ended_by: Literal["gradient", "step"]


def solve(objective: Objective, start: Point, held: NDArray[np.bool_] | None = None) -> Solved:
    """Return the mode of the posterior.

    Args:
        objective: What to minimise.
        start: Where to begin.
        held: Which benchmarks keep the parameters that `start` has; shape (J,). None holds none.

    Raises:
        NotConverged: It did not end within the steps that the options allow.
    """
    free = ~held if held is not None else np.ones(len(objective.responses.benchmarks), dtype=bool)
    options = objective.options
    if options.likelihood == "gaussian" and options.sigma < _NARROW:
        wider = solve(replace(objective, options=replace(options, sigma=options.sigma * _WIDER)), start, held)
        found = _descend(objective, wider.at, free)
        return replace(found, steps=wider.steps + found.steps)
    return _descend(objective, start, free)


def _descend(objective: Objective, start: Point, free: NDArray[np.bool_]) -> Solved:
    options = objective.options
    here, value = _Here(objective, start, free), objective.value(start)
    damping, growth, gained = _FIRST_DAMPING, 2.0, np.inf
    settled = _SETTLED * min(1.0, options.theta_sd, options.difficulty_sd, options.log_discrimination_sd)
    for steps in range(options.most_steps + 1):
        if here.largest_slope <= options.tolerance:
            return Solved(here.at, value, here.largest_slope, steps, "gradient")
        trial = here.trial(damping, exact=gained <= _NEAR * abs(value))
        if trial is not None and trial.exact and damping <= _FIRST_DAMPING and trial.largest_move <= settled:
            return Solved(here.at, value, here.largest_slope, steps, "step")
        reached = objective.value(trial.to) if trial is not None else np.inf
        unseen = _ROUNDING * abs(value)
        if trial is not None and reached <= value + unseen:
            ratio = (value - reached) / trial.promised if trial.promised > unseen else 1.0
            # A step that kept its promise makes the next one bolder, at most ten times.
            damping *= max(0.1, 1 - (2 * ratio - 1) ** 3)
            damping, growth = min(max(damping, _LEAST_DAMPING), _MOST_DAMPING), 2.0
            here, value, gained = _Here(objective, trial.to, free), reached, value - reached
        elif damping >= _MOST_DAMPING:
            break
        else:
            damping, growth = damping * growth, growth * 2
    raise NotConverged(f"the largest element of the gradient is still {here.largest_slope:.3g} after {steps} steps")


class _Trial(NamedTuple):
    """A step that may be taken: where to, how far, what it promises to gain, and by which second derivatives."""

    to: Point
    largest_move: float
    promised: float
    exact: bool


@dataclass(frozen=True, eq=False)
class _Here:
    """A point with its derivatives, which are found when they are asked for, and once."""

    objective: Objective
    at: Point
    free: NDArray[np.bool_]

    @cached_property
    def slope(self) -> Point:
        slope = self.objective.gradient(self.at)
        difficulty, alpha = (np.where(self.free, part, 0.0) for part in (slope.difficulty, slope.alpha))
        return Point(slope.theta, difficulty, alpha)

    @cached_property
    def largest_slope(self) -> float:
        return _largest(self.slope)

    def trial(self, damping: float, *, exact: bool) -> _Trial | None:
        """Return the damped step; by Gauss and Newton's derivatives where exact ones are not positive."""
        for system, by_exact in ((self._exact, True), (self._rough, False)) if exact else ((self._rough, False),):
            step = system.step(self.slope, damping)
            if step is not None:
                to = Point(*(a + b for a, b in zip(_parts(self.at), _parts(step), strict=True)))
                promised = self._promised(system, step, damping)
                return _Trial(self.objective.with_abilities_moved(to), _largest(step), promised, by_exact)
        return None

    @cached_property
    def _exact(self) -> System:
        return self._system(exact=True)

    @cached_property
    def _rough(self) -> System:
        return self._system(exact=False)

    def _system(self, *, exact: bool) -> System:
        return System.of(self.objective.responses, self.objective.curvature(self.at, exact=exact), self.free)

    def _promised(self, system: System, step: Point, damping: float) -> float:
        """Return what the quadratic model gains by a step that solves its damped system."""
        c = system.curvature
        return 0.5 * sum(
            float(np.sum(move * (damping * bend * move - slope)))
            for move, bend, slope in zip(
                _parts(step), (c.theta, c.difficulty, c.alpha), _parts(self.slope), strict=True
            )
        )


def _parts(point: Point) -> tuple[NDArray[np.float64], ...]:
    return point.theta, point.difficulty, point.alpha


def _largest(point: Point) -> float:
    return max((float(np.max(np.abs(part))) for part in _parts(point) if len(part)), default=0.0)
