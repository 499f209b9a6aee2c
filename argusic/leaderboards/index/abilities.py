"""Abilities with the benchmarks' parameters held: of one model, for many weightings of its results at once.

With held benchmarks a model's posterior has one unknown. It may have several peaks, where results contradict each
other; so the highest is looked for on a grid, over all weightings in one product of matrices, and then found by
Newton's steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from argusic.leaderboards.index.fitting import Fit
from argusic.leaderboards.index.one_thread import one_thread
from argusic.leaderboards.index.options import Options
from argusic.leaderboards.index.responses import Floats

#: How fine the grid is, and how far it reaches beyond the abilities of the fit: in units of ability.
_SPACING, _BEYOND = 0.125, 1.5
_STEPS = 60
_LARGEST_STEP = 1.0
#: How much less likely another peak may seem on the grid while it is the highest.
_AS_HIGH = 5.0
#: A step this small is the last: its square is what the next would be.
_SMALL = 1e-4


class Modes(NamedTuple):
    """Where a model's posterior is largest; each of shape (D,)."""

    theta: Floats
    """The ability there."""
    spread: Floats
    """Its standard deviation by Laplace's approximation, as in a fit's conditional ranges."""


class Peaks(NamedTuple):
    """A posterior along the grid; each of shape (D, G)."""

    height: Floats
    """Its negative logarithm at the peak nearest to each node, about."""
    slope: Floats
    """The first derivative of that at each node."""
    bend: Floats
    """The second."""


