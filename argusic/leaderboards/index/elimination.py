"""The linear system of one step, with the larger side of it eliminated: models or benchmarks.

Between two models the curvature is zero, and between two benchmarks too, so that either side's block falls apart: into
single numbers, or into 2 x 2 of a difficulty and its alpha. What remains for the other side is one dense system (the
Schur complement; bundle adjustment does the same, Triggs and others, Bundle Adjustment, 2000). With many models on few
benchmarks the abilities go; with few models on thousands of questions the questions do. Both give the same step.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, solve_triangular
from scipy.sparse import csr_array

from argusic.leaderboards.index.objective import Curvature, Point
from argusic.leaderboards.index.responses import Floats, Responses

#: Above this share of pairs with a result, products of dense blocks are faster than those of sparse ones.
_DENSE = 0.05
#: How many numbers a dense block may have: 32 MB of them.
_BLOCK = 4_000_000
#: How many of them a block of rows has, which is gone over once: as many as stay in a processor's own memory.
_ROWS = 330_000


@dataclass(frozen=True, eq=False)
class System:
    """The linear system of a step.

    Attributes:
        curvature: The second derivatives.
        responses: The results that they are of.
        free: Which benchmarks' parameters may move; shape (J,).
        keeps: Whose unknowns are kept; the others', which are the more, are eliminated.
    """

    curvature: Curvature
    responses: Responses
    free: NDArray[np.bool_]
    keeps: Literal["models", "benchmarks"]

    @classmethod
    def of(cls, responses: Responses, curvature: Curvature, free: NDArray[np.bool_]) -> System:
        """Return the system of a curvature."""
        keeps: Literal["models", "benchmarks"] = (
            "benchmarks" if 2 * len(responses.benchmarks) <= len(responses.models) else "models"
        )
        return cls(curvature, responses, free, keeps)

    def step(self, slope: Point, damping: float) -> Point | None:
        """Return the damped step downhill, or None where the system is not positive definite."""
        return (
            self._step_of_benchmarks(slope, damping)
            if self.keeps == "benchmarks"
            else self._step_of_models(slope, damping)
        )

    def ability_variances(self) -> Floats | None:
        """Return the abilities' diagonal of the inverse; shape (I,). None where the system is not positive definite."""
        if self.keeps == "models":
            kept = self._models_kept(0.0)
            if kept is None:
                return None
            lower = np.tril(kept.factored[0])
            half = solve_triangular(lower, np.eye(len(lower)), lower=True)
            return np.asarray(np.sum(half * half, axis=0))
        found = self._benchmarks_kept(0.0)
        if found is None:
            return None
        diagonal, (factored, _) = found
        # 1/d + (M / d) S^-1 (M / d)^T, of which the diagonal alone is wanted.
        scaled = self._mixed(1 / diagonal).toarray()
        half = solve_triangular(np.tril(factored), scaled.T, lower=True)
        return np.asarray(1 / diagonal + np.sum(half * half, axis=0))

    @cached_property
    def mixed_difficulty(self) -> csr_array:
        """Derivatives between abilities and difficulties, nought where a benchmark is held; shape (I, J)."""
        return self._sparse(self._mixed_parts[0])

    @cached_property
    def mixed_alpha(self) -> csr_array:
        """Those between abilities and alphas, likewise; shape (I, J)."""
        return self._sparse(self._mixed_parts[1])

    @cached_property
    def _mixed_parts(self) -> tuple[Floats, Floats]:
        """Each result's, between its ability and its difficulty, and its alpha; each of shape (n,)."""
        parts = self.curvature.mixed_difficulty, self.curvature.mixed_alpha
        if np.all(self.free):
            return parts
        moving = self.free[self.responses.benchmark]
        return np.where(moving, parts[0], 0.0), np.where(moving, parts[1], 0.0)

    def _sparse(self, values: Floats) -> csr_array:
        r = self.responses
        return csr_array((values, r.benchmark, r.starts), shape=(len(r.models), len(r.benchmarks)))

    def _mixed(self, times: Floats) -> csr_array:
        """Return both mixed blocks side by side, difficulties, then alphas, each row times a number; shape (I, 2J)."""
        r, items = self.responses, len(self.responses.benchmarks)
        values = np.stack(self._mixed_parts, axis=1) * times[r.model, None]
        places = r.benchmark[:, None] + np.array([0, items])
        return csr_array((values.ravel(), places.ravel(), 2 * r.starts), shape=(len(r.models), 2 * items))

    @cached_property
    def _cross(self) -> Floats:
        return np.where(self.free, self.curvature.cross, 0.0)

    def _step_of_benchmarks(self, slope: Point, damping: float) -> Point | None:
        kept = self._benchmarks_kept(damping)
        if kept is None:
            return None
        diagonal, factored = kept
        r, items = self.responses, len(self.free)
        of_difficulty, of_alpha = self._mixed_parts
        of_model = (slope.theta / diagonal)[r.model]
        right = np.concatenate(
            [
                slope.difficulty - np.bincount(r.benchmark, of_difficulty * of_model, minlength=items),
                slope.alpha - np.bincount(r.benchmark, of_alpha * of_model, minlength=items),
            ]
        )
        down = cho_solve(factored, right, check_finite=False)
        of_result = of_difficulty * down[:items][r.benchmark] + of_alpha * down[items:][r.benchmark]
        theta = (slope.theta - np.bincount(r.model, of_result, minlength=len(r.models))) / diagonal
        return Point(-theta, -down[:items], -down[items:])

    def _benchmarks_kept(self, damping: float) -> tuple[Floats, tuple[Floats, bool]] | None:
        """Return the abilities' diagonal and the factorised system of the benchmarks."""
        c, items = self.curvature, len(self.free)
        if not np.all(c.theta > 0):
            return None
        diagonal = c.theta * (1 + damping)
        schur = -_squared_columns(self._mixed(1 / np.sqrt(diagonal)))
        own = np.arange(items)
        schur[own, own] += c.difficulty * (1 + damping)
        schur[items + own, items + own] += c.alpha * (1 + damping)
        schur[own, items + own] += self._cross
        schur[items + own, own] += self._cross
        return None if (factored := _factored(schur)) is None else (diagonal, factored)

    def _step_of_models(self, slope: Point, damping: float) -> Point | None:
        kept = self._models_kept(damping)
        if kept is None:
            return None
        difficulty, alpha = kept.pairs.solved(slope.difficulty, slope.alpha)
        theta = cho_solve(kept.factored, slope.theta - self.mixed_difficulty @ difficulty - self.mixed_alpha @ alpha)
        difficulty, alpha = kept.pairs.solved(
            slope.difficulty - self.mixed_difficulty.T @ theta, slope.alpha - self.mixed_alpha.T @ theta
        )
        return Point(-theta, -difficulty, -alpha)

    def _models_kept(self, damping: float) -> _ModelsKept | None:
        """Return the benchmarks' pairs and the factorised system of the abilities."""
        c = self.curvature
        pairs = _Pairs.of(c.difficulty * (1 + damping), self._cross, c.alpha * (1 + damping))
        if pairs is None:
            return None
        # Each pair's inverse is shared out over both sides, so that the product is symmetric to the bit.
        first, second = pairs.whitened(self.mixed_difficulty, self.mixed_alpha)
        schur = -(_squared(first) + _squared(second))
        own = np.arange(len(schur))
        schur[own, own] += c.theta * (1 + damping)
        return None if (factored := _factored(schur)) is None else _ModelsKept(pairs, factored)


