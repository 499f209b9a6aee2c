"""What an update does to models that it brings nothing about: in a free fit they move, in a frozen one they do not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argusic.leaderboards.index.fitting import UNIT, fit
from argusic.leaderboards.index.options import Options
from argusic.leaderboards.index.responses import Floats, Responses
from argusic.leaderboards.index.validation.linking import standardised


@dataclass(frozen=True)
class Moved:
    """By how much scores move, in points.

    Attributes:
        mean: The mean, with its sign.
        size: The mean without signs.
        most: The largest without sign.
    """

    mean: float
    size: float
    most: float


@dataclass(frozen=True)
class Renewed:
    """An update, and what becomes of the models that have no new result.

    Attributes:
        results: How many results are new.
        models: How many models have old results and no new one.
        free: What moves when everything is fitted again.
        standardised: The same with abilities given one mean and standard deviation after each fit, over the models
            that had a result before the first and over all after the second.
        frozen: What moves when the benchmarks that were there keep their parameters.
    """

    results: int
    models: int
    free: Moved
    standardised: Moved
    frozen: Moved


def renewed(responses: Responses, new: NDArray[np.bool_], options: Options | None = None) -> Renewed:
    """Fit without the new results, and with them: freely, and with what there was before held.

    Args:
        responses: All results.
        new: Which are new; shape (n,).
        options: The settings.
    """
    old = responses.where(~new)
    had = np.bincount(old.model, minlength=len(responses.models)) > 0
    renewed_ = np.bincount(responses.model[new], minlength=len(responses.models)) > 0
    untouched = had & ~renewed_
    before = fit(old, options)
    known = np.unique(old.benchmark)
    anchors = {responses.benchmarks[place]: before.item(responses.benchmarks[place]) for place in known}
    after, frozen = fit(responses, options), fit(responses, options, anchors=anchors)
    first, second = standardised(before.at.theta[had]), standardised(after.at.theta)
    return Renewed(
        int(np.sum(new)),
        int(np.sum(untouched)),
        _moved((after.at.theta - before.at.theta)[untouched]),
        _moved((second.put(after.at.theta) - first.put(before.at.theta))[untouched]),
        _moved((frozen.at.theta - before.at.theta)[untouched]),
    )


def newcomers(responses: Responses, *, of: int = 10, seed: int = 0) -> NDArray[np.bool_]:
    """Return all results of one in `of` models, as if these had just come out; shape (n,).

    Where nothing is known of when a result came in, this is what an update looks like: new models on old benchmarks.
    """
    order = np.random.default_rng(seed).permutation(len(responses.models))
    return np.isin(responses.model, order[: len(order) // of])


def _moved(theta: Floats) -> Moved:
    if not len(theta):
        return Moved(0.0, 0.0, 0.0)
    points = UNIT * theta
    return Moved(float(np.mean(points)), float(np.mean(np.abs(points))), float(np.max(np.abs(points))))
