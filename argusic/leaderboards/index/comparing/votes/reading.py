"""Reads votes from a CSV file: two models, who won, and what is known of the style of the two answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from argusic.errors import InputError, Place
from argusic.leaderboards.index.comparing.named_rows import named_rows
from argusic.leaderboards.index.comparing.votes.ballot import Ballot, more_of
from argusic.leaderboards.index.reading import cells
from argusic.leaderboards.index.reading.rows import Row

#: What a vote says, as LMArena's files and others' have it, and what the first model got of it.
WINNERS: Final = {
    "model_a": 1.0, "a": 1.0, "model_b": 0.0, "b": 0.0,
    "tie": 0.5, "tie (bothbad)": 0.5, "both_bad": 0.5, "bothbad": 0.5,
}  # fmt: skip
#: The most models that are rated: all are held against all.
MOST_MODELS: Final = 3000
#: The largest file of votes that is read, in bytes: some two million votes.
MAX_BYTES: Final = 256_000_000


def read_votes(path: Path, styles: Sequence[str] = ()) -> Ballot:
    """Return the votes of a CSV file with the columns `model_a`, `model_b` and `winner`.

    A style is read from two columns of counts, such as `tokens_a` and `tokens_b` for the style `tokens`.

    Args:
        path: The file.
        styles: The styles to hold constant.

    Raises:
        InputError: It cannot be read, or a row of it cannot be used.
    """
    if len(set(styles)) != len(styles):
        raise InputError("A style is named twice.")
    if "model" in styles:
        raise InputError("'model' is no style: it is who answered.")
    of_styles = [f"{name}_{side}" for name in styles for side in "ab"]
    votes, counts = [], []
    models: set[str] = set()
    for row in named_rows(path, ("model_a", "model_b", "winner", *of_styles), most=MAX_BYTES):
        first, second = cells.name(row, "model_a"), cells.name(row, "model_b")
        if first == second:
            raise InputError(f"{first!r} meets itself.", place=row.place("model_b"))
        models.update((first, second))
        if len(models) > MOST_MODELS:
            raise InputError(f"names more than {MOST_MODELS} models, the most that are rated.", place=row.place())
        said = row.cells["winner"].lower()
        if said not in WINNERS:
            raise InputError(_winner(row.cells["winner"]), place=row.place("winner"))
        votes.append((first, second, WINNERS[said]))
        counts.append([_count(row, column) for column in of_styles])
    table = np.array(counts, dtype=np.float64).reshape(len(votes), len(of_styles))
    for number, name in enumerate(styles):
        if np.array_equal(table[:, 2 * number], table[:, 2 * number + 1]):
            raise InputError("is the same on both sides of every vote.", place=Place(path, field=f"{name}_a"))
    return Ballot.of_rows(votes, styles, more_of(table[:, ::2], table[:, 1::2]))


def _count(row: Row, column: str) -> float:
    count = cells.number(row, column)
    if not 0 <= count <= 1e12:
        raise InputError(f"{row.cells[column]} is no count.", place=row.place(column))
    return count


def _winner(said: str) -> str:
    if not said:
        return "is missing."
    return f"{said[:80]!r} is none of model_a, model_b, tie and both_bad."
