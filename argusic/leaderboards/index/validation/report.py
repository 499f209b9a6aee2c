"""Every check of the index at once: what it predicts, what moves it, what its ranges cover, what it leaves over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from argusic.leaderboards.index.fitting import fit
from argusic.leaderboards.index.neighbours import KNOWN, Ranks, rank
from argusic.leaderboards.index.one_thread import one_thread
from argusic.leaderboards.index.validation.calibration import Calibration, calibration
from argusic.leaderboards.index.validation.case import Case
from argusic.leaderboards.index.validation.coverage import Coverage, coverage
from argusic.leaderboards.index.validation.cross import HeldOut, mean_of, predicted
from argusic.leaderboards.index.validation.dropped import Dropped, each_dropped
from argusic.leaderboards.index.validation.functioning import Screen, screened
from argusic.leaderboards.index.validation.halves import SPLITS, Halves, halves
from argusic.leaderboards.index.validation.renewed import Renewed, renewed
from argusic.leaderboards.index.validation.residuals import Left, Pair, Surprise, dependent, left, surprises

#: How many models at the top are watched when a benchmark is left out and when coverage is weighed.
TOP = 20


@dataclass(frozen=True)
class Neighbours:
    """How much of the order is known.

    Attributes:
        draws: Draws of the benchmarks.
        adjacent: How many models have a next one.
        known: How many of them are ahead of it in at least 95 % of the draws.
        groups: How many rank groups there are.
        median_width: The median width of the intervals of 90 % of ranks, in places.
    """

    draws: int
    adjacent: int
    known: int
    groups: int
    median_width: float


@dataclass(frozen=True)
class Validation:
    """What the checks found.

    Attributes:
        results: How many results.
        models: Of how many models.
        benchmarks: On how many benchmarks.
        data: The SHA-256 of the results.
        likelihood: How a result scatters around what is expected of it.
        sigma: The standard deviation of that.
        field: Whose order is looked at, in words.
        ranked: How many these are.
        rmse: Of the fit, on the results that it was fitted to.
        theta_sd: The standard deviation of the fitted abilities, of all models.
        deals: Over how many deals of five folds the errors are means.
        errors: On results that were held out.
        calibration: Of the predictions of these.
        halves: What the ranges cover.
        neighbours: How much of the order is known.
        dropped: What leaving out each benchmark does, the largest move first.
        update: Which results are taken for an update, in words.
        renewed: What that update does.
        left: What is left over on each benchmark.
        surprises: The results furthest from what is expected.
        dependent: Pairs of benchmarks whose residuals go together.
        pairs: How many pairs were looked at.
        screen: Benchmarks that work differently for a family.
        coverage: What uneven coverage does.
    """

    results: int
    models: int
    benchmarks: int
    data: str
    likelihood: str
    sigma: float
    field: str
    ranked: int
    rmse: float
    theta_sd: float
    deals: int
    errors: HeldOut
    calibration: Calibration
    halves: Halves
    neighbours: Neighbours
    dropped: tuple[Dropped, ...]
    update: str
    renewed: Renewed
    left: tuple[Left, ...]
    surprises: tuple[Surprise, ...]
    dependent: tuple[Pair, ...]
    pairs: int
    screen: Screen
    coverage: Coverage


@one_thread()
def validated(
    case: Case, *, deals: int = 3, splits: int = SPLITS, draws: int = 500, now: Callable[[str], None] = lambda _: None
) -> Validation:
    """Run every check.

    Args:
        case: What is validated.
        deals: How many deals of five folds are predicted.
        splits: How often the benchmarks are dealt into halves.
        draws: How many draws of the benchmarks tell ranks apart.
        now: Is told what runs now.

    Raises:
        NotConverged: A fit came to no end.
        ValueError: No model is to be ranked.
    """
    responses, options = case.responses, case.options
    now("Fitting")
    fitted = fit(responses, options)
    now("Leaving out each benchmark")
    dropped = each_dropped(fitted, case.field, top=TOP)
    now("Holding out results")
    said = [predicted(responses, options, seed=seed) for seed in range(deals)]
    now("Dealing into halves")
    halved = halves(fitted, free=splits)
    now("Drawing benchmarks anew")
    ranks = rank(fitted, case.field, draws=draws)
    now("Looking at what is left over")
    pairs, looked = dependent(fitted)
    return Validation(
        results=len(responses),
        models=len(responses.models),
        benchmarks=len(responses.benchmarks),
        data=responses.digest,
        likelihood=options.likelihood,
        sigma=options.sigma,
        field=case.field_is,
        ranked=len(case.field),
        rmse=fitted.rmse,
        theta_sd=float(np.std(fitted.at.theta)),
        deals=deals,
        errors=mean_of([one.errors for one in said]),
        calibration=calibration(said),
        halves=halved,
        neighbours=_neighbours(ranks),
        dropped=dropped,
        update=case.new_is,
        renewed=renewed(responses, case.new, options),
        left=left(fitted, said[0]),
        surprises=surprises(fitted, said[0]),
        dependent=pairs,
        pairs=looked,
        screen=screened(fitted, case.families),
        coverage=coverage(fitted, ranks.models[:TOP]),
    )


def _neighbours(ranks: Ranks) -> Neighbours:
    next_to = np.diagonal(ranks.ahead, 1)
    return Neighbours(
        ranks.draws,
        len(next_to),
        int(np.sum(next_to >= KNOWN)),
        int(ranks.group[-1]),
        float(np.median(ranks.high - ranks.low)),
    )
