"""Votes between two models' answers, as arrays: who was shown, who won, and how the answers differed in style."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argusic.leaderboards.index.responses import Floats, Places


@dataclass(frozen=True, eq=False)
class Ballot:
    """Votes. n votes, M models, F features of style.

    Attributes:
        models: The names of the models, sorted; shape (M,).
        first: The model on one side of each vote, as a place in `models`; shape (n,).
        second: The one on the other side; shape (n,).
        won: 1 where the first won, 0 where the second did, 0.5 for a tie; shape (n,).
        features: The names of the features of style.
        style: By how much the first answer has more of each than the second; shape (n, F).
    """

    models: tuple[str, ...]
    first: Places
    second: Places
    won: Floats
    features: tuple[str, ...]
    style: Floats

    @classmethod
    def of_rows(
        cls,
        rows: Iterable[tuple[str, str, float]],
        features: Sequence[str] = (),
        style: Floats | Sequence[Sequence[float]] = (),
    ) -> Ballot:
        """Return the ballot of rows (first, second, won).

        Args:
            rows: One for each vote.
            features: The names of the features of style.
            style: For each row, by how much the first has more of each.

        Raises:
            ValueError: A model meets itself, or a vote is neither 0, 0.5 nor 1, or the style has another shape.
        """
        listed = list(rows)
        for first, second, won in listed:
            if first == second:
                raise ValueError(f"{first!r} meets itself")
            if won not in (0, 0.5, 1):
                raise ValueError(f"{won} is neither 0, 0.5 nor 1")
        models = tuple(sorted({name for row in listed for name in row[:2]}))
        place = {name: number for number, name in enumerate(models)}
        apart = np.asarray(style, dtype=np.float64).reshape(len(listed), -1) if features else np.zeros((len(listed), 0))
        if apart.shape[1] != len(features):
            raise ValueError(f"the style has {apart.shape[1]} columns, and {len(features)} features are named")
        return cls(
            models,
            np.array([place[row[0]] for row in listed], dtype=np.intp),
            np.array([place[row[1]] for row in listed], dtype=np.intp),
            np.array([row[2] for row in listed], dtype=np.float64),
            tuple(features),
            apart,
        )

    def __len__(self) -> int:
        return len(self.won)

    def ordered(self) -> Ballot:
        """Return the same votes in an order, and with sides, that do not depend on their file's.

        Each vote begins with the model that comes first by name, so that sums are taken in one order and the same votes
        give the same bits.
        """
        swapped = self.first > self.second
        first, second = np.minimum(self.first, self.second), np.maximum(self.first, self.second)
        won = np.where(swapped, 1 - self.won, self.won)
        # Without a sign on nought, which the swap would leave there.
        style = np.where(swapped[:, None], -self.style, self.style) + 0.0
        order = np.lexsort((*style.T, won, second, first))
        return Ballot(self.models, first[order], second[order], won[order], self.features, style[order])

    def where(self, kept: NDArray[np.bool_]) -> Ballot:
        """Return the votes that are kept, of the same models."""
        return Ballot(self.models, self.first[kept], self.second[kept], self.won[kept], self.features, self.style[kept])


def more_of(first: Floats, second: Floats) -> Floats:
    """Return by how much the first of two counts is more, as a share of both: from -1 to 1, and 0 where both are 0.

    This is how LMArena compares lengths and numbers of headers, lists and bold words (its post on style control, 2024).
    """
    both = first + second
    return np.where(both > 0, (first - second) / np.where(both > 0, both, 1.0), 0.0)
