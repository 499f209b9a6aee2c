"""Whether neighbours can be told apart: ranks over benchmarks drawn anew, with the benchmarks' parameters frozen.

A range of one model says nothing of the order of two. So benchmarks are drawn with replacement, as many as there are;
each result counts as often as its benchmark was drawn; abilities are estimated anew and ranked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argusic.leaderboards.index.abilities import abilities
from argusic.leaderboards.index.fitting import Fit
from argusic.leaderboards.index.one_thread import one_thread
from argusic.leaderboards.index.ranges import LEVEL
from argusic.leaderboards.index.responses import Floats

#: The share of draws in which an order must hold to count as known.
KNOWN = 0.95


@dataclass(frozen=True, eq=False)
class Ranks:
    """What ranks are worth. M models, in the order of their abilities, the highest first; D draws.

    Attributes:
        models: The models' names; length M.
        low: The low end of each rank's interval of 90 %, from 1; shape (M,). 1 for a model that is in no draw.
        high: Its high end; shape (M,). M for a model that is in no draw.
        ahead: In which share of the draws that have both the row's model is ahead of the column's; one half where
            no draw has both; shape (M, M).
        group: The group of each, from 1: whoever begins one is behind the first of the group before in at least 95 %
            of the draws, and whoever follows is not; shape (M,). Neighbours of two groups need not be told apart.
        known: Whether the order of each with every other holds in at least 95 % of the draws; shape (M,).
        missing: In how many draws a model had none of its benchmarks, and no rank; shape (M,).
        draws: How many draws there were.
    """

    models: tuple[str, ...]
    low: NDArray[np.intp]
    high: NDArray[np.intp]
    ahead: Floats
    group: NDArray[np.intp]
    known: NDArray[np.bool_]
    missing: NDArray[np.intp]
    draws: int


@dataclass(frozen=True, eq=False)
class Resampled:
    """Abilities of some models in each of many draws of the benchmarks: to be ranked in one field or several.

    Attributes:
        models: The models' names, the highest ability first; length M.
        theta: Their abilities in each draw, NaN where a model drew none of its benchmarks; shape (D, M).
    """

    models: tuple[str, ...]
    theta: Floats

    def among(self, models: Sequence[str]) -> Ranks:
        """Rank some of the models among each other.

        Raises:
            ValueError: A model is not among those drawn for, or stands twice.
        """
        wanted = _once(models, self.models)
        kept = [place for place, name in enumerate(self.models) if name in wanted]
        theta = self.theta[:, kept]
        ranks, ahead = _ranked(theta)
        low, high = _intervals(ranks)
        missing = np.sum(np.isnan(theta), axis=0)
        names = tuple(self.models[place] for place in kept)
        return Ranks(names, low, high, ahead, _groups(ahead), _known(ahead), missing, len(theta))


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
    return resampled(fitted, models, draws=draws, seed=seed).among(models)


@one_thread()
def resampled(fitted: Fit, models: Sequence[str], *, draws: int = 500, seed: int = 0) -> Resampled:
    """Estimate the abilities of some models in each of many draws of the benchmarks; arguments as for `rank`.

    Raises:
        ValueError: A model is not in the fit, or stands twice.
    """
    wanted = _once(models, fitted.responses.models)
    places = [place for place, name in enumerate(fitted.responses.models) if name in wanted]
    # Equals by name, which is the order of the fit's models.
    order = np.array(sorted(places, key=lambda place: (-fitted.at.theta[place], place)), dtype=np.intp)
    found = abilities(fitted, order, drawn(len(fitted.responses.benchmarks), draws, seed))
    return Resampled(tuple(fitted.responses.models[place] for place in order), found.theta)


def drawn(count: int, draws: int, seed: int) -> Floats:
    """Return how often each of `count` benchmarks is drawn in each draw; shape (draws, count)."""
    random = np.random.default_rng(seed)
    chosen = random.integers(0, count, size=(draws, count))
    own = np.arange(draws)[:, None] * count
    return np.bincount((own + chosen).ravel(), minlength=draws * count).reshape(draws, count).astype(np.float64)


def _once(models: Sequence[str], known: Sequence[str]) -> set[str]:
    wanted = set(models)
    if len(wanted) != len(models):
        raise ValueError("a model stands twice")
    unknown = sorted(wanted - set(known))
    if unknown:
        raise ValueError(f"{unknown[0]!r} is not in the fit")
    return wanted


def _ranked(theta: Floats) -> tuple[Floats, Floats]:
    """Return ranks in each draw, NaN without one; and in which share of the draws that have both one is ahead.

    Equals share the better rank, and half the draw between them.
    """
    there = ~np.isnan(theta)
    count = theta.shape[1]
    ranks, points = np.full(theta.shape, np.nan), np.zeros((count, count))
    for model in range(count):
        # A comparison with NaN is false: who has no ability is neither ahead nor behind.
        own = theta[:, model : model + 1]
        behind, equal = own < theta, own == theta
        ranks[:, model] = 1 + np.sum(behind, axis=1)
        points[:, model] = np.sum(behind, axis=0) + 0.5 * np.sum(equal, axis=0)
    ranks[~there] = np.nan
    both = there.T.astype(np.float64) @ there.astype(np.float64)
    return ranks, np.where(both > 0, points / np.maximum(both, 1), 0.5)


def _intervals(ranks: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the interval of 90 % of each rank: quantiles over the draws that have one, each a rank that occurred."""
    draws, count = ranks.shape
    # NaN is sorted to the end.
    ordered = np.sort(ranks, axis=0)
    there = np.sum(~np.isnan(ranks), axis=0)
    edge = (1 - LEVEL) / 2
    own = np.arange(count)
    # Rounding must not push a share of exactly one draw to the next.
    low = np.clip(np.ceil(edge * there - 1e-9).astype(np.intp) - 1, 0, draws - 1)
    high = np.clip(np.ceil((1 - edge) * there - 1e-9).astype(np.intp) - 1, 0, draws - 1)
    return (
        np.where(there > 0, ordered[low, own], 1).astype(np.intp),
        np.where(there > 0, ordered[high, own], count).astype(np.intp),
    )


def _groups(ahead: Floats) -> NDArray[np.intp]:
    """Return the group of each model of an order."""
    group = np.ones(len(ahead), dtype=np.intp)
    first = 0
    for model in range(1, len(ahead)):
        begins = bool(ahead[first, model] >= KNOWN)
        first = model if begins else first
        group[model] = group[model - 1] + begins
    return group


def _known(ahead: Floats) -> NDArray[np.bool_]:
    """Return of each model of an order whether everyone above is ahead of it often enough, and it of everyone below."""
    holds = np.triu(ahead >= KNOWN, 1)
    return np.asarray(np.all((holds | holds.T)[~np.eye(len(ahead), dtype=bool)].reshape(len(ahead), -1), axis=1))
