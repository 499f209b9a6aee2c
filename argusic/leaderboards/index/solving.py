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
from argusic.leaderboards.index.one_thread import one_thread

_FIRST_DAMPING: Final = 1e-3
_LEAST_DAMPING: Final = 1e-12
_MOST_DAMPING: Final = 1e12
#: Once a step gains less than this share of the objective, exact second derivatives are tried first: near the end they
#: converge quadratically.
_NEAR: Final = 1e-2
#: A step that moves nothing by more than this share of the narrowest prior (or of 1) is the end: with a small sigma the
#: gradient's own rounding may be above its tolerance.
_SETTLED: Final = 1e-10
#: How far one step may move an alpha: discriminations grow exponentially with them.
_LARGEST_ALPHA: Final = 1.0
#: Less than this share of the objective is lost in its own rounding.
_ROUNDING: Final = 1e-12
#: Below this sigma the mode is reached by way of wider ones: from far away the valley is too narrow to follow.
_NARROW: Final = 0.02
_WIDER: Final = 10**0.5
#: From this sigma on even results that are nothing but noise have a mode that is reached.
_COMMON: Final = 0.03


class NotConverged(CheckFailed):
    """A fit came to no end.

    Args:
        why: Where it stood, as the end of a sentence.
        advice: What to do about it.
    """

    def __init__(self, why: str, *, advice: str | None = None) -> None:
        super().__init__(f"The fit came to no end: {why}.", advice=advice)
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


@one_thread()
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
        unseen = _ROUNDING * abs(value)
        if trial is not None and trial.value <= value + unseen:
            ratio = (value - trial.value) / trial.promised if trial.promised > unseen else 1.0
            # A step that kept its promise makes the next one bolder, at most ten times.
            damping *= max(0.1, 1 - (2 * ratio - 1) ** 3)
            damping, growth = min(max(damping, _LEAST_DAMPING), _MOST_DAMPING), 2.0
            here, value, gained = _Here(objective, trial.to, free), trial.value, value - trial.value
        elif damping >= _MOST_DAMPING:
            break
        else:
            damping, growth = damping * growth, growth * 2
    narrow = options.likelihood == "gaussian" and options.sigma < _COMMON
    raise NotConverged(
        f"the largest element of the gradient is still {here.largest_slope:.3g} after {steps} steps",
        # Where results contradict each other and little noise is allowed for, discriminations grow beyond all bounds.
        advice=f"A sigma of {options.sigma:.2g} takes these results for more exact than they are." if narrow else None,
    )


class _Trial(NamedTuple):
    """A step that may be taken: where to, the objective there, how far, what it promised, by which derivatives."""

    to: Point
    value: float
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
        for by_exact in (True, False) if exact else (False,):
            system = self._exact if by_exact else self._rough
            step = system.step(self.slope, damping)
            if step is None:
                continue
            share = min(1.0, _LARGEST_ALPHA / max(float(np.max(np.abs(step.alpha), initial=0.0)), _LARGEST_ALPHA))
            to = Point(*(a + share * b for a, b in zip(_parts(self.at), _parts(step), strict=True)))
            better, value = self.objective.with_better_abilities(to)
            return _Trial(better, value, _largest(step), self._promised(system, step, damping, share), by_exact)
        return None

    @cached_property
    def _exact(self) -> System:
        return self._system(exact=True)

    @cached_property
    def _rough(self) -> System:
        return self._system(exact=False)

    def _system(self, *, exact: bool) -> System:
        return System.of(self.objective.responses, self.objective.curvature(self.at, exact=exact), self.free)

    def _promised(self, system: System, step: Point, damping: float, share: float) -> float:
        """Return what the quadratic model gains by a share of a step that solves its damped system."""
        c = system.curvature
        bends = (c.theta, c.difficulty, c.alpha)
        slope = sum(float(np.sum(g * move)) for g, move in zip(_parts(self.slope), _parts(step), strict=True))
        damped = sum(float(np.sum(bend * move**2)) for bend, move in zip(bends, _parts(step), strict=True))
        return -share * (1 - share / 2) * slope + 0.5 * share**2 * damping * damped


def _parts(point: Point) -> tuple[NDArray[np.float64], ...]:
    return point.theta, point.difficulty, point.alpha


def _largest(point: Point) -> float:
    return max((float(np.max(np.abs(part))) for part in _parts(point) if len(part)), default=0.0)
