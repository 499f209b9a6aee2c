"""Bradley and Terry's model of votes, fitted by Newton's method, with ranges that do not trust the model.

In a vote of i against j, i wins with probability sigmoid(r_i - r_j + s . f), with ratings r (Bradley and Terry,
Biometrika 39, 1952) and, where style is held constant, effects s of the styles f in which the answers differ. A tie
counts as half a win of each. The ranges are by the sandwich (Huber 1967, White 1982): the curvature on both sides, the
votes' own scatter between, which holds where ties are no half wins and where votes scatter more than a coin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from scipy.linalg import eigh, inv, solve
from scipy.special import expit

from argusic.leaderboards.index.comparing.votes.ballot import Ballot
from argusic.leaderboards.index.responses import Floats

_STEPS: Final = 100
#: The search has ended where no slope is larger than this for each vote.
_TOLERANCE: Final = 1e-10
#: No vote of people is decided by more than this in log-odds: one that is shows an effect that grows without end.
_DECIDED: Final = 15.0


class NoFiniteAnswer(Exception):
    """The votes put no bound to an effect."""


@dataclass(frozen=True, eq=False)
class Solved:
    """The fit. M models, F features.

    Attributes:
        ratings: Log-odds, with a mean of 0; shape (M,).
        effects: Of each feature, for a difference of one; shape (F,).
        covariance: Of ratings, then effects; shape (M + F, M + F).
        interval: What the covariance is from: `information` only where no vote at all was decided.
        gradient: The largest slope at the end.
        steps: How many steps it took.
    """

    ratings: Floats
    effects: Floats
    covariance: Floats
    interval: Literal["sandwich", "information"]
    gradient: float
    steps: int


def solve_votes(ballot: Ballot) -> Solved:
    """Return the ratings that make the votes likeliest.

    Args:
        ballot: Votes of models each of which has, over a chain of others, beaten and been beaten by every other
            (`rating.strongest_piece`): else no finite ratings exist (Ford, American Mathematical Monthly 64, 1957).

    Raises:
        NoFiniteAnswer: The votes put no bound to the effect of a style, or cannot tell it from the models.
    """
    _check_styles(ballot)
    x, size, steps = _searched(ballot)
    curvature = _products(ballot, _spread(ballot, x))
    bread = inv(_anchored(ballot, curvature))
    off = expit(_z(ballot, x)) - ballot.won
    decided = bool(np.any(ballot.won != 0.5))
    filling = _products(ballot, off**2) if decided else curvature
    models = len(ballot.models)
    covariance = bread @ filling @ bread
    return Solved(x[:models], x[models:], covariance, "sandwich" if decided else "information", size, steps)


def _searched(ballot: Ballot) -> tuple[Floats, float, int]:
    """Return where the likelihood is largest, the largest slope there, and after how many steps."""
    models = len(ballot.models)
    x = np.zeros(models + len(ballot.features))
    for steps in range(_STEPS):
        slope = _slope(ballot, x)
        size = float(np.max(np.abs(slope), initial=0.0))
        if size <= _TOLERANCE * len(ballot):
            return x, size, steps
        curvature = _anchored(ballot, _products(ballot, _spread(ballot, x)))
        x = _better(ballot, x, solve(curvature, -slope, assume_a="pos"), slope)
        x[:models] -= np.mean(x[:models])
        if ballot.features and np.max(np.abs(_z(ballot, x))) > _DECIDED:
            break
    raise NoFiniteAnswer(f"the votes put no bound to {_furthest(ballot, x)}")


def _z(ballot: Ballot, x: Floats) -> Floats:
    models = len(ballot.models)
    return np.asarray(x[ballot.first] - x[ballot.second] + ballot.style @ x[models:], dtype=np.float64)


def _value(ballot: Ballot, x: Floats) -> float:
    z = _z(ballot, x)
    return float(np.sum(np.logaddexp(0.0, z) - ballot.won * z))


def _slope(ballot: Ballot, x: Floats) -> Floats:
    off = expit(_z(ballot, x)) - ballot.won
    models = len(ballot.models)
    of_models = np.bincount(ballot.first, off, minlength=models) - np.bincount(ballot.second, off, minlength=models)
    return np.concatenate([of_models, off @ ballot.style])


def _spread(ballot: Ballot, x: Floats) -> Floats:
    p = expit(_z(ballot, x))
    return np.asarray(p * (1 - p), dtype=np.float64)


def _products(ballot: Ballot, weight: Floats) -> Floats:
    """Return the sum of weighted squares and products of what multiplies the unknowns in each vote."""
    models, features = len(ballot.models), len(ballot.features)
    made = np.zeros((models + features, models + features))
    met = np.bincount(ballot.first * models + ballot.second, weight, minlength=models * models).reshape(models, models)
    met = met + met.T
    made[:models, :models] = np.diag(met.sum(axis=1)) - met
    for number in range(features):
        part = weight * ballot.style[:, number]
        mixed = np.bincount(ballot.first, part, minlength=models) - np.bincount(ballot.second, part, minlength=models)
        made[models + number, :models] = made[:models, models + number] = mixed
    made[models:, models:] = ballot.style.T @ (weight[:, None] * ballot.style)
    return made


def _anchored(ballot: Ballot, curvature: Floats) -> Floats:
    """Return the curvature with the ratings' mean held: without that, all may rise together and nothing changes."""
    models = len(ballot.models)
    held = curvature.copy()
    held[:models, :models] += np.trace(curvature[:models, :models]) / models**2
    return held


def _better(ballot: Ballot, x: Floats, step: Floats, slope: Floats) -> Floats:
    """Return where a step leads, halved until it leads down."""
    value, share = _value(ballot, x), 1.0
    for _ in range(60):
        reached = np.asarray(x + share * step, dtype=np.float64)
        # At the end the value's own rounding is larger than what a step gains.
        if _value(ballot, reached) <= value + 1e-4 * share * float(slope @ step) + 1e-13 * abs(value):
            return reached
        share /= 2
    return x


def _check_styles(ballot: Ballot) -> None:
    """Refuse styles that cannot be told from each other or from who is who."""
    models = len(ballot.models)
    if not ballot.features:
        return
    weight = np.full(len(ballot), 0.25)
    products = _anchored(ballot, _products(ballot, weight))
    size = np.sqrt(np.diag(products))
    for number, name in enumerate(ballot.features):
        if not size[models + number] > 0:
            raise NoFiniteAnswer(f"{name} is the same on both sides of every vote")
    values, vectors = eigh(products / np.outer(size, size))
    if values[0] < 1e-10:
        name = ballot.features[int(np.argmax(np.abs(vectors[models:, 0])))]
        raise NoFiniteAnswer(f"the votes cannot tell {name} from the other styles or from who is who")


def _furthest(ballot: Ballot, x: Floats) -> str:
    models = len(ballot.models)
    if not ballot.features:
        return "the distance of two models"
    return f"the effect of {ballot.features[int(np.argmax(np.abs(x[models:])))]}"
