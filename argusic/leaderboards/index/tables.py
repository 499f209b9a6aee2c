"""Reads a plain table of results from outside: one sentence with file and row where it is none."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from argusic.errors import InputError, Place
from argusic.leaderboards.index.responses import Responses

COLUMNS: Final = ("model", "benchmark", "score")
#: The largest table that is read, in bytes: some four hundred thousand results.
MAX_BYTES: Final = 64_000_000
#: The longest name of a model or benchmark, in characters.
MAX_NAME: Final = 200


def read_table(file: Path | str) -> Responses:
    """Return the results of a CSV file with the columns `model`, `benchmark` and `score`; others are passed over.

    Raises:
        InputError: It cannot be read, is no such table, or a row of it cannot be used.
    """
    path = Path(file)
    content = _content(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InputError("is no text in UTF-8.", place=Place(path, line)) from error
    rows: list[tuple[str, str, float]] = []
    seen: dict[tuple[str, str], int] = {}
    for line, model, benchmark, written in _cells(path, text):
        score = _score(path, line, written)
        for field, name in (("model", model), ("benchmark", benchmark)):
            _check_name(path, line, field, name)
        first = seen.setdefault((model, benchmark), line)
        if first != line:
            raise InputError(f"{model} on {benchmark} stands in line {first} already.", place=Place(path, line))
        rows.append((model, benchmark, score))
    if not rows:
        raise InputError("holds no result.", place=Place(path))
    return Responses.of_rows(rows)


def _content(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise InputError("is no file.", place=Place(path))
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}.", place=Place(path)) from error
    if len(content) > MAX_BYTES:
        raise InputError(f"has more than {MAX_BYTES} bytes, the most that is read.", place=Place(path))
    if b"\0" in content:
        line = content[: content.index(b"\0")].count(b"\n") + 1
        raise InputError("is no text in UTF-8: it has a null byte.", place=Place(path, line))
    return content


def _cells(path: Path, text: str) -> Iterator[tuple[int, str, str, str]]:
    """Yield line, model, benchmark and score of each row."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader, None)
        if header is None:
            raise InputError("is empty: its first line must name the columns.", place=Place(path, 1))
        named = [name.strip() for name in header]
        missing = [name for name in COLUMNS if name not in named]
        if missing:
            raise InputError(f"lacks the column {missing[0]!r}{_instead(named)}.", place=Place(path, 1))
        twice = [name for name in COLUMNS if named.count(name) > 1]
        if twice:
            raise InputError(f"has the column {twice[0]!r} twice.", place=Place(path, 1))
        where = [named.index(name) for name in COLUMNS]
        before = reader.line_num
        for row in reader:
            line, before = before + 1, reader.line_num
            if not row:
                continue
            if len(row) != len(header):
                raise InputError(f"has {len(row)} cells, the first line {len(header)}.", place=Place(path, line))
            model, benchmark, score = (row[place].strip() for place in where)
            yield line, model, benchmark, score
    except csv.Error as error:
        raise InputError(f"is no CSV: {error}.", place=Place(path, reader.line_num)) from error


def _instead(named: list[str]) -> str:
    """Return what a first line without the three columns has instead."""
    only = named[0]
    apart = {";": "semicolons", "\t": "tabs"}
    between = next((what for mark, what in apart.items() if len(named) == 1 and mark in only), None)
    if between is not None:
        return f": its cells are divided by {between}, and not by commas"
    shown = ", ".join(repr(name[:40]) for name in named[:4]) + (", ..." if len(named) > 4 else "")
    return f": its first line has {shown}, and not {', '.join(COLUMNS)}"


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


def _check_name(path: Path, line: int, field: str, name: str) -> None:
    place = Place(path, line, field)
    if not name:
        raise InputError("is missing.", place=place)
    if len(name) > MAX_NAME:
        raise InputError(f"has {len(name)} characters; a name has {MAX_NAME} at most.", place=place)
    if not name.isprintable():
        raise InputError(f"{name!r} has characters that cannot be shown.", place=place)
