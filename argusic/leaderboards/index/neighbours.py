"""Whether neighbours can be told apart: ranks over benchmarks drawn anew, with the benchmarks' parameters frozen.

A range of one model says nothing of the order of two. So benchmarks are drawn with replacement, as many as there are;
each result counts as often as its benchmark was drawn; abilities are estimated anew and ranked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from argusic.leaderboards.index.fit import Fit
from argusic.leaderboards.index.ranges import LEVEL
from argusic.leaderboards.index.responses import Floats

#: The share of draws in which an order must hold to count as known.
KNOWN = 0.95
_STEPS = 60
_LARGEST_STEP = 2.0


@dataclass(frozen=True, eq=False)
class Ranks:
    """What ranks are worth. M models, in the order of their abilities, the highest first; D draws.

    Attributes:
        models: The models' names; length M.
        low: The low end of each rank's interval of 90 %, from 1; shape (M,).
        high: Its high end; shape (M,).
        ahead: In which share of the draws that have both the row's model is ahead of the column's; shape (M, M).
        group: The group of each, from 1: whoever begins one is behind all of the group before in at least 95 % of
            the draws; shape (M,).
        missing: In how many draws a model had none of its benchmarks, and no rank; shape (M,).
        draws: How many draws there were.
    """

    models: tuple[str, ...]
    low: NDArray[np.intp]
    high: NDArray[np.intp]
    ahead: Floats
    group: NDArray[np.intp]
    missing: NDArray[np.intp]
    draws: int


def rank(fitted: Fit, models: Sequence[str], *, draws: int = 500, seed: int = 0) -> Ranks:
    """Rank some models in each of many draws of the benchmarks.

    Args:
        fitted: The fit, whose benchmarks keep their parameters.
        models: The models to rank: those that pass the gate on all data.
        draws: How many draws.
        seed: Which draws.

    Raises:
        ValueError: A model is not in the fit, or stands twice.
    """
    places = _places(fitted, models)
    weights = drawn(len(fitted.responses.benchmarks), draws, seed)
    theta, there = abilities(fitted, places, weights)
    theta[~there] = np.nan
    low, high = _intervals(theta)
    ahead = _ahead(theta)
    names = tuple(fitted.responses.models[place] for place in places)
    return Ranks(names, low, high, ahead, _groups(ahead), np.sum(~there, axis=0), draws)


def drawn(count: int, draws: int, seed: int) -> Floats:
    """Return how often each of `count` benchmarks is drawn in each draw; shape (draws, count)."""
    random = np.random.default_rng(seed)
    chosen = random.integers(0, count, size=(draws, count))
    weights = np.zeros((draws, count))
    np.add.at(weights, (np.arange(draws)[:, None], chosen), 1.0)
    return weights


def abilities(fitted: Fit, places: NDArray[np.intp], weights: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the abilities of some models with weighted benchmarks, whose parameters are held.

    Args:
        fitted: The fit.
        places: The models, as places among the fit's; shape (M,).
        weights: How often each benchmark counts in each draw; shape (D, J).

    Returns:
        Abilities, and whether a model had any result in a draw; each of shape (D, M).
    """
    r, options = fitted.responses, fitted.options
    starts = np.searchsorted(r.model, places)
    ends = np.searchsorted(r.model, places, side="right")
    rows = np.concatenate([np.arange(start, end) for start, end in zip(starts, ends, strict=True)])
    whose = np.repeat(np.arange(len(places)), ends - starts)
    begin = np.concatenate([[0], np.cumsum(ends - starts)[:-1]])
    item = r.benchmark[rows]
    a, b, y = np.exp(fitted.at.alpha)[item], fitted.at.difficulty[item], r.score[rows]
    times = weights[:, item]
    theta = np.repeat(fitted.at.theta[places][None, :], len(weights), axis=0)
    prior = 1 / options.theta_sd**2
    for _ in range(_STEPS):
        p = expit(a * (theta[:, whose] - b))
        w = p * (1 - p)
        if options.likelihood == "gaussian":
            slope, bend = (p - y) * w / options.sigma**2, w * w / options.sigma**2
        else:
            slope, bend = p - y, w
        first = np.add.reduceat(times * slope * a, begin, axis=1) + prior * theta
        second = np.add.reduceat(times * bend * a * a, begin, axis=1) + prior
        step = np.clip(first / second, -_LARGEST_STEP, _LARGEST_STEP)
        theta -= step
        if np.max(np.abs(step)) < 1e-6:
            break
    return theta, np.add.reduceat(times, begin, axis=1) > 0


def _places(fitted: Fit, models: Sequence[str]) -> NDArray[np.intp]:
    """Return the places of models, the highest ability first, equals by name."""
    if len(set(models)) != len(models):
        raise ValueError("a model stands twice")
    of_name = {name: place for place, name in enumerate(fitted.responses.models)}
    unknown = [name for name in models if name not in of_name]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is not in the fit")
    places = sorted((of_name[name] for name in models), key=lambda place: (-fitted.at.theta[place], place))
    return np.array(places, dtype=np.intp)


def _intervals(theta: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the interval of each rank over the draws that it has one in."""
    above = np.where(np.isnan(theta), -np.inf, theta)
    # How many are strictly ahead: equals share a rank.
    ranks = 1 + np.sum(above[:, None, :] > above[:, :, None], axis=2).astype(np.float64)
    ranks[np.isnan(theta)] = np.nan
    edge = (1 - LEVEL) / 2
    low = np.nanquantile(ranks, edge, axis=0, method="inverted_cdf")
    high = np.nanquantile(ranks, 1 - edge, axis=0, method="inverted_cdf")
    return low.astype(np.intp), high.astype(np.intp)


def _ahead(theta: Floats) -> Floats:
    there = ~np.isnan(theta)
    both = there.T.astype(np.float64) @ there.astype(np.float64)
    above = np.where(there, theta, -np.inf)
    wins = np.sum((above[:, :, None] > above[:, None, :]) & there[:, :, None] & there[:, None, :], axis=0)
    ties = np.sum((above[:, :, None] == above[:, None, :]) & there[:, :, None] & there[:, None, :], axis=0)
    return np.asarray((wins + 0.5 * ties) / np.maximum(both, 1))


def _groups(ahead: Floats) -> NDArray[np.intp]:
    """Return the group of each model of an order."""
    group = np.ones(len(ahead), dtype=np.intp)
    first = 0
    for model in range(1, len(ahead)):
        begins = bool(np.all(ahead[first:model, model] >= KNOWN))
        first = model if begins else first
        group[model] = group[model - 1] + begins
    return group
