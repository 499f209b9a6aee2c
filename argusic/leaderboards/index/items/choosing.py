"""The few questions that tell the score on all, and the weights with which they tell it by hand.

Three ways. `error`: one question after another, each the one that leaves the least expected square error of the score
on all questions. `clusters`: questions with like curves are gathered, and the one nearest to each centre stands for
its cluster (after Polo and others, tinyBenchmarks, 2024). `random`: for comparison.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit
from scipy.stats import norm

from argusic.leaderboards.index.items.bank import Bank
from argusic.leaderboards.index.one_thread import one_thread
from argusic.leaderboards.index.responses import Floats, Places

Way = Literal["error", "clusters", "random"]
WAYS: Final[tuple[Way, ...]] = get_args(Way)
#: Abilities at which curves are compared, in standard deviations of the prior, and how likely each is.
_NODES: Final = np.linspace(-3.0, 3.0, 25)
_LIKELY: Final = norm.pdf(_NODES) / np.sum(norm.pdf(_NODES))
#: Rounds after which clusters that still move are taken as they are.
_ROUNDS: Final = 100


@dataclass(frozen=True, eq=False)
class Choice:
    """Some questions of a bank. K of them.

    Attributes:
        places: Where they stand in the bank, in the order of the choice; shape (K,).
        weight: The weight of each answer in the estimate by hand; shape (K,).
        constant: What is added: the estimate is `constant` plus the weighted answers.
    """

    places: Places
    weight: Floats
    constant: float


@one_thread()
def choose(bank: Bank, count: int, way: Way = "error", *, seed: int = 0) -> Choice:
    """Choose some questions.

    Args:
        bank: The questions; those that are not usable count for the score, and are not chosen.
        count: How many; all usable ones where there are fewer.
        way: How.
        seed: Which random ones.
    """
    usable = np.flatnonzero(bank.usable)
    count = min(count, len(usable))
    curves = expit(bank.logits(_NODES * bank.ability_sd))
    if way == "error":
        places = _by_error(bank, curves, usable, count)
    elif way == "clusters":
        places = _by_clusters(curves, usable, count)
    else:
        places = np.sort(np.random.default_rng(seed).choice(usable, count, replace=False))
    weight, constant = _weights(curves, places)
    return Choice(places, weight, constant)


def _by_error(bank: Bank, curves: Floats, usable: Places, count: int) -> Places:
    """Return questions by what they leave open.

    At an ability with information n (of Fisher, the prior's in it) the score on all questions is known up to the square
    of its slope over n, and up to the scatter of the answers that are still open.
    """
    nodes = _NODES * bank.ability_sd
    every = curves * (1 - curves)
    information, rises, scatter = bank.information(nodes, usable), bank.slopes(nodes), every[usable]
    # What is still open, summed over the questions: the slope of what is expected, and the scatter.
    slope, slopes = np.sum(rises, axis=0), rises[usable]
    left = np.sum(every, axis=0)
    known = np.full(len(_NODES), 1 / bank.ability_sd**2)
    free = np.ones(len(usable), dtype=bool)
    places: list[int] = []
    for _ in range(count):
        error = (slope - slopes) ** 2 / (known + information) + (left - scatter)
        lost = np.where(free, error @ _LIKELY, np.inf)
        best = int(np.argmin(lost))
        free[best] = False
        places.append(int(usable[best]))
        slope, left, known = slope - slopes[best], left - scatter[best], known + information[best]
    return np.array(places, dtype=np.intp)


def _by_clusters(curves: Floats, usable: Places, count: int) -> Places:
    """Return the question nearest to the centre of each cluster of curves, from parts of equal size in order."""
    points = curves[usable] * np.sqrt(_LIKELY)
    if count == 0:
        return np.zeros(0, dtype=np.intp)
    # By the share of right answers to begin with: no random start.
    order = np.argsort(curves[usable] @ _LIKELY, kind="stable")
    label = np.empty(len(usable), dtype=np.intp)
    label[order] = np.arange(len(usable)) * count // len(usable)
    squares = np.sum(points**2, axis=1)
    for _ in range(_ROUNDS):
        size = np.bincount(label, minlength=count)
        centre = np.zeros((count, points.shape[1]))
        np.add.at(centre, label, points)
        centre /= np.maximum(size, 1)[:, None]
        away = squares[:, None] + np.sum(centre**2, axis=1) - 2 * points @ centre.T
        away[:, size == 0] = np.inf
        new = np.argmin(away, axis=1)
        if np.array_equal(new, label):
            break
        label = new
    chosen = [_nearest(points, away, label, cluster) for cluster in np.unique(label)]
    # Where clusters died out, or two had one question, the rest are those worst stood for.
    taken = list(dict.fromkeys(chosen))
    distance = np.full(len(usable), np.inf)
    for number in range(count):
        if number == len(taken):
            taken.append(int(np.argmax(distance)))
        distance = np.minimum(distance, np.sum((points - points[taken[number]]) ** 2, axis=1))
        distance[taken[: number + 1]] = -1
    return np.sort(usable[taken])


def _nearest(points: Floats, away: Floats, label: Places, cluster: int) -> int:
    members = np.flatnonzero(label == cluster)
    return int(members[np.argmin(away[members, cluster])])


def _weights(curves: Floats, places: Places) -> tuple[Floats, float]:
    """Return the weights of the best linear estimate of the score on all questions, and its constant."""
    target = np.mean(curves, axis=0)
    overall = float(target @ _LIKELY)
    if len(places) == 0:
        return np.zeros(0), overall
    mine = curves[places]
    mean = mine @ _LIKELY
    off = (mine - mean[:, None]) * np.sqrt(_LIKELY)
    scatter = (mine * (1 - mine)) @ _LIKELY
    # An answer that is known in advance to the last digit would leave a system without an answer.
    matrix = off @ off.T + np.diag(np.maximum(scatter, 1e-9))
    # The chosen questions are among all, and their own scatter is part of the score.
    shared = off @ ((target - overall) * np.sqrt(_LIKELY)) + scatter / len(curves)
    weight = cho_solve(cho_factor(matrix), shared)
    return weight, overall - float(weight @ mean)
