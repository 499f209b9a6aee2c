"""The methodology page on the site: the page of the documentation, with addresses on its figures and its gaps filled.

On the site a figure carries its address itself, so that the column of addresses is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from argusic.referee.methodology.page import CITED, END, FIELD, PAGE, STATED_IN, Stated, cells, read_page
from argusic.site.addresses import at

#: The folders of the files that figures are traced into; a limit of the program or a workflow is code.
_TRACED = (PurePosixPath("rules/editions"), PurePosixPath("pool/cycles"))
_FILLED = "<!-- filled: {} -->"

__all__ = ["PAGE", "filled_in"]


def filled_in(text: str, parts: Mapping[str, str]) -> str:
    """Return the page as the site's sources hold it.

    Args:
        text: The page of the documentation.
        parts: What goes where the page says `<!-- filled: NAME -->`, by name.
    """
    at_line: dict[int, list[Stated]] = {}
    for one in read_page(text).stated:
        at_line.setdefault(one.line, []).append(one)
    gaps = {_FILLED.format(name): part for name, part in parts.items()}
    lines: list[str] = []
    header: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        row = cells(line)
        header = (header or row) if row else []
        if line.strip() in (CITED, END):
            continue
        if header[-1:] in ([STATED_IN], [FIELD]):
            for one in at_line.get(number, ()):
                row[one.cell] = _figure(one)
            line = f"| {' | '.join(row[:-1])} |"
        lines.append(gaps.get(line.strip(), line))
    return "\n".join(lines) + "\n"


def _figure(one: Stated) -> str:
    # What an edition does not have is stated nowhere, and leads nowhere.
    if one.address.path.parent not in _TRACED or one.text == "\u2013":
        return one.text
    return str(at(one.text, one.address.path, *one.address.figure.split("/")))
