"""From an old reference to a new one: the same results on both scales, so that scores of one read as the other's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from argusic.errors import CheckFailed, InputError
from argusic.leaderboards.index.anchoring import anchored_fit, check_scale
from argusic.leaderboards.index.derive import options_of, prepared_for
from argusic.leaderboards.index.facts import Facts
from argusic.leaderboards.index.fitting import Fit, Item
from argusic.leaderboards.index.gate import refused
from argusic.leaderboards.index.solving import NotConverged
from argusic.records.index import Addendum, RankingInputs, Reference


@dataclass(frozen=True)
class OnBoth:
    """A model on both scales.

    Attributes:
        model: Its name.
        old: Its score by the old reference.
        new: Its score by the new one.
    """

    model: str
    old: float
    new: float


@dataclass(frozen=True)
class ItemOnBoth:
    """A benchmark that both references hold.

    Attributes:
        benchmark: Its id.
        old: Its parameters in the old one.
        new: Its parameters in the new one.
    """

    benchmark: str
    old: Item
    new: Item


@dataclass(frozen=True)
class OldToNew:
    """The table from an old reference to a new one.

    Attributes:
        models: Every model that passes the gate, the highest new score first, equals by name.
        benchmarks: Those that both hold, by id.
        only_old: Benchmarks that the old one alone holds, by id.
        only_new: Those that the new one alone holds.
        slope: Of the line of least squares from old scores to new ones.
        offset: Its new score at an old one of 0.
        off: The largest distance of a model's new score from that line, in points.
    """

    models: tuple[OnBoth, ...]
    benchmarks: tuple[ItemOnBoth, ...]
    only_old: tuple[str, ...]
    only_new: tuple[str, ...]
    slope: float
    offset: float
    off: float


def old_to_new(
    facts: Facts, ranking: RankingInputs, old: Reference, new: Reference, addenda: tuple[Addendum, ...] = ()
) -> OldToNew:
    """Return the table, over the results of one ranking.

    Args:
        facts: What was published.
        ranking: Which results count, and the settings. The reference that it names does not matter.
        old: The old reference.
        new: The new one.
        addenda: What was added to the old one.

    Raises:
        InputError: No result counts, a source is not here, or no two models pass the gate.
        CheckFailed: A fit came to no end.
    """
    before, after = _items(old, *addenda), _items(new)
    for frozen in (old, *addenda, new):
        for item in frozen.benchmarks:
            check_scale(item, frozen.date, facts.benchmarks)
    prepared = prepared_for(facts, ranking)
    try:
        fits = [anchored_fit(prepared.responses, options_of(ranking.options), held) for held in (before, after)]
    except NotConverged as error:
        raise CheckFailed(f"The fit of {ranking.date} came to no end: {error.why}.") from error
    rows = sorted(_models(facts, *fits), key=lambda one: (-one.new, one.model))
    if len({one.old for one in rows}) < 2:
        raise InputError(f"At {ranking.date}, no two models pass the gate: there is nothing to compare.")
    olds, news = (np.array([getattr(one, name) for one in rows]) for name in ("old", "new"))
    slope, offset = np.polyfit(olds, news, 1)
    return OldToNew(
        tuple(rows),
        tuple(ItemOnBoth(name, before[name], after[name]) for name in sorted(before.keys() & after.keys())),
        tuple(sorted(before.keys() - after.keys())),
        tuple(sorted(after.keys() - before.keys())),
        float(slope),
        float(offset),
        float(np.max(np.abs(news - (slope * olds + offset)))),
    )


def _items(*frozen: Reference | Addendum) -> dict[str, Item]:
    return {item.benchmark: Item(item.difficulty, item.discrimination) for one in frozen for item in one.benchmarks}


def _models(facts: Facts, old: Fit, new: Fit) -> list[OnBoth]:
    r = new.responses
    found = []
    starts = np.searchsorted(r.model, np.arange(len(r.models) + 1))
    for i, name in enumerate(r.models):
        benchmarks = [facts.benchmarks[r.benchmarks[j]] for j in r.benchmark[starts[i] : starts[i + 1]]]
        if refused(benchmarks) is None:
            found.append(OnBoth(name, float(old.scores[i]), float(new.scores[i])))
    return found
