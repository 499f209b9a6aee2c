"""Two fits, or a fit and a truth, on one scale; and how sure abilities are once a scale is given.

Results do not say where abilities are 0 nor how long a unit is: theta and b may be shifted and stretched together, and
a shrunk as much, without changing what is expected. The priors alone settle it. So abilities of two fits are compared
after a line puts one on the other's scale (linking; Kolen and Brennan, Test Equating, Scaling, and Linking, 2014), and
a joint range, which holds the scale for uncertain too, is wider than what such a comparison leaves open.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, solve_triangular

from argusic.leaderboards.index.fitting import Fit
from argusic.leaderboards.index.objective import Objective
from argusic.leaderboards.index.responses import Floats


class Line(NamedTuple):
    """How one scale is put on another."""

    zero: float
    """Where its 0 comes to lie."""
    unit: float
    """How long its unit becomes."""

    def put(self, theta: Floats) -> Floats:
        """Return abilities on the other scale."""
        return self.zero + self.unit * theta


def regressed(truth: Floats, theta: Floats) -> Line:
    """Return the line that puts abilities that are known without error on the scale of estimates, by least squares."""
    off = truth - np.mean(truth)
    square = float(off @ off)
    unit = float(off @ theta) / square if square > 0 else 1.0
    return Line(float(np.mean(theta)) - unit * float(np.mean(truth)), unit)


def standardised(theta: Floats) -> Line:
    """Return the line that gives estimates mean 0 and standard deviation 1: for two that err alike."""
    sd = float(np.std(theta))
    return Line(-float(np.mean(theta)) / sd, 1 / sd) if sd > 0 else Line(-float(np.mean(theta)), 1.0)


def known_scale(fitted: Fit, among: NDArray[np.bool_]) -> Floats:
    """Return standard deviations of abilities with the benchmarks' parameters uncertain, and the scale given.

    It is the joint covariance without what a line through the abilities takes up.

    Args:
        fitted: The fit. What it holds is taken for uncertain too.
        among: The models by which the scale is given; at least three; shape (I,).
    """
    r = fitted.responses
    curvature = Objective(r, fitted.options).curvature(fitted.at, exact=False)
    models, items = len(r.models), len(r.benchmarks)
    mixed = np.zeros((models, 2 * items))
    mixed[r.model, r.benchmark] = curvature.mixed_difficulty
    mixed[r.model, items + r.benchmark] = curvature.mixed_alpha
    scaled = mixed / curvature.theta[:, None]
    own = np.arange(items)
    schur = -(mixed.T @ scaled)
    schur[own, own] += curvature.difficulty
    schur[items + own, items + own] += curvature.alpha
    schur[own, items + own] += curvature.cross
    schur[items + own, own] += curvature.cross
    line = np.stack([np.ones(models), fitted.at.theta], axis=1)
    given = line * among[:, None]
    fitted_line = np.linalg.solve(given.T @ line, given.T)
    # (1 - X G) (1/d + E S^-1 E^T) (1 - X G)^T, of which the diagonal alone is wanted.
    leverage = np.einsum("ik,ki->i", line, fitted_line)
    of_line = (fitted_line / curvature.theta) @ fitted_line.T
    alone = (1 - 2 * leverage) / curvature.theta + np.einsum("ik,kl,il->i", line, of_line, line)
    left = scaled - line @ (fitted_line @ scaled)
    half = solve_triangular(np.tril(cho_factor(schur, lower=True)[0]), left.T, lower=True)
    return np.asarray(np.sqrt(alone + np.sum(half * half, axis=0)))
