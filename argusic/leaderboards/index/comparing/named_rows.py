"""Reads a CSV file of a user's: the columns that are asked for, wherever they stand, with the line of each row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from argusic.errors import InputError, Place
from argusic.leaderboards.index.reading.rows import MAX_BYTES, Row, check_width, columns_of, numbered, read_text


def named_rows(path: Path, columns: Sequence[str], optional: Sequence[str] = (), most: int = MAX_BYTES) -> list[Row]:
    """Return the rows of a CSV file that has these columns among others.

    Args:
        path: The file.
        columns: What it must have.
        optional: What it may have; a row has no such cell where the file has no such column.
        most: The largest file that is read, in bytes.

    Raises:
        InputError: It cannot be read, is no CSV in UTF-8, lacks a column or has it twice, has no row, or a row is none.
    """
    lines = numbered(path, read_text(path, most))
    _, header = next(lines)
    where = columns_of(path, header, columns, optional)
    rows = []
    for line, cells in lines:
        check_width(path, line, cells, header)
        row = Row(path, line, {name: cells[place].strip() for name, place in where.items()})
        row.check()
        rows.append(row)
    if not rows:
        raise InputError("has no row.", place=Place(path))
    return rows
