"""What to ask next: the question of which the answer tells most about the ability that the answers so far give.

The measure is Fisher's information, a^2 p (1 - p) at the present ability, as in adaptive tests since Lord (Applications
of item response theory to practical testing problems, 1980) and in Fluid Benchmarking (Hofmann and others, 2025).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from argusic.leaderboards.index.items.bank import Bank
from argusic.leaderboards.index.items.posterior import Standing
from argusic.leaderboards.index.one_thread import one_thread
from argusic.leaderboards.index.responses import Floats, Places


@dataclass(frozen=True)
class Stop:
    """When enough has been asked.

    Attributes:
        width: The width of the range of 90 % of the score on all questions that is narrow enough, from 0 to 1; None
            asks for none.
        most: How many questions may be asked; None sets no limit.
    """

    width: float | None = None
    most: int | None = None


@dataclass(frozen=True)
class State:
    """Where asking one model stands.

    Attributes:
        asked: How many questions were answered.
        ability: The mean of what is known of its ability.
        ability_low: The low end of that ability's range of 90 %.
        ability_high: The high end.
        score: The share of right answers to all questions that is expected.
        low: The low end of that share's range of 90 %.
        high: The high end.
        next: The question to ask next; None where asking ends.
        because: Why asking ends; None where it goes on.
    """

    asked: int
    ability: float
    ability_low: float
    ability_high: float
    score: float
    low: float
    high: float
    next: str | None
    because: Literal["the range is narrow enough", "as many as may be asked", "no question is left"] | None


@one_thread()
def state(bank: Bank, answers: Floats, stop: Stop, *, widen: float = 1.0) -> State:
    """Return where asking stands, and what to ask next.

    Args:
        bank: The questions.
        answers: The answers so far, NaN where a question was not asked; shape (J,).
        stop: When it ends.
        widen: How many times as wide ranges are made as the posterior gives them: what held-out models asked for.
    """
    standing = Standing.of(bank, answers[None, :])
    known, of_all = standing.abilities, standing.scores.widened(widen)
    low, high = known.range()
    mean = known.mean
    low, high = mean - widen * (mean - low), mean + widen * (high - mean)
    asked, open_ = int(np.sum(~np.isnan(answers))), bank.usable & np.isnan(answers)
    because = _because(stop, asked, float(of_all.high[0] - of_all.low[0]), bool(open_.any()))
    following = None if because is not None else bank.questions[int(best(bank, mean, open_[None, :])[0])]
    return State(
        asked,
        float(mean[0]),
        float(low[0]),
        float(high[0]),
        float(of_all.mean[0]),
        float(of_all.low[0]),
        float(of_all.high[0]),
        following,
        because,
    )


def best(bank: Bank, theta: Floats, open_: np.typing.NDArray[np.bool_]) -> Places:
    """Return for each model the open question with most information at its ability; equals by name.

    Args:
        bank: The questions.
        theta: The abilities; shape (M,).
        open_: Which may be asked; shape (M, J). At least one a model.
    """
    return np.asarray(np.argmax(np.where(open_, bank.information(theta).T, -1.0), axis=1))


def _because(
    stop: Stop, asked: int, width: float, more: bool
) -> Literal["the range is narrow enough", "as many as may be asked", "no question is left"] | None:
    if stop.width is not None and width <= stop.width:
        return "the range is narrow enough"
    if stop.most is not None and asked >= stop.most:
        return "as many as may be asked"
    return None if more else "no question is left"
