"""What is wrong with single questions: those that tell nothing, those that better models get wrong, those that repeat.

The fit takes every discrimination for positive, so that no ability can change its sign; a question whose right answers
fall as ability rises (a wrong key, an ambiguous text) is therefore not fitted so, but found here, from the correlation
of its answers with the abilities that the other questions give.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, xlog1py, xlogy
from scipy.stats import false_discovery_control, norm

from argusic.leaderboards.index.fitting import Fit
from argusic.leaderboards.index.one_thread import one_thread
from argusic.leaderboards.index.responses import Floats, Places, Responses

#: The share of questions called suspicious that may be so by chance.
FALSE_ALARMS = 0.05
#: How many questions may be expected to repeat each other by chance, of all, before equal answers mean something.
_BY_CHANCE = 0.01

Note = Literal["all right", "all wrong", "one model", "all alike", "falls with ability", "repeats"]


@dataclass(frozen=True, eq=False)
class Screened:
    """What was found. J questions.

    Attributes:
        models: How many models answered each; shape (J,).
        right: The share of right answers; shape (J,).
        correlation: Of its answers with the abilities that the other questions give; NaN where it has none: fewer than
            three answers, or all alike; shape (J,).
        chance: How likely a correlation that low is where there is none; NaN likewise; shape (J,).
        notes: What is wrong with each, if anything; length J.
        repeats: For each, the place of the first question with the very same answers, else -1; shape (J,).
    """

    models: Places
    right: Floats
    correlation: Floats
    chance: Floats
    notes: tuple[Note | None, ...]
    repeats: Places

    @property
    def usable(self) -> NDArray[np.bool_]:
        """Which may be asked; shape (J,)."""
        return np.array([note is None for note in self.notes], dtype=bool)


@one_thread()
def screen(fitted: Fit) -> Screened:
    """Look through the questions of a fit."""
    r = fitted.responses
    count = np.bincount(r.benchmark, minlength=len(r.benchmarks))
    right = np.bincount(r.benchmark, r.score, len(r.benchmarks)) / np.maximum(count, 1)
    correlation = _correlations(fitted)
    # Over all orders in which the answers could have come, a correlation has just this standard deviation.
    chance = norm.cdf(correlation * np.sqrt(np.maximum(count - 1, 1)))
    falls = _found(chance)
    repeats = _repeats(fitted)
    notes = tuple(
        _note(int(count[j]), float(right[j]), bool(np.isnan(correlation[j])), bool(falls[j]), int(repeats[j]))
        for j in range(len(r.benchmarks))
    )
    return Screened(count, right, correlation, chance, notes, repeats)


def _note(count: int, right: float, alike: bool, falls: bool, repeats: int) -> Note | None:
    if count <= 1:
        return "one model"
    if right in (0.0, 1.0):
        return "all right" if right else "all wrong"
    if alike and count > 2:
        return "all alike"
    if falls:
        return "falls with ability"
    return "repeats" if repeats >= 0 else None


def _correlations(fitted: Fit) -> Floats:
    """Return the correlation of each question's answers with the abilities that the others give."""
    r, at = fitted.responses, fitted.at
    a = np.exp(at.alpha)[r.benchmark]
    p = expit(a * (at.theta[r.model] - at.difficulty[r.benchmark]))
    own = a * a * p * (1 - p)
    all_ = np.bincount(r.model, own, len(r.models)) + 1 / fitted.options.theta_sd**2
    # One Newton step takes the question's own answer out again.
    without = at.theta[r.model] - a * (r.score - p) / np.maximum(all_[r.model] - own, 1e-12)
    of_score, of_theta = _centred(r, r.score), _centred(r, without)

    def summed(values: Floats) -> Floats:
        return np.asarray(np.bincount(r.benchmark, values, len(r.benchmarks)), dtype=np.float64)

    both, scores, thetas = summed(of_score * of_theta), summed(of_score**2), summed(of_theta**2)
    some = (np.bincount(r.benchmark, minlength=len(r.benchmarks)) > 2) & (scores > 1e-9) & (thetas > 1e-9)
    return np.where(some, both / np.sqrt(np.where(some, scores * thetas, 1.0)), np.nan)


def _centred(responses: Responses, values: Floats) -> Floats:
    j, count = responses.benchmark, len(responses.benchmarks)
    mean = np.bincount(j, values, count) / np.maximum(np.bincount(j, minlength=count), 1)
    return np.asarray(values - mean[j])


def _found(chance: Floats) -> NDArray[np.bool_]:
    """Return which are too low to be chance, with few false alarms among all that are found (Benjamini, Hochberg)."""
    found = np.zeros(len(chance), dtype=bool)
    some = ~np.isnan(chance)
    if some.any():
        found[some] = false_discovery_control(chance[some]) <= FALSE_ALARMS
    return found


def _repeats(fitted: Fit) -> Places:
    """Return for each question the first with the same answers of the same models, where that is no coincidence."""
    r = fitted.responses
    p = np.clip(fitted.expected, 1e-9, 1 - 1e-9)
    log = np.bincount(r.benchmark, xlogy(r.score, p) + xlog1py(1 - r.score, -p), len(r.benchmarks))
    unlikely = log < np.log(_BY_CHANCE) - 2 * np.log(max(len(r.benchmarks), 1))
    order = np.lexsort((r.model, r.benchmark))
    model, score = r.model[order], r.score[order]
    starts = np.searchsorted(r.benchmark[order], np.arange(len(r.benchmarks) + 1))
    first: dict[bytes, int] = defaultdict(int)
    found = np.full(len(r.benchmarks), -1, dtype=np.intp)
    for j in np.flatnonzero(unlikely):
        rows = slice(starts[j], starts[j + 1])
        same = model[rows].tobytes() + score[rows].tobytes()
        if same in first:
            found[j] = first[same]
        else:
            first[same] = int(j)
    return found
