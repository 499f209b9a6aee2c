"""What few questions are worth, on models that were held out: against as many random ones, and against their truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from argusic.leaderboards.index.items.adaptive import best
from argusic.leaderboards.index.items.choosing import Choice, Way, choose
from argusic.leaderboards.index.items.held_out import HeldOut
from argusic.leaderboards.index.items.posterior import Standing
from argusic.leaderboards.index.one_thread import one_thread
from argusic.leaderboards.index.ranges import LEVEL, WIDTH
from argusic.leaderboards.index.responses import Floats, Places

#: How often random questions are drawn: what one draw gives is chance.
DRAWS = 10
#: Says which question each of some models is asked next, of those that are open; shape (M,).
Pick = Callable[[Standing, np.typing.NDArray[np.bool_], int], Places]


@dataclass(frozen=True)
class Worth:
    """What some way of asking is worth on held-out models.

    Attributes:
        way: How questions were chosen, and how the score on all was estimated from them.
        count: How many were asked.
        error: Root mean square error of the estimated score on all questions, from 0 to 1.
        largest: The largest error in that.
        covered: The share of models whose own score lies in the range of 90 %; None where the way gives none.
        widen: How many times as wide the ranges have to be to cover 90 % of these models; None likewise.
        ability: Root mean square difference to the ability from all answers, in units of ability; None likewise.
    """

    way: str
    count: int
    error: float
    largest: float
    covered: float | None = None
    widen: float | None = None
    ability: float | None = None


@one_thread()
def few(held: Sequence[HeldOut], way: Way, count: int, *, seed: int = 0) -> list[Worth]:
    """Return what chosen questions are worth: by the fit, by weights, and, of random ones, as the plain share right.

    Where no held-out model answered every chosen question there is no row of the weights.
    """
    draws = DRAWS if way == "random" else 1
    tried = [(part, choose(part.bank, count, way, seed=seed + draw)) for draw in range(draws) for part in held]
    standings = [(part, part.given(choice.places)) for part, choice in tried]
    found = [_worth(way, count, standings), *_off(f"{way}, by weights", count, [_by_weights(*each) for each in tried])]
    if way == "random":
        found += _off(f"{way}, plain share", count, [_plain(*each) for each in tried])
    return found


@one_thread()
def in_order(held: Sequence[HeldOut], counts: Sequence[int], *, seed: int = 0) -> list[Worth]:
    """Return what adaptive order is worth after some numbers of questions, and random order with the same estimate."""
    most = max(counts)
    found = []
    for way, draws in (("adaptive order", 1), ("random order", DRAWS)):
        after: dict[int, list[tuple[HeldOut, Standing]]] = {count: [] for count in counts}
        for draw in range(draws):
            for part in held:
                pick = adaptively if way == "adaptive order" else at_random(part, seed + draw)
                for count, standing in enumerate(course(part, pick, most), 1):
                    if count in after:
                        after[count].append((part, standing))
        found += [_worth(way, count, after[count]) for count in sorted(after)]
    return found


@one_thread()
def needed(held: Sequence[HeldOut], width: float, most: int, *, seed: int = 0) -> tuple[Floats, Floats]:
    """Return how many questions each model needs until its range is narrow enough, adaptively and in random order.

    Args:
        held: The models.
        width: The width of the range of 90 % of the score on all questions.
        most: After how many asking ends all the same.
        seed: Which random order.

    Returns:
        Two arrays of shape (models,).
    """
    both = []
    for random in (False, True):
        counts = []
        for part in held:
            narrow = np.full(len(part.answers), most)
            pick = at_random(part, seed) if random else adaptively
            for count, standing in enumerate(course(part, pick, most), 1):
                of_all = standing.scores
                done = (narrow == most) & (of_all.high - of_all.low <= width)
                narrow[done] = count
                if np.all(narrow < most):
                    break
            counts.append(narrow.astype(np.float64))
        both.append(np.concatenate(counts))
    return both[0], both[1]


def pooled(trials: Sequence[Sequence[Worth]]) -> list[Worth]:
    """Return the rows of equal trials on different answers as one: errors squared, the rest averaged."""
    found = []
    for rows in zip(*trials, strict=True):
        first = rows[0]
        found.append(
            Worth(
                first.way,
                first.count,
                _root_mean_square([row.error for row in rows]),
                max(row.largest for row in rows),
                _mean([row.covered for row in rows]),
                _mean([row.widen for row in rows]),
                None if first.ability is None else _root_mean_square([row.ability or 0.0 for row in rows]),
            )
        )
    return found


def course(part: HeldOut, pick: Pick, most: int) -> Iterator[Standing]:
    """Yield where the asking of held-out models stands after each of the first questions."""
    standing = part.before
    open_ = part.bank.usable[None, :] & ~np.isnan(part.answers)
    every = np.arange(len(part.answers))
    for number in range(most):
        left = open_.any(axis=1)
        places = pick(standing, open_, number)
        standing = standing.after(places, np.where(left, part.answers[every, places], np.nan))
        open_[every, places] = False
        yield standing


def adaptively(standing: Standing, open_: np.typing.NDArray[np.bool_], _: int) -> Places:
    """Pick the open question with most information."""
    return best(standing.bank, standing.abilities.mean, open_)


def at_random(part: HeldOut, seed: int) -> Pick:
    """Return what picks in a random order, one for each model."""
    key = np.random.default_rng(seed).random(part.answers.shape)

    def pick(standing: Standing, open_: np.typing.NDArray[np.bool_], number: int) -> Places:
        return np.asarray(np.argmax(np.where(open_, key, -1.0), axis=1))

    return pick


def _worth(way: str, count: int, standings: Sequence[tuple[HeldOut, Standing]]) -> Worth:
    errors, sds, covered, off = [], [], [], []
    for part, standing in standings:
        of_all = standing.scores
        errors.append(of_all.mean - part.truth)
        sds.append(of_all.sd)
        covered.append((of_all.low <= part.truth + 1e-9) & (part.truth - 1e-9 <= of_all.high))
        off.append(standing.abilities.mean - part.ability)
    error, sd = np.abs(np.concatenate(errors)), np.concatenate(sds)
    # As few of n models are outside as asked for when the range reaches the (n + 1) * 90 %-th of their errors.
    share = min(1.0, np.ceil((len(error) + 1) * LEVEL) / len(error))
    of_sd = error / np.maximum(sd, 1e-12)
    return Worth(
        way,
        count,
        _root_mean_square(error),
        float(np.max(error)),
        float(np.mean(np.concatenate(covered))),
        float(np.quantile(of_sd, share, method="higher") / WIDTH),
        _root_mean_square(np.concatenate(off)),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _root_mean_square(values: Sequence[float] | Floats) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


def _off(way: str, count: int, errors: Sequence[Floats]) -> list[Worth]:
    """Return what errors are worth; nothing where there are none."""
    error = np.abs(np.concatenate(errors))
    return [Worth(way, count, _root_mean_square(error), float(np.max(error)))] if len(error) else []


def _by_weights(part: HeldOut, choice: Choice) -> Floats:
    """Return the errors of the weighted sum, of models that answered every chosen question."""
    answers = part.answers[:, choice.places]
    there = ~np.isnan(answers).any(axis=1)
    return choice.constant + answers[there] @ choice.weight - part.truth[there]


def _plain(part: HeldOut, choice: Choice) -> Floats:
    """Return the errors of the plain share, of models that answered any chosen question."""
    answers = part.answers[:, choice.places]
    there = ~np.isnan(answers).all(axis=1)
    return np.asarray(np.nanmean(answers[there], axis=1) - part.truth[there])
