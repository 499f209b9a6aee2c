"""Answers to single questions as arrays, in an order that no file's order changes; quick for a million of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from argusic.leaderboards.index.responses import Floats, Places, Responses


class Made(NamedTuple):
    """Responses, or why there are none."""

    responses: Responses
    again: tuple[int, int] | None
    """Two rows, the first and a later one, with an answer of the same model to the same question; None without."""


def responses_of(
    models: Sequence[str], model: ArrayLike, questions: Sequence[str], question: ArrayLike, correct: ArrayLike
) -> Made:
    """Return the responses of rows, each question a benchmark of its own.

    Args:
        models: Names of models, each once, in any order.
        model: Whose each answer is, as a place among them; shape (n,).
        questions: Names of questions, likewise.
        question: To which question, as a place among those; shape (n,).
        correct: How right it is, from 0 to 1; shape (n,).
    """
    names, mine = _sorted(models, model)
    items, its = _sorted(questions, question)
    order = np.lexsort((its, mine))
    mine, its = mine[order], its[order]
    again = np.flatnonzero((mine[1:] == mine[:-1]) & (its[1:] == its[:-1]))
    # The order keeps rows that are equal as they stood, and of several the one that comes first is named.
    pair = None
    if len(again):
        at = again[np.argmin(order[again + 1])]
        pair = int(order[at]), int(order[at + 1])
    return Made(Responses(names, items, mine, its, np.asarray(correct, dtype=np.float64)[order]), pair)


def as_matrix(responses: Responses) -> Floats:
    """Return answers as a matrix with NaN where there is none; shape (I, J)."""
    matrix = np.full((len(responses.models), len(responses.benchmarks)), np.nan)
    matrix[responses.model, responses.benchmark] = responses.score
    return matrix


def _sorted(names: Sequence[str], place: ArrayLike) -> tuple[tuple[str, ...], Places]:
    order = sorted(range(len(names)), key=names.__getitem__)
    new = np.empty(len(names), dtype=np.intp)
    new[order] = np.arange(len(names))
    return tuple(names[at] for at in order), new[np.asarray(place, dtype=np.intp)]
