"""Models that are held out: the questions' parameters come from other models alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from argusic.leaderboards.index.items.answers import as_matrix
from argusic.leaderboards.index.items.bank import Bank, fit_answers
from argusic.leaderboards.index.items.posterior import Standing
from argusic.leaderboards.index.items.screening import screen
from argusic.leaderboards.index.one_thread import one_thread
from argusic.leaderboards.index.responses import Floats, Places, Responses
from argusic.leaderboards.index.validation.cross import dealt


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Some models with the bank of the others. M models, J questions.

    Attributes:
        bank: The questions, as the other models know them.
        answers: The answers of these models, NaN where there is none; shape (M, J).
    """

    bank: Bank
    answers: Floats

    @property
    def counted(self) -> Floats:
        """1 for each question that a model answered, and has its score on, else 0; shape (M, J)."""
        return (~np.isnan(self.answers)).astype(np.float64)

    @property
    def truth(self) -> Floats:
        """The score of each model on all that it answered; shape (M,)."""
        return np.asarray(np.nanmean(self.answers, axis=1))

    @cached_property
    def before(self) -> Standing:
        """Where asking them stands before anything was asked."""
        return Standing.before(self.bank, self.counted)

    @cached_property
    def ability(self) -> Floats:
        """The ability of each, from all its answers; shape (M,)."""
        return self.before.given(np.arange(len(self.bank)), self.answers).abilities.mean

    def given(self, places: Places) -> Standing:
        """Return where asking them stands after some questions."""
        return self.before.given(places, self.answers[:, places])


@one_thread()
def hold_out(
    responses: Responses, folds: int, *, seed: int = 0, said: Callable[[str], None] = lambda _: None
) -> list[HeldOut]:
    """Deal the models into parts, and hold out each in turn.

    Args:
        responses: The answers.
        folds: How many parts.
        seed: Which deal.
        said: Told what is done now.

    Raises:
        NotConverged: A fit came to no end.
    """
    fold = dealt(len(responses.models), folds, seed)
    matrix = as_matrix(responses)
    made = []
    for number in range(folds):
        said(f"part {number + 1} of {folds}: fitting the questions to the other models")
        fitted = fit_answers(responses.where(fold[responses.model] != number))
        made.append(HeldOut(Bank.of(fitted, screen(fitted).usable), matrix[fold == number]))
    return made
