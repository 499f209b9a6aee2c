"""Reads a CSV file that a source publishes, whose columns are the source's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from argusic.errors import InputError, Place
from argusic.leaderboards.index.reading.cells import as_day, as_number
from argusic.leaderboards.index.reading.rows import as_text, check_width, columns_of, numbered


@dataclass(frozen=True)
class Line:
    """One row: where it begins, and its cells by column, with each run of spaces as one."""

    path: Path
    line: int
    cells: dict[str, str]

    def place(self, column: str | None = None) -> Place:
        """Return where it is."""
        return Place(self.path, self.line, column)

    def number(self, column: str) -> float | None:
        """Return the finite number in a cell, None where the cell is empty.

        Raises:
            InputError: It holds something else.
        """
        said = self.cells[column]
        if not said:
            return None
        found = as_number(said)
        if found is None:
            raise InputError(f"{said[:80]!r} is no number.", place=self.place(column))
        return found

    def day(self, column: str) -> date | None:
        """Return the day in a cell that begins with one, as a time does; None where the cell is empty.

        Raises:
            InputError: It holds something else.
        """
        said = self.cells[column]
        if not said:
            return None
        found = as_day(said[:10]) if said[10:11] in ("", " ", "T") else None
        if found is None:
            raise InputError(f"{said[:80]!r} is no day, written as 2026-10-22.", place=self.place(column))
        return found


def read_lines(path: Path, content: bytes, needed: Sequence[str], broken: Counter[str] | None = None) -> list[Line]:
    """Return the rows of a CSV file that has at least the columns that are needed.

    Args:
        path: The file.
        content: What it holds.
        needed: The columns.
        broken: Is told of rows with another number of cells than there are columns, whose cells may stand under
            the wrong ones; None where such a row is refused.

    Raises:
        InputError: It is no such file.
    """
    rows = numbered(path, as_text(path, content))
    _, first = next(rows)
    header = [name.strip() for name in first]
    columns_of(path, header, needed)
    lines: list[Line] = []
    for line, cells in rows:
        if broken is not None and len(cells) != len(header):
            broken[f"line {line} of {path.name} has {len(cells)} cells, the first line {len(header)}"] += 1
            continue
        check_width(path, line, cells, header)
        named = {name: " ".join(cell.split()) for name, cell in zip(header, cells, strict=True)}
        lines.append(Line(path, line, named))
    return lines
