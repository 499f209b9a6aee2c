"""Reads a plain table of results from outside: one sentence with file and row where it is none."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

from argusic.errors import InputError, Place
from argusic.leaderboards.index.reading.cells import check_name
from argusic.leaderboards.index.reading.rows import check_width, columns_of, numbered, read_text
from argusic.leaderboards.index.responses import Responses

COLUMNS: Final = ("model", "benchmark", "score")
#: The largest table that is read, in bytes: some four hundred thousand results.
MAX_BYTES: Final = 64_000_000


def read_table(file: Path | str) -> Responses:
    """Return the results of a CSV file with the columns `model`, `benchmark` and `score`; others are passed over.

    Raises:
        InputError: It cannot be read, is no such table, or a row of it cannot be used.
    """
    path = Path(file)
    lines = numbered(path, read_text(path, MAX_BYTES))
    _, header = next(lines)
    where = columns_of(path, header, COLUMNS).values()
    rows: list[tuple[str, str, float]] = []
    seen: dict[tuple[str, str], int] = {}
    for line, cells in lines:
        check_width(path, line, cells, header)
        model, benchmark, written = (cells[place].strip() for place in where)
        score = _score(path, line, written)
        for field, name in (("model", model), ("benchmark", benchmark)):
            check_name(Place(path, line, field), name)
        first = seen.setdefault((model, benchmark), line)
        if first != line:
            raise InputError(f"{model} on {benchmark} stands in line {first} already.", place=Place(path, line))
        rows.append((model, benchmark, score))
    if not rows:
        raise InputError("holds no result.", place=Place(path))
    return Responses.of_rows(rows)


def _score(path: Path, line: int, written: str) -> float:
    place = Place(path, line, "score")
    if not written:
        raise InputError("is missing.", place=place)
    try:
        # Python also takes underscores and digits of other scripts for numbers.
        score = float(written) if written.isascii() and "_" not in written else math.nan
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        hint = " A score is written as 0.93." if {",", "%"}.intersection(written) else ""
        raise InputError(f"{written!r} is no number.{hint}", place=place)
    if not 0 <= score <= 1:
        hint = " Divide per cent by 100." if 1 < score <= 100 else ""
        raise InputError(f"{written} is not between 0 (the random guess) and 1 (the ceiling).{hint}", place=place)
    return score