class _Pairs(NamedTuple):
    """Each benchmark's 2 x 2 block as the triangle of Cholesky: [[top, 0], [side, bottom]]; each of shape (J,)."""

    top: Floats
    side: Floats
    bottom: Floats

    @classmethod
    def of(cls, difficulty: Floats, cross: Floats, alpha: Floats) -> _Pairs | None:
        if not np.all(difficulty > 0):
            return None
        top = np.sqrt(difficulty)
        side = cross / top
        rest = alpha - side * side
        return cls(top, side, np.sqrt(rest)) if np.all(rest > 0) else None

    def solved(self, difficulty: Floats, alpha: Floats) -> tuple[Floats, Floats]:
        """Return what the blocks turn into these."""
        first = difficulty / self.top
        second = (alpha - self.side * first) / self.bottom
        second = second / self.bottom
        return (first - self.side * second) / self.top, second

    def whitened(self, difficulty: csr_array, alpha: csr_array) -> tuple[csr_array, csr_array]:
        """Return mixed blocks times the inverse of the upper triangles."""
        place = difficulty.indices
        first = difficulty.data / self.top[place]
        second = (alpha.data - first * self.side[place]) / self.bottom[place]
        shape = difficulty.shape
        return (
            csr_array((first, place, difficulty.indptr), shape=shape),
            csr_array((second, place, difficulty.indptr), shape=shape),
        )


class _ModelsKept(NamedTuple):
    pairs: _Pairs
    factored: tuple[Floats, bool]


def _squared(matrix: csr_array) -> Floats:
    """Return a matrix times its own transpose, dense."""
    models, items = matrix.shape
    if matrix.nnz <= _DENSE * models * items:
        return np.asarray((matrix @ matrix.T).toarray())
    total = np.zeros((models, models))
    width = max(1, _BLOCK // models)
    columns = matrix.tocsc() if items > width else matrix
    for start in range(0, items, width):
        block = columns[:, start : start + width].toarray() if items > width else columns.toarray()
        total += block @ block.T
    return total


def _squared_columns(matrix: csr_array) -> Floats:
    """Return a matrix's transpose times itself, dense."""
    models, unknowns = matrix.shape
    if matrix.nnz <= _DENSE * models * unknowns:
        return np.asarray((matrix.T @ matrix).toarray())
    height = max(1, _ROWS // max(1, unknowns))
    if models <= height:
        block = matrix.toarray()
        return np.asarray(block.T @ block)
    total = np.zeros((unknowns, unknowns))
    for start in range(0, models, height):
        block = matrix[start : start + height].toarray()
        total += block.T @ block
    return total


def _factored(matrix: Floats) -> tuple[Floats, bool] | None:
    try:
        factored, lower = cho_factor(matrix, lower=True, check_finite=False, overwrite_a=True)
    except LinAlgError:
        return None
    return np.asarray(factored), bool(lower)
