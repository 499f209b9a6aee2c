"""The parameters that a reference and its addenda hold, proved to be those that a ranking names, and a fit to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from argusic.errors import InputError
from argusic.leaderboards.index.facts import Benchmark
from argusic.leaderboards.index.fitting import Fit, Item, fit
from argusic.leaderboards.index.objective import Objective, Point
from argusic.leaderboards.index.options import Options
from argusic.leaderboards.index.placing import Placed, Rows, place
from argusic.leaderboards.index.ranges import spread
from argusic.leaderboards.index.responses import Responses
from argusic.records.index import Addendum, ItemParameters, RankingInputs, Reference


def anchors(
    ranking: RankingInputs,
    reference: Reference | None,
    addenda: Sequence[Addendum],
    benchmarks: Mapping[str, Benchmark],
) -> dict[str, Item]:
    """Return the parameters that a ranking holds to, by benchmark.

    Raises:
        InputError: They are not those that the ranking names, one of them is frozen twice, or the table of benchmarks
            reads its results between another baseline and ceiling by now.
    """
    used = ranking.reference
    if used is None or reference is None:
        if used is not None or reference is not None or addenda:
            raise InputError(f"The ranking of {ranking.date} does not hold to the reference that it was given.")
        return {}
    if (used.reference, used.sha256) != (reference.reference, reference.sha256):
        what = f"The ranking of {ranking.date} names another reference than {reference.reference} as it is here."
        raise InputError(what)
    if [(one.date, one.sha256) for one in used.addenda] != [(one.date, one.sha256) for one in addenda]:
        raise InputError(f"The ranking of {ranking.date} names other addenda than there are here.")
    held: dict[str, Item] = {}
    for frozen in (reference, *addenda):
        if isinstance(frozen, Addendum) and (frozen.reference, frozen.held) != (reference.reference, reference.sha256):
            raise InputError(f"The addendum of {frozen.date} adds to another text of {frozen.reference}.")
        for item in frozen.benchmarks:
            if item.benchmark in held:
                raise InputError(f"{item.benchmark} is frozen twice: the addendum of {frozen.date} has it once more.")
            check_scale(item, frozen.date, benchmarks)
            held[item.benchmark] = Item(item.difficulty, item.discrimination)
    return held


def check_scale(item: ItemParameters, since: str, benchmarks: Mapping[str, Benchmark]) -> None:
    """Say so where frozen parameters no longer fit the scale that a benchmark's results are read on.

    Raises:
        InputError: The table of benchmarks states another baseline or ceiling.
    """
    now = benchmarks.get(item.benchmark)
    if now is not None and (now.baseline, now.ceiling) != (item.baseline, item.ceiling):
        raise InputError(
            f"{item.benchmark} is frozen since {since} with results from {item.baseline:g} to {item.ceiling:g}; "
            f"the table of benchmarks says {now.baseline} to {now.ceiling}.",
            advice="Put these back, or freeze a new reference: parameters mean nothing on another scale.",
        )


def anchored_fit(responses: Responses, options: Options, held: Mapping[str, Item]) -> Fit:
    """Return a fit with some benchmarks' parameters held.

    With every one of them held, each ability is solved for by itself and no other model's results can move its very
    last bit. The joint range is as wide as if the benchmarks' parameters were uncertain all the same: that they are
    held makes them no better known.

    Raises:
        NotConverged: The fit came to no end.
    """
    fitted = fit(responses, options, anchors=held)
    if not held:
        return fitted
    placed = place_models(fitted)
    at = Point(placed.theta, fitted.at.difficulty, fitted.at.alpha)
    objective = Objective(responses, options)
    slope = objective.gradient(at)
    free = ~fitted.held
    sizes = np.abs(np.concatenate([slope.theta, slope.difficulty[free], slope.alpha[free]]))
    return replace(
        fitted,
        at=at,
        spread=replace(spread(objective, at), conditional=placed.sd),
        objective=objective.value(at),
        gradient=float(sizes.max(initial=0.0)),
    )


def place_models(fitted: Fit) -> Placed:
    """Return each model's ability with the benchmarks' parameters as fitted, from its own results alone."""
    r = fitted.responses
    a = np.exp(fitted.at.alpha)
    rows = Rows(r.model, len(r.models), fitted.at.difficulty[r.benchmark], a[r.benchmark], r.score)
    return place(rows, fitted.options)
