"""Abilities with the benchmarks' parameters held: one number from some of a model's results, and from nothing else.

What a domain score, a result's pull and a score under a frozen reference have in common. Each ability is solved for by
itself, so that the very last bit of it depends on no other model's results.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from argusic.leaderboards.index.options import Options
from argusic.leaderboards.index.responses import Floats, Places

#: Where the largest of several peaks is looked for first, in standard deviations of the prior: steps of 1/32.
_GRID = np.linspace(-8.0, 8.0, 513)
_SPACING = float(_GRID[1] - _GRID[0])
_STEPS = 100
_ENOUGH = 1e-12
#: How many cells of results and grid points are held at a time.
_AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False)
class Rows:
    """Results in groups, one ability each. R results, G groups.

    Attributes:
        group: Which group each is of, ascending; shape (R,).
        groups: How many groups there are; one without a result is placed by the prior.
        difficulty: b of its benchmark, in units of ability; shape (R,).
        discrimination: a of its benchmark; shape (R,).
        score: The result, from 0 to 1; shape (R,).
    """

    group: Places
    groups: int
    difficulty: Floats
    discrimination: Floats
    score: Floats

    def part(self, first: int, last: int) -> Rows:
        """Return the groups from `first` up to, and without, `last`."""
        rows = slice(*np.searchsorted(self.group, [first, last]))
        return Rows(
            self.group[rows] - first,
            last - first,
            self.difficulty[rows],
            self.discrimination[rows],
            self.score[rows],
        )


@dataclass(frozen=True, eq=False)
class Placed:
    """Abilities and how sure they are, in units of ability.

    Attributes:
        theta: The mode of each posterior; shape (G,).
        sd: Its standard deviation by Laplace's approximation, with Gauss and Newton's curvature; shape (G,).
    """

    theta: Floats
    sd: Floats


def place(rows: Rows, options: Options) -> Placed:
    """Return the ability of each group: the highest of the peaks that its posterior has between 8 standard deviations
    of the prior below and above."""
    parts = [_place(rows.part(first, last), options) for first, last in _portions(rows)]
    return Placed(
        np.concatenate([part.theta for part in parts]) if parts else np.zeros(0),
        np.concatenate([part.sd for part in parts]) if parts else np.zeros(0),
    )


def _portions(rows: Rows) -> list[tuple[int, int]]:
    """Return ranges of groups that are small enough to be placed at once."""
    sizes = np.bincount(rows.group, minlength=rows.groups) + 1
    most = _AT_ONCE // len(_GRID)
    bounds, held = [0], 0
    for group, size in enumerate(sizes):
        if held and held + size > most:
            bounds.append(group)
            held = 0
        held += int(size)
    return [(first, last) for first, last in zip(bounds, [*bounds[1:], rows.groups], strict=True) if first < last]


def _place(rows: Rows, options: Options) -> Placed:
    theta = options.theta_sd * _GRID[np.argmin(_values(rows, options), axis=0)]
    low, high = theta - _SPACING * options.theta_sd, theta + _SPACING * options.theta_sd
    moving = np.ones(rows.groups, dtype=bool)
    for _ in range(_STEPS):
        slope, bend = _derivatives(rows, theta, options)
        # The peak lies where the slope changes its sign: the bracket closes in on it, whatever a step would do.
        low, high = np.where(slope < 0, theta, low), np.where(slope > 0, theta, high)
        step = theta - slope / bend
        there = np.where((step > low) & (step < high), step, 0.5 * (low + high))
        there = np.where(moving & (slope != 0), there, theta)
        # Each stops by itself: another's further steps change nothing of it.
        moving &= np.abs(there - theta) > _ENOUGH * np.maximum(1.0, np.abs(theta))
        theta = there
        if not moving.any():
            break
    return Placed(theta, 1 / np.sqrt(_derivatives(rows, theta, options)[1]))


def _values(rows: Rows, options: Options) -> Floats:
    """Return the negative logarithm of the posterior on the grid; shape (grid points, G)."""
    theta = options.theta_sd * _GRID[:, None]
    z = rows.discrimination * (theta - rows.difficulty)
    if options.likelihood == "gaussian":
        cost = 0.5 * ((expit(z) - rows.score) / options.sigma) ** 2
    else:
        cost = np.logaddexp(0.0, z) - rows.score * z
    return np.stack([_summed(rows, line) for line in cost]) + 0.5 * _GRID[:, None] ** 2


def _derivatives(rows: Rows, theta: Floats, options: Options) -> tuple[Floats, Floats]:
    """Return the slope and Gauss and Newton's curvature of each group's posterior; each of shape (G,)."""
    a = rows.discrimination
    p = expit(a * (theta[rows.group] - rows.difficulty))
    w = p * (1 - p)
    if options.likelihood == "gaussian":
        slope, bend = (p - rows.score) * w / options.sigma**2, w * w / options.sigma**2
    else:
        slope, bend = p - rows.score, w
    prior = 1 / options.theta_sd**2
    return _summed(rows, slope * a) + prior * theta, _summed(rows, bend * a * a) + prior


def _summed(rows: Rows, values: Floats) -> NDArray[np.float64]:
    return np.asarray(np.bincount(rows.group, values, minlength=rows.groups), dtype=np.float64)
