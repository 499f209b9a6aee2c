"""Reads a JSON document that a source publishes: an object, with finite numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from argusic.errors import InputError, Place
from argusic.leaderboards.index.reading.rows import as_text


def read_json(path: Path, content: bytes) -> dict[str, Any]:
    """Return the object that a file holds.

    Raises:
        InputError: It holds none.
    """

    def no_constant(said: str) -> float:
        raise InputError(f"{said} is no number.", place=Place(path))

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError("stands twice in one object.", place=Place(path, field=twice[:80]))
        return made

    try:
        said = json.loads(as_text(path, content), parse_constant=no_constant, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise InputError(f"is no JSON: {error.msg}.", place=Place(path, error.lineno)) from error
    except (RecursionError, ValueError) as error:
        raise InputError(
            "is no JSON that can be read: it goes too deep, or has a number too long.", place=Place(path)
        ) from error
    if not isinstance(said, dict):
        raise InputError("holds no object.", place=Place(path, 1))
    return said


def number_at(path: Path, said: object, field: str) -> float:
    """Return a number of a document.

    Raises:
        InputError: It is none, or is not finite.
    """
    if isinstance(said, bool) or not isinstance(said, int | float) or not abs(said) < 1e300:
        raise InputError(f"{str(said)[:80]!r} is no number.", place=Place(path, field=field))
    return float(said)
