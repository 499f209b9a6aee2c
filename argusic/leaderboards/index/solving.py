"""Damped Newton steps over the posterior, the abilities eliminated: each step solves for the benchmarks alone.

Between two models the curvature is zero, so that the abilities' block is a diagonal and what remains is a dense system
of twice as many unknowns as there are benchmarks (the Schur complement; bundle adjustment does the same, Triggs and
others, Bundle Adjustment, 2000). Damping follows Levenberg and Marquardt.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.sparse import csr_array, hstack

from argusic.leaderboards.index.objective import Curvature, Objective, Point
from argusic.leaderboards.index.responses import Floats, Responses

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
            step = system.step(slope, damping) if system.is_positive else None
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


@dataclass(frozen=True, eq=False)
class System:
    """The linear system of a step. `free` says which benchmarks' parameters may move."""

    curvature: Curvature
    mixed: csr_array
    free: np.typing.NDArray[np.bool_]

    @classmethod
    def of(cls, responses: Responses, curvature: Curvature, free: np.typing.NDArray[np.bool_]) -> System:
        """Return the system of a curvature; the mixed block has shape (I, 2J): difficulties, then alphas."""
        models, items = len(responses.models), len(responses.benchmarks)
        shape = (models, items)
        starts = np.searchsorted(responses.model, np.arange(models + 1))
        moving = free[responses.benchmark]
        blocks = [
            csr_array((np.where(moving, part, 0.0), responses.benchmark, starts), shape=shape)
            for part in (curvature.mixed_difficulty, curvature.mixed_alpha)
        ]
        return cls(curvature, csr_array(hstack(blocks, format="csr")), free)

    @property
    def is_positive(self) -> bool:
        """Whether the abilities' block is; the rest is found out when it is factorised."""
        return bool(np.all(self.curvature.theta > 0))

    def step(self, slope: Point, damping: float) -> Point | None:
        """Return the damped step downhill, or None where the system is not positive definite."""
        solved = self.factor(damping)
        if solved is None:
            return None
        diagonal, factored = solved
        items = len(self.free)
        of_items = np.concatenate([slope.difficulty, slope.alpha])
        right = of_items - self.mixed.T @ (slope.theta / diagonal)
        down = cho_solve(factored, right)
        theta = (slope.theta - self.mixed @ down) / diagonal
        return Point(-theta, -down[:items], -down[items:])

    def factor(self, damping: float = 0.0) -> tuple[Floats, tuple[Floats, bool]] | None:
        """Return the abilities' diagonal and the factorised Schur complement; None where that is not positive."""
        c, items = self.curvature, len(self.free)
        diagonal = c.theta * (1 + damping)
        scaled = self.mixed.multiply((1 / np.sqrt(diagonal))[:, None]).tocsr()
        schur = -(scaled.T @ scaled).toarray()
        own = np.arange(items)
        schur[own, own] += c.difficulty * (1 + damping)
        schur[items + own, items + own] += c.alpha * (1 + damping)
        schur[own, items + own] += np.where(self.free, c.cross, 0.0)
        schur[items + own, own] += np.where(self.free, c.cross, 0.0)
        try:
            return diagonal, cho_factor(schur, lower=True)
        except LinAlgError:
            return None


def _only_free(slope: Point, free: np.typing.NDArray[np.bool_]) -> Point:
    return replace(slope, difficulty=np.where(free, slope.difficulty, 0.0), alpha=np.where(free, slope.alpha, 0.0))


def _largest(slope: Point) -> float:
    parts = (slope.theta, slope.difficulty, slope.alpha)
    return max((float(np.max(np.abs(part))) for part in parts if len(part)), default=0.0)


def _sum(at: Point, step: Point) -> Point:
    return Point(at.theta + step.theta, at.difficulty + step.difficulty, at.alpha + step.alpha)
