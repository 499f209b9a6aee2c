"""What a cell of a row says: a number, a day, a word of a set; one sentence with row and field where it says none."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import date
from difflib import get_close_matches
from typing import Final

from argusic.errors import InputError, Place
from argusic.leaderboards.index.reading.rows import Row

_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_ID: Final = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*", re.ASCII)
_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
#: The longest name of a model, a benchmark or a question, in characters.
MAX_NAME: Final = 200


def text(row: Row, column: str) -> str:
    """Return what a cell says, which is something."""
    if not row.cells[column]:
        raise InputError("is missing.", place=row.place(column))
    return row.cells[column]


def name(row: Row, column: str) -> str:
    """Return a name, which has an end."""
    said = row.cells[column]
    check_name(row.place(column), said)
    return said


def check_name(place: Place, name: str) -> None:
    """Refuse what is no name: nothing, what is too long, and what cannot be shown.

    Raises:
        InputError: It is none.
    """
    if not name:
        raise InputError("is missing.", place=place)
    if len(name) > MAX_NAME:
        raise InputError(f"has {len(name)} characters; a name has {MAX_NAME} at most.", place=place)
    if not name.isprintable():
        raise InputError(f"{name!r} has characters that cannot be shown.", place=place)


def identifier(row: Row, column: str) -> str:
    """Return an id: small letters, digits, and points and dashes between them."""
    said = name(row, column)
    if not _ID.fullmatch(said):
        what = f"{said!r} is no id: small letters and digits, with a point or a dash between them."
        raise InputError(what, place=row.place(column))
    return said


def number(row: Row, column: str) -> float:
    """Return a finite number."""
    said = text(row, column)
    found = as_number(said)
    if found is None:
        raise InputError(f"{said[:80]!r} is no number.", place=row.place(column))
    return found


def as_number(said: str) -> float | None:
    """Return the finite number that a text is, or None."""
    found = float(said) if _NUMBER.fullmatch(said) else math.nan
    return found if math.isfinite(found) else None


def day(row: Row, column: str) -> date:
    """Return a day, written as 2026-10-22."""
    said = text(row, column)
    found = as_day(said)
    if found is None:
        raise InputError(f"{said[:80]!r} is no day, written as 2026-10-22.", place=row.place(column))
    return found


def as_day(said: str) -> date | None:
    """Return the day that a text is, written as 2026-10-22, or None."""
    try:
        return date.fromisoformat(said) if _DAY.fullmatch(said) else None
    except ValueError:
        return None


def day_or_none(row: Row, column: str) -> date | None:
    """Return a day, or None where the cell is empty."""
    return day(row, column) if row.cells[column] else None


def number_or_none(row: Row, column: str) -> float | None:
    """Return a finite number, or None where the cell is empty."""
    return number(row, column) if row.cells[column] else None


def choice(row: Row, column: str, choices: Sequence[str]) -> str:
    """Return one of some words."""
    said = text(row, column)
    if said not in choices:
        raise InputError(f"{said[:80]!r} is none of {', '.join(choices)}.", place=row.place(column))
    return said


def unknown(what: str, said: str, known: Sequence[str]) -> str:
    """Return the sentence for a name that is not known, with the nearest that is."""
    by_case = {name.casefold(): name for name in known}
    near = get_close_matches(said.casefold(), list(by_case), 1, 0.5)
    hint = f"; the nearest known is {by_case[near[0]]!r}" if near else ""
    return f"{said[:80]!r} is no {what} that the tables know{hint}."
