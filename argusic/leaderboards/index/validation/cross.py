"""Whether the fit predicts what it has not seen: results held out, against two ways of guessing them without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from argusic.leaderboards.index.fitting import Fit, fit
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


@dataclass(frozen=True, eq=False)
class Predicted:
    """What was said of each result by a fit that had not seen it. n results.

    Attributes:
        score: The results; shape (n,).
        index: What the fit expected; shape (n,).
        sd: The standard deviation that it claimed: of the noise, and of the ability with the benchmarks' parameters as
            fitted; shape (n,).
        offsets: The benchmark's mean and the model's offset from the means; shape (n,).
        means: The benchmark's mean; shape (n,).
    """

    score: Floats
    index: Floats
    sd: Floats
    offsets: Floats
    means: Floats

    @property
    def errors(self) -> HeldOut:
        """The root mean square errors."""
        return HeldOut(*(rms(guess - self.score) for guess in (self.index, self.offsets, self.means)))


def cross_validated(responses: Responses, options: Options | None = None, *, folds: int = 5, seed: int = 0) -> HeldOut:
    """Hold out each fold in turn and predict it from the others; arguments as for `predicted`."""
    return predicted(responses, options, folds=folds, seed=seed).errors


def predicted(responses: Responses, options: Options | None = None, *, folds: int = 5, seed: int = 0) -> Predicted:
    """Hold out each fold in turn and predict it from the others.

    A result of a model, or on a benchmark, that the others do not have is predicted by the priors. Each fit begins
    where every fit does: one that began at the fit of all results would have seen what it is to predict.

    Args:
        responses: The results.
        options: The settings.
        folds: How many parts the results are dealt into.
        seed: Which deal.
    """
    fold = dealt(len(responses), folds, seed)
    said = np.zeros((4, len(responses)))
    for number in range(folds):
        out = fold == number
        seen, unseen = responses.where(~out), responses.where(out)
        if len(unseen):
            said[:2, out] = foreseen(fit(seen, options), unseen)
            said[2:, out] = _guessed(seen, unseen)
    return Predicted(responses.score, *said)


def foreseen(made: Fit, unseen: Responses) -> tuple[Floats, Floats]:
    """Return what a fit expects of results of its models, and the standard deviation that it claims."""
    a, theta = np.exp(made.at.alpha)[unseen.benchmark], made.at.theta[unseen.model]
    p = expit(a * (theta - made.at.difficulty[unseen.benchmark]))
    noise = p * (1 - p) if made.options.likelihood == "bernoulli" else made.options.sigma**2
    slope = a * p * (1 - p)
    return p, np.sqrt(noise + (slope * made.spread.conditional[unseen.model]) ** 2)


def mean_of(deals: Sequence[HeldOut]) -> HeldOut:
    """Return the means of the errors of several deals."""
    return HeldOut(
        *(float(np.mean(column)) for column in zip(*((d.index, d.offsets, d.means) for d in deals), strict=True))
    )


def dealt(count: int, folds: int, seed: int) -> Places:
    """Return the fold of each of `count` results: as equal as can be, shuffled by a seed; shape (count,)."""
    order = np.random.default_rng(seed).permutation(count)
    fold = np.empty(count, dtype=np.intp)
    fold[order] = np.arange(count) % folds
    return fold


def rms(errors: Floats) -> float:
    """Return the root of the mean square; 0 of nothing."""
    return float(np.sqrt(np.mean(errors**2))) if len(errors) else 0.0


def _guessed(seen: Responses, unseen: Responses) -> tuple[Floats, Floats]:
    """Return what the benchmarks' means say, with the models' offsets and without."""
    overall = float(np.mean(seen.score)) if len(seen) else 0.5
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
