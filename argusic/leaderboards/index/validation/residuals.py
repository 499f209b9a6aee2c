"""What the fit leaves over: by benchmark, by single result, and between two benchmarks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import false_discovery_control, norm

from argusic.leaderboards.index.fitting import Fit
from argusic.leaderboards.index.one_thread import one_thread
from argusic.leaderboards.index.responses import Floats
from argusic.leaderboards.index.validation.cross import Predicted, rms

#: How many models two benchmarks must share for their residuals to be held against each other.
LEAST_SHARED = 20
#: The share of false ones that is put up with among all pairs that are reported.
FALSE = 0.05


@dataclass(frozen=True)
class Left:
    """What is left over on a benchmark, from 0 to 1.

    Attributes:
        benchmark: Which.
        results: How many.
        rmse: The root of the mean square of the residuals.
        held_out: The same for results that the fit had not seen.
        mean: Their mean: by how much results are better than expected.
    """

    benchmark: str
    results: int
    rmse: float
    held_out: float
    mean: float


@dataclass(frozen=True)
class Surprise:
    """A result that is far from what is expected of it.

    Attributes:
        model: Whose.
        benchmark: On which benchmark.
        score: The result, from 0 to 1.
        expected: What a fit that had not seen it expects.
        off: The difference in units of the standard deviation that the fit claims.
    """

    model: str
    benchmark: str
    score: float
    expected: float
    off: float


@dataclass(frozen=True)
class Pair:
    """Two benchmarks whose residuals go together, beyond what one ability explains.

    Attributes:
        first: One.
        second: The other, later by name.
        shared: How many models have both.
        correlation: Of the residuals (Yen's Q3).
    """

    first: str
    second: str
    shared: int
    correlation: float


def left(fitted: Fit, unseen: Predicted) -> tuple[Left, ...]:
    """Return what is left over on each benchmark that has a result, the largest root mean square first."""
    r = fitted.responses
    off, held_out = r.score - fitted.expected, r.score - unseen.index
    found = []
    for place, name in enumerate(r.benchmarks):
        own = r.benchmark == place
        if np.any(own):
            found.append(Left(name, int(np.sum(own)), rms(off[own]), rms(held_out[own]), float(np.mean(off[own]))))
    return tuple(sorted(found, key=lambda one: (-one.rmse, one.benchmark)))


def surprises(fitted: Fit, unseen: Predicted, *, most: int = 10) -> tuple[Surprise, ...]:
    """Return the results that are furthest from what a fit without them expects."""
    r = fitted.responses
    off = (r.score - unseen.index) / unseen.sd
    return tuple(
        Surprise(
            r.models[r.model[n]],
            r.benchmarks[r.benchmark[n]],
            float(r.score[n]),
            float(unseen.index[n]),
            float(off[n]),
        )
        for n in np.argsort(-np.abs(off), kind="stable")[:most]
    )


@one_thread()
def dependent(fitted: Fit) -> tuple[tuple[Pair, ...], int]:
    """Return the pairs of benchmarks whose residuals go together, and how many pairs were looked at.

    Residuals of one benchmark are held against those of another over the models that have both (Yen, Effects of Local
    Item Dependence, 1984). The correlation's significance is Fisher's, and of all pairs at most 5 % of those reported
    should be there by chance (Benjamini and Hochberg, 1995). The strongest come first.
    """
    r = fitted.responses
    table = np.full((len(r.models), len(r.benchmarks)), np.nan)
    table[r.model, r.benchmark] = r.score - fitted.expected
    shared, correlation = _correlations(table)
    first, second = np.nonzero(np.triu(shared >= LEAST_SHARED, 1) & np.isfinite(correlation))
    if not len(first):
        return (), 0
    found = np.clip(correlation[first, second], -0.999999, 0.999999)
    chance = 2 * norm.sf(np.abs(np.arctanh(found)) * np.sqrt(shared[first, second] - 3))
    kept = np.flatnonzero(false_discovery_control(chance) <= FALSE)
    pairs = [
        Pair(r.benchmarks[first[n]], r.benchmarks[second[n]], int(shared[first[n], second[n]]), float(found[n]))
        for n in kept
    ]
    return tuple(sorted(pairs, key=lambda pair: (-abs(pair.correlation), pair.first, pair.second))), len(first)


def _correlations(table: Floats) -> tuple[Floats, Floats]:
    """Return how many rows two columns share, and their correlation over those; NaN where one of them is constant."""
    there = (~np.isnan(table)).astype(np.float64)
    x = np.nan_to_num(table)
    shared = there.T @ there
    total, square, product = x.T @ there, (x * x).T @ there, x.T @ x
    n = np.maximum(shared, 1)
    spread = square / n - (total / n) ** 2
    both = spread * spread.T
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (product / n - (total / n) * (total.T / n)) / np.sqrt(both)
    return shared, np.where(both > 1e-18, found, np.nan)
