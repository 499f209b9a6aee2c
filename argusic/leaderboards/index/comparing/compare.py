"""All ways on the same results: their rankings side by side, how far they agree, and why each ranks as it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from itertools import combinations
from typing import Final

import numpy as np

from argusic.leaderboards.index.comparing.active_panel import ActivePanel
from argusic.leaderboards.index.comparing.category_average import CategoryAverage
from argusic.leaderboards.index.comparing.comparison import AtLeast, Comparison, Ranking, Standing
from argusic.leaderboards.index.comparing.correlations import TOP, agreement, spearman
from argusic.leaderboards.index.comparing.epoch_form import EpochForm
from argusic.leaderboards.index.comparing.explaining import why
from argusic.leaderboards.index.comparing.minimum_count import MinimumCount
from argusic.leaderboards.index.comparing.own_index import OwnIndex
from argusic.leaderboards.index.comparing.setting import Setting
from argusic.leaderboards.index.comparing.way import Given, Outcome, Way
from argusic.leaderboards.index.comparing.weighted_average import WeightedAverage
from argusic.leaderboards.index.comparing.z_scores import ZScores
from argusic.leaderboards.index.one_thread import one_thread
from argusic.leaderboards.index.responses import Floats

#: The ways beside the index, in the order in which they are shown.
WAYS: Final[tuple[Way, ...]] = (
    CategoryAverage(),
    MinimumCount(),
    ZScores(),
    ActivePanel(),
    WeightedAverage(),
    EpochForm(),
)
#: The minimum numbers of benchmarks that the category average is tried with.
MINIMUMS: Final = tuple(range(1, 21))


#: The most models, and pairs of a model and a benchmark, that are compared: all are held against all.
MOST_MODELS, MOST_PAIRS = 3000, 20_000_000


class NotComparable(Exception):
    """The model to follow has no result, or there is more than can be compared."""


@one_thread()
def compare(
    given: Given, ways: Sequence[Way] = WAYS, *, index: Way | None = None, follow: str | None = None, top: int = TOP
) -> Comparison:
    """Compare the index with other ways on the same results.

    Args:
        given: The results and what is known of them.
        ways: The other ways.
        index: The index, as a way; None for the one that is given, or is fitted.
        follow: The model whose place is told throughout; None for the first open one of the index, or the first where
            none is known to be open, or the one with the most results where the index ranks nobody.
        top: Over how many of the first agreement is taken a second time.

    Raises:
        NotComparable: `follow` has no result, or there are more models or pairs than can be compared.
        ValueError: Two ways have one name.
    """
    every = (index or OwnIndex(), *ways)
    names = [way.name for way in every]
    if len(set(names)) != len(names):
        raise ValueError("two ways have one name")
    models, benchmarks = len(given.responses.models), len(given.responses.benchmarks)
    if models > MOST_MODELS or models * benchmarks > MOST_PAIRS:
        limit = f"at most {MOST_MODELS} models, and {MOST_PAIRS} pairs of a model and a benchmark, are compared"
        raise NotComparable(f"there are {models} models and {benchmarks} benchmarks; {limit}")
    setting = Setting.of(given.responses)
    told = [way.scores(given) for way in every]
    standings = [_standings(given, setting, outcomes) for outcomes in told]
    followed = _followed(setting, standings[0], follow)
    rankings = [_ranking(setting, way, one, standings[0], followed) for way, one in zip(every, standings, strict=True)]
    scores = [{one.model: one.score for one in ranking.standings if one.score is not None} for ranking in rankings]
    pairs = combinations(range(len(every)), 2)
    return Comparison(
        results=len(given.responses),
        models=int(np.sum(setting.counted > 0)),
        benchmarks=len(np.unique(given.responses.benchmark)),
        active=len(given.active.intersection(given.responses.benchmarks)),
        followed=followed,
        rankings=tuple(rankings),
        agreements=tuple(agreement(names[i], scores[i], names[j], scores[j], top=top) for i, j in pairs),
        minimums=_minimums(given, setting, followed),
    )


def _standings(given: Given, setting: Setting, outcomes: Mapping[str, Outcome]) -> tuple[Standing, ...]:
    """Return the standings of a way: those with a score, the highest first, then the others by name."""
    where = {model: place for place, model in enumerate(given.responses.models)}
    ordered = sorted(
        ((model, outcome) for model, outcome in outcomes.items() if model in where and setting.counted[where[model]]),
        key=lambda pair: (pair[1].score is None, -(pair[1].score or 0.0), pair[0]),
    )
    made: list[Standing] = []
    seen, seen_open = _Places(), _Places()
    for model, outcome in ordered:
        known = given.open_weights.get(model)
        place = where[model]
        made.append(
            Standing(
                model,
                known,
                outcome.score,
                None if outcome.score is None else seen.next(outcome.score),
                None if outcome.score is None or not known else seen_open.next(outcome.score),
                int(setting.counted[place]),
                float(setting.ease[place]),
                float(setting.field[place]),
                outcome.why_not,
            )
        )
    return tuple(made)


class _Places:
    """Counts places down a list of falling scores: equals share one, and the next place is skipped."""

    def __init__(self) -> None:
        self._count, self._place, self._last = 0, 0, float("inf")

    def next(self, score: float) -> int:
        """Return the place of the next score."""
        self._count += 1
        if score < self._last:
            self._place, self._last = self._count, score
        return self._place


def _followed(setting: Setting, standings: tuple[Standing, ...], follow: str | None) -> str:
    models = setting.responses.models
    there = {model for place, model in enumerate(models) if setting.counted[place]}
    if follow is not None:
        if follow not in there:
            by_case = {model.casefold(): model for model in sorted(there)}
            near = [by_case[name] for name in get_close_matches(follow.casefold(), sorted(by_case), 1, 0.5)]
            raise NotComparable(
                f"the model {follow!r} has no result" + (f"; the nearest name is {near[0]!r}" if near else "")
            )
        return follow
    ranked = [one for one in standings if one.score is not None]
    openly = [one for one in ranked if one.open_weights]
    first = [*openly[:1], *ranked[:1]]
    return first[0].model if first else models[int(np.argmax(setting.counted))]


def _ranking(
    setting: Setting, way: Way, standings: tuple[Standing, ...], index: tuple[Standing, ...], followed: str
) -> Ranking:
    scores = np.full(len(setting.responses.models), np.nan)
    where = {model: place for place, model in enumerate(setting.responses.models)}
    for one in standings:
        if one.score is not None:
            scores[where[one.model]] = one.score
    mine = next((one for one in standings if one.model == followed), None)
    ease, field = (None, None) if standings is index else _gained(standings, index)
    upheld = setting.upheld(scores)
    return Ranking(
        way.name,
        way.title,
        way.says,
        standings,
        mine,
        ease,
        field,
        *upheld,
        why(standings, mine, setting, ease, field, upheld),
    )


def _gained(standings: tuple[Standing, ...], index: tuple[Standing, ...]) -> tuple[float | None, float | None]:
    """Return how places gained against the index go with ease and with field, among the models that both rank."""
    by_index = {one.model: one for one in index if one.score is not None}
    both = [one for one in standings if one.score is not None and one.model in by_index]
    gained = _ranks([by_index[one.model].score or 0.0 for one in both]) - _ranks([one.score or 0.0 for one in both])
    said = gained.tolist()
    return spearman(said, [one.ease for one in both]), spearman(said, [one.field for one in both])


def _ranks(scores: list[float]) -> Floats:
    """Return places among these, from 1, equals at the best of theirs."""
    array = np.array(scores, dtype=np.float64)
    return np.asarray(np.sum(array[None, :] > array[:, None], axis=1) + 1.0, dtype=np.float64)


def _minimums(given: Given, setting: Setting, followed: str) -> tuple[AtLeast, ...]:
    made = []
    for least in MINIMUMS:
        standings = _standings(given, setting, MinimumCount(least).scores(given))
        ranked = [one for one in standings if one.score is not None]
        openly = [one for one in ranked if one.open_weights]
        among = openly or ranked
        mine = next((one for one in among if one.model == followed), None)
        place = None if mine is None else mine.place_open if openly else mine.place
        first, on = (among[0].model, among[0].benchmarks) if among else (None, 0)
        made.append(AtLeast(least, len(ranked), len(among), first, on, place))
    return tuple(made)
