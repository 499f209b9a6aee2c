"""Reads the methodology page: the figures of its tables with their addresses, and figures that nothing compares.

A table whose last column is *Stated in* has in its second column a figure and in its last the figure's address, in the
grammar of `argusic.referee.tracing.address`. A table whose last column is *Field* has a column for each edition. What
stands between `<!-- cited -->` and `<!-- end -->` is other people's figures, or the past's: nothing compares it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from argusic.database.paths import edition_path
from argusic.errors import InputError
from argusic.referee.tracing.address import Address, parse_address

#: Where the page lies, from the top of the repository.
PAGE = PurePosixPath("docs/methodology.md")
#: The last column of a table of figures, and of the table of editions.
STATED_IN, FIELD = "Stated in", "Field"
#: The lines between which figures are somebody else's.
CITED, END = "<!-- cited -->", "<!-- end -->"

_EDITION = re.compile(r"v\d+\.\d+")
_RULER = re.compile(r"\|(?: *:?-+:? *\|)+")
#: What digits belong to that is no figure: code, editions, sections, places in lists and headings, named formats.
_NO_FIGURE = re.compile(
    r"`[^`]*`|\bv\d+\.\d+|\bsections? \d+[a-z]?(?: to \d+)?|^ *\d+\. |^#+ \d+[a-z]?\. |\bsha256\b|\bitem \d+"
)
_NUMBER_WORDS = "two|three|four|five|six|seven|eight|nine|ten|twenty|thirty|forty|sixty|ninety|hundred|half"
_NOUNS = "runs?|attempts?|minutes?|hours?|days?|points?|percent|dollars|budgets?|tiers?"
_WRITTEN_OUT = re.compile(rf"\b(?:{_NUMBER_WORDS})[ -](?:[a-z]+ )?(?:{_NOUNS})\b", re.IGNORECASE)


@dataclass(frozen=True)
class Stated:
    """A figure that a table of the page states.

    Attributes:
        line: Its line on the page, from 1.
        text: The figure as it reads.
        address: Where it is taken from.
        bare: Whether it stands without its unit, which its row names.
        cell: Which cell of the row it is, from 0.
    """

    line: int
    text: str
    address: Address
    bare: bool
    cell: int


@dataclass(frozen=True)
class Fault:
    """A line of the page that cannot be compared, and why."""

    line: int
    what: str


@dataclass(frozen=True)
class ReadPage:
    """The page as it was read."""

    stated: tuple[Stated, ...]
    faults: tuple[Fault, ...]


def cells(line: str) -> list[str]:
    """Return the cells of a row of a table; none where the line is no row."""
    text = line.strip()
    if not (text.startswith("|") and text.endswith("|") and len(text) > 1):
        return []
    return [cell.strip() for cell in text[1:-1].split("|")]


def read_page(text: str) -> ReadPage:
    """Read the page's tables and find the figures outside of them."""
    stated: list[Stated] = []
    faults: list[Fault] = []
    header: list[str] = []
    cited = False
    for number, line in enumerate(text.splitlines(), start=1):
        row = cells(line)
        if line.strip() in (CITED, END):
            cited = line.strip() == CITED
        elif not row:
            header = []
        elif not header:
            header = row
        elif not _RULER.fullmatch(line.strip()) and header[-1] in (STATED_IN, FIELD):
            try:
                stated.extend(_figures(number, header, row))
            except InputError as error:
                faults.append(Fault(number, error.what))
            compared = range(1, len(row)) if header[-1] == FIELD else (1, len(row) - 1)
            line = " ".join(cell for place, cell in enumerate(row) if place not in compared)
        if not cited and (loose := _loose(line)):
            faults.append(Fault(number, f"has the figure {loose!r} where nothing compares it: put it into a table."))
    return ReadPage(tuple(stated), tuple(faults))


def _figures(line: int, header: list[str], row: list[str]) -> list[Stated]:
    if len(row) != len(header):
        raise InputError(f"has {len(row)} cells, and its table has {len(header)} columns.")
    last = row[-1].strip("`")
    if header[-1] == STATED_IN:
        return [Stated(line, row[1], parse_address(last), bare=False, cell=1)]
    editions = header[1:-1]
    if strange := [name for name in editions if not _EDITION.fullmatch(name)]:
        raise InputError(f"has a column {strange[0]!r}, which is no edition.")
    return [
        Stated(line, text, parse_address(f"{edition_path(name)}#{last}"), bare=True, cell=place)
        for place, (name, text) in enumerate(zip(editions, row[1:-1], strict=True), start=1)
    ]


def _loose(line: str) -> str | None:
    """Return the first figure of a line that nothing compares; None where there is none."""
    rest = _NO_FIGURE.sub(" ", line)
    found = re.search(r"\d[\d.,]*(?: ?[%\w]+)?", rest) or _WRITTEN_OUT.search(rest)
    return found.group() if found else None
