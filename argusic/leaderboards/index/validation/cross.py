"""Whether the fit predicts what it has not seen: results held out, against two ways of guessing them without it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argusic.leaderboards.index.fit import fit
from argusic.leaderboards.index.options import Options
from argusic.leaderboards.index.responses import Floats, Places, Responses

#: How much a model's offset is drawn towards none, in results.
_SHRINKAGE = 1.0


@dataclass(frozen=True)
class HeldOut:
    """Root mean square errors on results that were held out, on the scale from 0 to 1.

    Attributes:
        index: Of the fit.
        offsets: Of the benchmark's mean and the model's offset from the means.
        means: Of the benchmark's mean.
    """

    index: float
    offsets: float
    means: float


def cross_validated(responses: Responses, options: Options | None = None, *, folds: int = 5, seed: int = 0) -> HeldOut:
    """Hold out each fold in turn and predict it from the others.

    A result of a model, or on a benchmark, that the others do not have is predicted by the priors.

    Args:
        responses: The results.
        options: The settings.
        folds: How many parts the results are dealt into.
        seed: Which deal.
    """
    fold = dealt(len(responses), folds, seed)
    predicted = np.zeros((3, len(responses)))
    for number in range(folds):
        out = fold == number
        seen, unseen = responses.where(~out), responses.where(out)
        made = fit(seen, options)
        a, b = np.exp(made.at.alpha), made.at.difficulty
        z = a[unseen.benchmark] * (made.at.theta[unseen.model] - b[unseen.benchmark])
        predicted[0, out] = 1 / (1 + np.exp(-z))
        predicted[1, out], predicted[2, out] = _guessed(seen, unseen)
    errors = np.sqrt(np.mean((predicted - responses.score) ** 2, axis=1))
    return HeldOut(*(float(error) for error in errors))


def dealt(count: int, folds: int, seed: int) -> Places:
    """Return the fold of each of `count` results: as equal as can be, shuffled by a seed; shape (count,)."""
    order = np.random.default_rng(seed).permutation(count)
    fold = np.empty(count, dtype=np.intp)
    fold[order] = np.arange(count) % folds
    return fold


def _guessed(seen: Responses, unseen: Responses) -> tuple[Floats, Floats]:
    """Return what the benchmarks' means say, with the models' offsets and without."""
    overall = float(np.mean(seen.score))
    mean = _mean(seen.benchmark, seen.score, len(seen.benchmarks), overall)
    off = seen.score - mean[seen.benchmark]
    total = np.bincount(seen.model, off, minlength=len(seen.models))
    offset = total / (np.bincount(seen.model, minlength=len(seen.models)) + _SHRINKAGE)
    by_mean = mean[unseen.benchmark]
    return np.clip(by_mean + offset[unseen.model], 0, 1), by_mean


def _mean(place: NDArray[np.intp], values: Floats, count: int, otherwise: float) -> Floats:
    number = np.bincount(place, minlength=count)
    total = np.bincount(place, values, minlength=count)
    return np.where(number > 0, total / np.maximum(number, 1), otherwise)