@dataclass(frozen=True, eq=False)
class Held:
    """Results of one model on benchmarks whose parameters are held. k results.

    Attributes:
        discrimination: a of each result's benchmark; shape (k,).
        difficulty: b of it; shape (k,).
        score: The results; shape (k,).
        options: The settings of the fit.
        grid: Abilities to begin the search at, evenly spaced; shape (G,).
    """

    discrimination: Floats
    difficulty: Floats
    score: Floats
    options: Options
    grid: Floats

    @one_thread()
    def modes(self, weights: Floats) -> Modes:
        """Return the modes for results that count as often as weights say; shape (D, k)."""
        peaks = self._peaks(weights)
        rows, first = np.arange(len(weights)), np.argmin(peaks.height, axis=1)
        theta = self._climb(self._start(peaks, first), weights)
        # Where another peak may be as high, both are climbed.
        heights = np.where(_lows(peaks.height), peaks.height, np.inf)
        heights[rows, first] = np.inf
        rival = np.argmin(heights, axis=1)
        close = heights[rows, rival] - peaks.height[rows, first] < _AS_HIGH
        if np.any(close):
            part = Peaks(*(one[close] for one in peaks))
            other = self._climb(self._start(part, rival[close]), weights[close])
            lower = self._height(other, weights[close]) < self._height(theta[close], weights[close])
            theta[close] = np.where(lower, other, theta[close])
        w = _spread_of(self.discrimination * (theta[:, None] - self.difficulty), self.options) * self.discrimination**2
        return Modes(theta, 1 / np.sqrt(np.einsum("dk,dk->d", weights, w) + 1 / self.options.theta_sd**2))

    def _peaks(self, weights: Floats) -> Peaks:
        """Return how high the posterior's peaks are near each node of the grid, lowest the highest."""
        prior = 1 / self.options.theta_sd**2
        value, first, exact, _ = self._along(self.grid[:, None])
        slope = weights @ first.T + prior * self.grid
        bend = weights @ exact.T + prior
        # A narrow peak between two nodes counts as high as a parabola through its nearer one says.
        near = (bend > 0) & (np.abs(slope) <= bend * _SPACING)
        above = np.where(near, 0.5 * slope**2 / np.where(near, bend, 1.0), 0.0)
        return Peaks(weights @ value.T + 0.5 * prior * self.grid**2 - above, slope, bend)

    def _start(self, peaks: Peaks, node: np.typing.NDArray[np.intp]) -> Floats:
        """Return a node for each weighting, moved to where the slope between it and the next is none."""
        rows = np.arange(len(node))
        here = peaks.slope[rows, node]
        # Down the slope lies the peak: between this node and the next on that side.
        other = np.clip(node - np.sign(here).astype(np.intp), 0, len(self.grid) - 1)
        width = self.grid[other] - self.grid[node]
        ends = peaks.bend[rows, node] * width, peaks.bend[rows, other] * width
        return np.asarray(self.grid[node] + width * _crossing(here, peaks.slope[rows, other], *ends))

    def _climb(self, theta: Floats, weights: Floats) -> Floats:
        """Return where Newton's steps end from some abilities."""
        prior = 1 / self.options.theta_sd**2
        for _ in range(_STEPS):
            _, first, exact, bend = self._along(theta[:, None])
            slope = np.einsum("dk,dk->d", weights, first) + prior * theta
            curvature = np.einsum("dk,dk->d", weights, bend) + prior
            true = np.einsum("dk,dk->d", weights, exact) + prior
            step = np.clip(slope / np.where(true > 0, true, curvature), -_LARGEST_STEP, _LARGEST_STEP)
            theta = theta - step
            if np.max(np.abs(step), initial=0.0) < _SMALL:
                break
        return theta

    def _height(self, theta: Floats, weights: Floats) -> Floats:
        """Return the negative logarithm of the posterior, up to a constant."""
        value = np.einsum("dk,dk->d", weights, self._along(theta[:, None])[0])
        return np.asarray(value + 0.5 * (theta / self.options.theta_sd) ** 2)

    def _along(self, theta: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return value, first and second derivative, and what is positive of it, of each result's part in theta."""
        a, y = self.discrimination, self.score
        z = a * (theta - self.difficulty)
        p = expit(z)
        off, w = p - y, p * (1 - p)
        if self.options.likelihood == "bernoulli":
            return np.logaddexp(0.0, z) - y * z, a * off, a * a * w, a * a * w
        scale = self.options.sigma**2
        bend = a * a * w * w / scale
        return 0.5 * off * off / scale, a * off * w / scale, bend + a * a * off * w * (1 - 2 * p) / scale, bend


def _spread_of(z: Floats, options: Options) -> Floats:
    """Return the information of a result along its z."""
    p = expit(z)
    w = p * (1 - p)
    return np.asarray(w if options.likelihood == "bernoulli" else w * w / options.sigma**2)


def _crossing(left: Floats, right: Floats, left_slope: Floats, right_slope: Floats) -> Floats:
    """Return where, from 0 to 1, the cubic with these ends and slopes is 0; 0 where its ends have one sign."""
    at = np.clip(left / np.where(left == right, 1.0, left - right), 0, 1)
    for _ in range(3):
        t, s = at, 1 - at
        value = (
            (1 + 2 * t) * s * s * left + t * s * s * left_slope + t * t * (3 - 2 * t) * right - t * t * s * right_slope
        )
        slope = 6 * t * s * (right - left) + s * (1 - 3 * t) * left_slope + t * (3 * t - 2) * right_slope
        at = np.clip(at - value / np.where(slope == 0, 1.0, slope), 0, 1)
    return np.where(np.sign(left) * np.sign(right) < 0, at, 0.0)


def _lows(values: Floats) -> np.typing.NDArray[np.bool_]:
    """Return which values of each row are no larger than both beside them."""
    edge = np.full((len(values), 1), np.inf)
    padded = np.hstack([edge, values, edge])
    return np.asarray((values <= padded[:, :-2]) & (values <= padded[:, 2:]))


def held(fitted: Fit, place: int) -> Held:
    """Return a model's results, by its place in a fit, with the benchmarks' parameters as fitted."""
    r = fitted.responses
    rows = slice(*np.searchsorted(r.model, [place, place + 1]))
    item = r.benchmark[rows]
    return Held(np.exp(fitted.at.alpha)[item], fitted.at.difficulty[item], r.score[rows], fitted.options, grid(fitted))


def grid(fitted: Fit) -> Floats:
    """Return abilities, evenly spaced, around all those of a fit."""
    theta = fitted.at.theta
    low, high = np.min(theta, initial=0.0) - _BEYOND, np.max(theta, initial=0.0) + _BEYOND
    return np.asarray(np.linspace(low, high, int(np.ceil((high - low) / _SPACING)) + 1))


@one_thread()
def abilities(fitted: Fit, places: np.typing.NDArray[np.intp], weights: Floats) -> Modes:
    """Return the abilities of some models with weighted benchmarks, whose parameters are held.

    Args:
        fitted: The fit.
        places: The models, as places among the fit's; shape (M,).
        weights: How often each benchmark counts in each draw; shape (D, J).

    Returns:
        Abilities and their standard deviations, of shape (D, M). Where a model has no result in a draw they are NaN.
    """
    r = fitted.responses
    theta, spread = np.full((len(places), len(weights)), np.nan), np.full((len(places), len(weights)), np.nan)
    by_item = np.ascontiguousarray(weights.T)
    for row, place in enumerate(places):
        items = r.benchmark[slice(*np.searchsorted(r.model, [place, place + 1]))]
        times = np.ascontiguousarray(by_item[items].T)
        there = np.any(times > 0, axis=1)
        if np.any(there):
            found = held(fitted, int(place)).modes(times)
            theta[row], spread[row] = np.where(there, found.theta, np.nan), np.where(there, found.spread, np.nan)
    return Modes(theta.T, spread.T)
