"""What it does that models are not run on benchmarks at random.

That able models are run on hard benchmarks does no harm by itself: given abilities and difficulties, a result that is
missing says nothing (it is ignorable; Rubin, Inference and Missing Data, 1976). What does harm is a result that is
missing because of what it would have been. Neither can be proved from results that are there; so this says how uneven
the coverage is, what changes when unlikely results count more, and what one model would gain by silence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from scipy.stats import norm, spearmanr

from argusic.leaderboards.index.abilities import held
from argusic.leaderboards.index.fitting import UNIT, Fit
from argusic.leaderboards.index.one_thread import one_thread
from argusic.leaderboards.index.responses import Floats

#: How much more than another a result may count, at most and at least.
MOST_WEIGHT = 5.0
#: The share of its results that a model is supposed to have withheld: its worst.
WITHHELD = 0.25
_STEPS = 50


@dataclass(frozen=True)
class Sensitive:
    """What coverage does to one model.

    Attributes:
        model: Who.
        weighted: By how many points its score moves when unlikely results count more.
        withheld: By how many it would be too high, had it alone withheld the worst quarter of its results.
    """

    model: str
    weighted: float
    withheld: float


@dataclass(frozen=True)
class Coverage:
    """How uneven coverage is, and what that does.

    Attributes:
        results_and_ability: The rank correlation of models' abilities with how many results they have.
        ability_and_difficulty: The rank correlation, over all results, of ability with difficulty: above 0 where able
            models are run on hard benchmarks.
        models: What it does to the models that were asked for, in the order of their abilities.
        places: By how many places one of them moves at most, among each other, when unlikely results count more.
    """

    results_and_ability: float
    ability_and_difficulty: float
    models: tuple[Sensitive, ...]
    places: int


@one_thread()
def coverage(fitted: Fit, models: Sequence[str]) -> Coverage:
    """Say how uneven coverage is and what it does to some models.

    Args:
        fitted: The fit, whose benchmarks keep their parameters.
        models: Whom to look at.
    """
    r = fitted.responses
    chance = likelihood_of_coverage(fitted)[r.model, r.benchmark]
    place_of = {name: place for place, name in enumerate(r.models)}
    places = sorted((place_of[name] for name in models), key=lambda place: (-fitted.at.theta[place], place))
    found, theta = [], []
    for place in places:
        own = slice(*np.searchsorted(r.model, [place, place + 1]))
        one = held(fitted, place)
        weight = 1 / chance[own]
        weight = np.clip(weight / np.mean(weight), 1 / MOST_WEIGHT, MOST_WEIGHT)
        kept = one.modes(np.stack([np.ones(len(weight)), weight]))
        less = np.clip(one.score - _inflation(fitted), 0, 1)
        silent = type(one)(one.discrimination, one.difficulty, less, one.options, one.grid)
        honest = silent.modes(np.ones((1, len(weight)))).theta[0]
        theta.append(kept.theta)
        gained = UNIT * float(kept.theta[0] - honest)
        found.append(Sensitive(r.models[place], UNIT * float(kept.theta[1] - kept.theta[0]), gained))
    moved = [np.argsort(np.argsort(-column, kind="stable")) for column in np.array(theta).reshape(-1, 2).T]
    counted = np.bincount(r.model, minlength=len(r.models))
    return Coverage(
        _correlation(fitted.at.theta, counted.astype(np.float64)),
        _correlation(fitted.at.theta[r.model], fitted.at.difficulty[r.benchmark]),
        tuple(found),
        int(np.max(np.abs(moved[0] - moved[1]), initial=0)),
    )


def likelihood_of_coverage(fitted: Fit) -> Floats:
    """Return how likely each model is to have a result on each benchmark, by a logistic regression; shape (I, J).

    It knows how many results the model and the benchmark have, and how far apart ability and difficulty are, to which
    side.
    """
    r = fitted.responses
    shape = (len(r.models), len(r.benchmarks))
    there = np.zeros(shape)
    there[r.model, r.benchmark] = 1.0
    of_model, of_benchmark = np.log1p(np.sum(there, axis=1)), np.log1p(np.sum(there, axis=0))
    apart = fitted.at.theta[:, None] - fitted.at.difficulty[None, :]
    ones = np.ones(shape)
    columns = (ones, of_model[:, None] * ones, of_benchmark[None, :] * ones, apart, apart**2)
    features = np.stack([column.ravel() for column in columns], axis=1)
    return np.asarray(expit(features @ _logistic(features, there.ravel())).reshape(shape))


def _logistic(features: Floats, outcome: Floats) -> Floats:
    """Return the coefficients of a logistic regression, drawn a little to 0 so that it always has an end."""
    at = np.zeros(features.shape[1])
    ridge = np.full(len(at), 1e-3)
    for _ in range(_STEPS):
        p = expit(features @ at)
        slope = features.T @ (p - outcome) + ridge * at
        step = np.linalg.solve((features * (p * (1 - p))[:, None]).T @ features + np.diag(ridge), slope)
        at -= np.clip(step, -2, 2)
        if np.max(np.abs(step)) < 1e-6:
            break
    return at


def _inflation(fitted: Fit) -> float:
    """Return by how much the mean of the noise rises when its lowest quarter is cut off."""
    sigma = fitted.options.sigma if fitted.options.likelihood == "gaussian" else fitted.rmse
    return float(sigma * norm.pdf(norm.ppf(WITHHELD)) / (1 - WITHHELD))


def _correlation(one: Floats, other: Floats) -> float:
    if len(one) < 3 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return 0.0
    return float(spearmanr(one, other).statistic)
