"""Reads CSV files, ours and others': their headers, their rows and where each stands; one sentence for what is none."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
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

    def check(self) -> None:
        """Refuse cells that are too long or cannot be shown.

        Raises:
            InputError: One is.
        """
        for column, cell in self.cells.items():
            if len(cell) > MAX_CELL:
                raise InputError(f"has {len(cell)} characters; {MAX_CELL} is the most.", place=self.place(column))
            if not cell.isprintable():
                raise InputError(f"{cell[:80]!r} has characters that cannot be shown.", place=self.place(column))


def read_rows(path: Path, columns: Sequence[str]) -> list[Row]:
    """Return the rows of a CSV file that has just these columns in this order.

    Raises:
        InputError: It cannot be read, is no CSV in UTF-8, has another header, or a row is no row of it.
    """
    lines = numbered(path, read_text(path))
    _, header = next(lines)
    if header != list(columns):
        raise InputError(_header(header, columns), place=Place(path, 1))
    rows: list[Row] = []
    for line, cells in lines:
        check_width(path, line, cells, header)
        row = Row(path, line, {name: cell.strip() for name, cell in zip(columns, cells, strict=True)})
        row.check()
        rows.append(row)
    return rows


def numbered(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV text, each with the line on which it begins: the header first, blank ones passed over.

    Raises:
        InputError: It has no first row, or is no CSV.
    """
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader, None)
        if header is None:
            raise InputError("is empty: its first line must name the columns.", place=Place(path, 1))
        yield 1, header
        before = reader.line_num
        for cells in reader:
            line, before = before + 1, reader.line_num
            if cells:
                yield line, cells
    except csv.Error as error:
        raise InputError(f"is no CSV: {error}.", place=Place(path, reader.line_num)) from error


def columns_of(
    path: Path, header: Sequence[str], needed: Sequence[str], optional: Sequence[str] = ()
) -> dict[str, int]:
    """Return where columns stand in a header that may have others: those needed, and the optional ones that it has.

    Raises:
        InputError: It lacks one that is needed, or has one twice.
    """
    named = [name.strip() for name in header]
    for name in needed:
        if name not in named:
            raise InputError(f"lacks the column {name!r}{_instead(named, needed)}.", place=Place(path, 1))
    wanted = [*needed, *(name for name in optional if name in named)]
    for name in wanted:
        if named.count(name) > 1:
            raise InputError(f"has the column {name!r} twice.", place=Place(path, 1))
    return {name: named.index(name) for name in wanted}


def check_width(path: Path, line: int, cells: Sequence[str], header: Sequence[str]) -> None:
    """Refuse a row that has another number of cells than its file has columns.

    Raises:
        InputError: It has.
    """
    if len(cells) != len(header):
        raise InputError(f"has {len(cells)} cells, the first line {len(header)}.", place=Place(path, line))


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


def _instead(named: Sequence[str], needed: Sequence[str]) -> str:
    """Return what a first line without the columns has instead."""
    apart = {";": "semicolons", "\t": "tabs"}
    between = next((what for mark, what in apart.items() if len(named) == 1 and mark in named[0]), None)
    if between is not None:
        return f": its cells are divided by {between}, and not by commas"
    shown = ", ".join(repr(name[:40]) for name in named[:4]) + (", ..." if len(named) > 4 else "")
    return f": its first line has {shown}, and not {', '.join(needed)}"
