"""Epoch's index form: the same curve as ours, fitted by least squares within bounds, two models fixing the scale.

The form, its bounds, ridge and anchoring are those that Epoch documents for its Capabilities Index
(https://epoch.ai/data/eci-documentation/methodology; Ho and others, arXiv 2512.00193): the result of model m on
benchmark b is expected at sigmoid(alpha_b (C_m - D_b)). Written anew from that description. It differs from Epoch's own
program in that it starts from the results' means and not from random numbers, and stops at a tighter tolerance, so that
the order of rows moves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.optimize import least_squares
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, logit

from argusic.leaderboards.index.comparing.category_average import counted
from argusic.leaderboards.index.comparing.way import Given, Outcome
from argusic.leaderboards.index.responses import Floats, Places, Responses

#: Bounds of capabilities and difficulties, and of slopes.
_FURTHEST, _FLATTEST, _STEEPEST = 10.0, 0.1, 10.0
#: Results are drawn in from 0 and 1 by this much.
_EDGE = 1e-3
#: The weight of the ridge.
_RIDGE = 0.1
#: When the search has ended, relative; and the equations of a step inside it.
_TOLERANCE: Final = 1e-10
_SOLVED: Final = {"atol": 1e-14, "btol": 1e-14, "maxiter": 5000}


@dataclass(frozen=True)
class EpochForm:
    """Epoch's index form.

    Attributes:
        least: How many benchmarks a model needs.
        anchors: The two models that fix the scale, and where.
        pinned: The benchmark whose slope is 1; where it has no result, the one with the most results.
    """

    least: int = 4
    anchors: tuple[tuple[str, float], tuple[str, float]] = (("Claude 3.5 Sonnet", 130.0), ("GPT-5", 150.0))
    pinned: str = "winogrande"
    name: str = "epoch-form"
    title: str = "Epoch's index form"

    @property
    def says(self) -> str:
        """What it does, in a sentence."""
        (low, at_low), (high, at_high) = self.anchors
        return (
            "The same curve for each benchmark, by bounded least squares with a slight ridge, on a scale on which "
            f"{low} is {at_low:g} and {high} {at_high:g}, or on one of its own where either is missing; for models "
            f"with at least {self.least} benchmarks."
        )

    def scores(self, given: Given) -> Mapping[str, Outcome]:
        """Return the capability of each model that has enough benchmarks; unmapped where an anchor is missing."""
        r = given.responses
        has = counted(r)
        kept = r.where(has[r.model] >= self.least)
        outcomes = {
            r.models[place]: Outcome(None, f"It has {has[place]} of the {self.least} benchmarks that it needs.")
            for place in sorted(set(r.model.tolist()))
        }
        if len(kept):
            piece, capability = pieces(kept), capabilities(kept, self.pinned)
            whole = self._whole(kept, piece)
            scale, shift = self._map(kept, capability)
            for place in sorted(set(kept.model.tolist())):
                outcomes[kept.models[place]] = (
                    Outcome(float(scale * capability[place] + shift))
                    if piece[place] == whole
                    else Outcome(None, "No chain of shared benchmarks links it to the models that fix the scale.")
                )
        return outcomes

    def _map(self, responses: Responses, capability: Floats) -> tuple[float, float]:
        """Return factor and shift that put the anchors where they belong; 1 and 0 where they cannot be."""
        (low, at_low), (high, at_high) = self.anchors
        has = counted(responses)
        where = {name: place for place, name in enumerate(responses.models) if has[place]}
        if low not in where or high not in where:
            return 1.0, 0.0
        gap = capability[where[high]] - capability[where[low]]
        if not gap > 1e-9:
            return 1.0, 0.0
        scale = float((at_high - at_low) / gap)
        return scale, float(at_low - scale * capability[where[low]])

    def _whole(self, responses: Responses, piece: Places) -> int:
        """Return the piece of the graph that is scored: the anchors' where they share one, else the largest."""
        where = {name: place for place, name in enumerate(responses.models)}
        of_anchors = {int(piece[where[name]]) for name, _ in self.anchors if name in where}
        sizes = np.bincount(piece[np.unique(responses.model)])
        return of_anchors.pop() if len(of_anchors) == 1 else int(np.argmax(sizes))


