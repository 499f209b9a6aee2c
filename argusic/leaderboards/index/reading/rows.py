"""Reads a CSV file of ours: its header, its rows and where each stands; one sentence for whatever is none."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from argusic.errors import InputError, Place

#: The largest file that is read, in bytes.
MAX_BYTES: Final = 32_000_000
#: The longest cell, in characters.
MAX_CELL: Final = 4000


@dataclass(frozen=True)
class Row:
    """One row of a file.

    Attributes:
        path: The file.
        line: The line on which the row begins, from 1.
        cells: Its cells, by the column's name, without spaces around them.
    """

    path: Path
    line: int
    cells: dict[str, str]

    def place(self, column: str | None = None) -> Place:
        """Return where the row is, or a cell of it."""
        return Place(self.path, self.line, column)


def read_rows(path: Path, columns: Sequence[str]) -> list[Row]:
    """Return the rows of a CSV file that has just these columns in this order.

    Raises:
        InputError: It cannot be read, is no CSV in UTF-8, has another header, or a row is no row of it.
    """
    rows: list[Row] = []
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        header = next(reader, None)
        if header is None:
            raise InputError("is empty: its first line must name the columns.", place=Place(path, 1))
        if header != list(columns):
            raise InputError(_header(header, columns), place=Place(path, 1))
        before = reader.line_num
        for cells in reader:
            line, before = before + 1, reader.line_num
            if not cells:
                continue
            if len(cells) != len(columns):
                raise InputError(f"has {len(cells)} cells, the first line {len(columns)}.", place=Place(path, line))
            row = Row(path, line, {name: cell.strip() for name, cell in zip(columns, cells, strict=True)})
            _check(row)
            rows.append(row)
    except csv.Error as error:
        raise InputError(f"is no CSV: {error}.", place=Place(path, reader.line_num)) from error
    return rows


def read_text(path: Path, most: int = MAX_BYTES) -> str:
    """Return the text of a file in UTF-8.

    Raises:
        InputError: It is no file, cannot be read, is too large, or is no text.
    """
    return as_text(path, read_bytes(path, most))


def read_bytes(path: Path, most: int = MAX_BYTES) -> bytes:
    """Return the content of a file.

    Raises:
        InputError: It is no file, cannot be read, or is too large.
    """
    try:
        if not path.is_file():
            raise InputError("is no file.", place=Place(path))
        with path.open("rb") as file:
            content = file.read(most + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}.", place=Place(path)) from error
    if len(content) > most:
        raise InputError(f"has more than {most} bytes, the most that is read.", place=Place(path))
    return content


def as_text(path: Path, content: bytes) -> str:
    """Return the content of a file as text in UTF-8.

    Raises:
        InputError: It is none.
    """
    if b"\0" in content:
        line = content[: content.index(b"\0")].count(b"\n") + 1
        raise InputError("is no text: it has a null byte.", place=Place(path, line))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InputError("is no text in UTF-8.", place=Place(path, line)) from error


def _header(header: Sequence[str], columns: Sequence[str]) -> str:
    missing = [name for name in columns if name not in header]
    if missing:
        return f"lacks the column {missing[0]!r}."
    more = [name for name in header if name not in columns]
    if more:
        return f"has a column {more[0][:80]!r} that it must not have."
    return f"must name the columns in this order: {', '.join(columns)}."


def _check(row: Row) -> None:
    for column, cell in row.cells.items():
        if len(cell) > MAX_CELL:
            raise InputError(f"has {len(cell)} characters; {MAX_CELL} is the most.", place=row.place(column))
        if not cell.isprintable():
            raise InputError(f"{cell[:80]!r} has characters that cannot be shown.", place=row.place(column))
