"""Whether a benchmark is easier for one family than for others as able: differential functioning, as a screen.

A family whose models do better on one benchmark than all their other results lead one to expect may have seen its
questions in training. It may as well have been tuned for that skill, or be run by a kinder harness. So this is a screen
that says where to look, and no finding.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.stats import false_discovery_control
from scipy.stats import t as student

from argusic.leaderboards.index.fitting import UNIT, Fit
from argusic.leaderboards.index.objective import Objective
from argusic.leaderboards.index.responses import Floats, Places

#: How many results a family needs on a benchmark, and how many all others need there.
LEAST = 4
#: The share of false ones that is put up with among all that are reported.
FALSE = 0.05


@dataclass(frozen=True)
class Functioning:
    """A benchmark that works differently for a family.

    Attributes:
        family: Whose models.
        benchmark: On which benchmark.
        results: How many of its models have a result there.
        more: By how much their results are better than expected, from 0 to 1, against all others; below 0: worse.
        points: How much easier the benchmark is for them, in points of score.
        chance: The share of such or larger differences in data without any, corrected for how many were looked at.
    """

    family: str
    benchmark: str
    results: int
    more: float
    points: float
    chance: float


@dataclass(frozen=True)
class Screen:
    """What the screen found.

    Attributes:
        found: Differences of which at most 5 % should be there by chance, those in the family's favour first.
        looked: How many pairs of a family and a benchmark were looked at.
    """

    found: tuple[Functioning, ...]
    looked: int


def screened(fitted: Fit, families: Mapping[str, str]) -> Screen:
    """Compare each family's residuals on each benchmark with those of all others there.

    What is expected of a result is taken from the model's other results. Means are compared by Welch's test, which does
    not take both groups to scatter alike; of all that are reported at most 5 % should be there by chance (Benjamini and
    Hochberg, 1995).

    Args:
        fitted: The fit.
        families: The family of a model, by name; those without one count among the others.
    """
    r = fitted.responses
    off, slope = unseen_residuals(fitted)
    names = sorted(set(families.values()))
    number = {name: place for place, name in enumerate(names)}
    family = np.array([number.get(families.get(model, ""), -1) for model in r.models], dtype=np.intp)[r.model]
    shape = (len(names), len(r.benchmarks))
    known = family >= 0
    mine = _Moments.of(family[known], r.benchmark[known], off[known], shape)
    others = _Moments.of(np.zeros(len(r), dtype=np.intp), r.benchmark, off, (1, shape[1])).less(mine)
    steep = _Moments.of(family[known], r.benchmark[known], slope[known], shape)
    error = mine.error + others.error
    looked = np.nonzero((mine.count >= LEAST) & (others.count >= LEAST) & (error > 1e-24))
    if not len(looked[0]):
        return Screen((), 0)
    more = (mine.mean - others.mean)[looked]
    # Welch and Satterthwaite's degrees of freedom.
    parts = [(one.error**2)[looked] / (one.count[looked] - 1) for one in (mine, others)]
    freedom = error[looked] ** 2 / (parts[0] + parts[1])
    corrected = false_discovery_control(2 * student.sf(np.abs(more) / np.sqrt(error[looked]), freedom))
    points = UNIT * more / steep.mean[looked]
    found = [
        Functioning(names[i], r.benchmarks[j], int(mine.count[i, j]), float(more[n]), float(points[n]), float(c))
        for n, (i, j, c) in enumerate(zip(*looked, corrected, strict=True))
        if c <= FALSE
    ]
    return Screen(tuple(sorted(found, key=lambda one: (-one.more, one.family, one.benchmark))), len(more))


@dataclass(frozen=True, eq=False)
class _Moments:
    """Counts, sums and sums of squares of values in a table of F families and J benchmarks; each of shape (F, J)."""

    count: Floats
    total: Floats
    square: Floats

    @classmethod
    def of(cls, family: Places, benchmark: Places, values: Floats, shape: tuple[int, int]) -> _Moments:
        cell = family * shape[1] + benchmark
        size = shape[0] * shape[1]
        powers = (np.ones(len(values)), values, values**2)
        return cls(*(np.asarray(np.bincount(cell, one, minlength=size).reshape(shape), np.float64) for one in powers))

    def less(self, other: _Moments) -> _Moments:
        """Return what is left without what another counts."""
        return _Moments(self.count - other.count, self.total - other.total, self.square - other.square)

    @property
    def mean(self) -> Floats:
        return np.asarray(self.total / np.maximum(self.count, 1))

    @property
    def error(self) -> Floats:
        """The square of the means' standard errors."""
        n = np.maximum(self.count, 2)
        return np.asarray(np.maximum(self.square - self.count * self.mean**2, 0.0) / (n - 1) / n)


def unseen_residuals(fitted: Fit) -> tuple[Floats, Floats]:
    """Return each result less what the model's other results lead one to expect; and how steep the curve is there.

    The ability without a result is one step of Newton's away from that with it.

    Returns:
        Residuals, and slopes of what is expected along ability; each of shape (n,).
    """
    r = fitted.responses
    objective = Objective(r, fitted.options)
    curvature = objective.curvature(fitted.at, exact=False).theta
    a = np.exp(fitted.at.alpha)[r.benchmark]
    p = fitted.expected
    slope = a * p * (1 - p)
    weight = slope / fitted.options.sigma**2 if fitted.options.likelihood == "gaussian" else a
    own = slope * weight
    # Without it, the ability is lower by what it pulled the model up.
    left = np.maximum(curvature[r.model] - own, 1 / fitted.options.theta_sd**2)
    theta = fitted.at.theta[r.model] - (r.score - p) * weight / left
    z = a * (theta - fitted.at.difficulty[r.benchmark])
    expected = 1 / (1 + np.exp(-np.clip(z, -500, 500)))
    return r.score - expected, np.maximum(slope, 1e-3)