def pieces(responses: Responses) -> Places:
    """Return which connected piece of the graph of models and benchmarks each model lies in; shape (I,)."""
    models, size = len(responses.models), len(responses.models) + len(responses.benchmarks)
    ends = (responses.model, models + responses.benchmark)
    graph = coo_array((np.ones(len(responses)), ends), shape=(size, size))
    _, label = connected_components(graph, directed=False)
    return np.asarray(label[:models], dtype=np.intp)


def capabilities(responses: Responses, pinned: str) -> Floats:
    """Return the capabilities C, unmapped; shape (I,). Models without a result keep what the start gives them.

    Args:
        responses: The results.
        pinned: The benchmark whose slope is 1.
    """
    problem = _Problem.of(responses, pinned)
    lowest, highest = problem.bounds
    found = least_squares(
        problem.residuals,
        problem.start,
        problem.jacobian,
        bounds=(lowest, highest),
        method="trf",
        tr_solver="lsmr",
        tr_options=_SOLVED,
        ftol=_TOLERANCE,
        xtol=_TOLERANCE,
        gtol=_TOLERANCE,
        max_nfev=2000,
    )
    return np.asarray(found.x[: problem.models], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _Problem:
    """The least squares: unknowns are C of the models, D of the benchmarks, alpha of all but the pinned benchmark.

    The ridge is one residual for each unknown, the squares of which add up to the documented 0.1 times their mean.
    """

    responses: Responses
    target: Floats
    slope: Places
    models: int
    items: int

    @classmethod
    def of(cls, responses: Responses, pinned: str) -> _Problem:
        """Return the problem; `slope` is the place of each benchmark's alpha among the unknowns, -1 for the pinned."""
        models, items = len(responses.models), len(responses.benchmarks)
        has = np.bincount(responses.benchmark, minlength=items)
        there = pinned in responses.benchmarks and has[responses.benchmarks.index(pinned)]
        fixed = responses.benchmarks.index(pinned) if there else int(np.argmax(has))
        slope = models + items + np.arange(items)
        slope[fixed:] -= 1
        slope[fixed] = -1
        return cls(responses, np.clip(responses.score, _EDGE, 1 - _EDGE), slope, models, items)

    @property
    def size(self) -> int:
        """How many unknowns there are."""
        return self.models + 2 * self.items - 1

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """The least and the largest that each unknown may be."""
        slopes = self.items - 1
        ends = np.full(self.models + self.items, _FURTHEST)
        lowest = np.concatenate([-ends, np.full(slopes, _FLATTEST)])
        return lowest, np.concatenate([ends, np.full(slopes, _STEEPEST)])

    @property
    def start(self) -> Floats:
        """Where the search begins: models and benchmarks at the logits of their mean results, slopes at 1."""
        r = self.responses
        parts = []
        for place, count, sign in ((r.model, self.models, 1.0), (r.benchmark, self.items, -1.0)):
            number = np.bincount(place, minlength=count)
            mean = np.bincount(place, self.target, minlength=count) / np.maximum(number, 1)
            parts.append(np.where(number > 0, sign * logit(np.where(number > 0, mean, 0.5)) / 2, 0.0))
        return np.concatenate([*parts, np.ones(self.items - 1)])

    def _at(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Return alpha, C - D and what is expected, each of every result; shape (n,)."""
        r = self.responses
        alpha = np.where(self.slope >= 0, x[self.slope], 1.0)[r.benchmark]
        apart = x[r.model] - x[self.models + r.benchmark]
        return alpha, apart, expit(alpha * apart)

    def residuals(self, x: Floats) -> Floats:
        """Return by how much each result is missed, then the ridge; shape (n + size,)."""
        return np.concatenate([self._at(x)[2] - self.target, np.sqrt(_RIDGE / self.size) * x])

    def jacobian(self, x: Floats) -> csr_array:
        """Return the derivatives of the residuals; shape (n + size, size)."""
        r, n = self.responses, len(self.responses)
        alpha, apart, expected = self._at(x)
        bend = expected * (1 - expected)
        free = self.slope[r.benchmark] >= 0
        rows = np.arange(n)
        parts = (
            (rows, r.model, bend * alpha),
            (rows, self.models + r.benchmark, -bend * alpha),
            (rows[free], self.slope[r.benchmark][free], (bend * apart)[free]),
            (n + np.arange(self.size), np.arange(self.size), np.full(self.size, np.sqrt(_RIDGE / self.size))),
        )
        row, column, value = (np.concatenate([part[number] for part in parts]) for number in range(3))
        return csr_array(coo_array((value, (row, column)), shape=(n + self.size, self.size)))
