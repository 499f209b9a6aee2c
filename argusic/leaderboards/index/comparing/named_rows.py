"""Reads a CSV file of a user's: the columns that are asked for, wherever they stand, with the line of each row."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from argusic.errors import InputError, Place
from argusic.leaderboards.index.reading.rows import MAX_BYTES, MAX_CELL, Row, read_text


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
    reader = csv.reader(io.StringIO(read_text(path, most), newline=""), strict=True)
    try:
        where, width = _header(path, next(reader, None), columns, optional)
        rows = list(_rows(path, reader, where, width))
    except csv.Error as error:
        raise InputError(f"is no CSV: {error}.", place=Place(path, reader.line_num)) from error
    if not rows:
        raise InputError("has no row.", place=Place(path))
    return rows


def _header(
    path: Path, header: list[str] | None, columns: Sequence[str], optional: Sequence[str]
) -> tuple[dict[str, int], int]:
    if header is None:
        raise InputError("is empty: its first line must name the columns.", place=Place(path, 1))
    named = [cell.strip() for cell in header]
    for name in columns:
        if name not in named:
            raise InputError(f"lacks the column {name!r}.", place=Place(path, 1))
    wanted = [*columns, *(name for name in optional if name in named)]
    for name in wanted:
        if named.count(name) > 1:
            raise InputError(f"has the column {name!r} twice.", place=Place(path, 1))
    return {name: named.index(name) for name in wanted}, len(named)


def _rows(path: Path, reader: Iterator[list[str]], where: dict[str, int], width: int) -> Iterator[Row]:
    before = 1
    for cells in reader:
        line, before = before + 1, reader.line_num  # type: ignore[attr-defined]
        if not cells:
            continue
        if len(cells) != width:
            raise InputError(f"has {len(cells)} cells, the first line {width}.", place=Place(path, line))
        row = Row(path, line, {name: cells[place].strip() for name, place in where.items()})
        for name, cell in row.cells.items():
            if len(cell) > MAX_CELL:
                raise InputError(f"has {len(cell)} characters; {MAX_CELL} is the most.", place=row.place(name))
            if not cell.isprintable():
                raise InputError(f"{cell[:80]!r} has characters that cannot be shown.", place=row.place(name))
        yield row
