"""The methodology page on the site: the page of the documentation, with addresses on its figures and its gaps filled.

On the site a figure carries its address itself, so that the column of addresses is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from markupsafe import Markup

from argusic.database.paths import edition_path
from argusic.records.edition import Edition
from argusic.referee.methodology.page import CITED, END, FIELD, PAGE, STATED_IN, Stated, cells, read_page
from argusic.site.addresses import at
from argusic.site.escape import plain

#: The folders of the files that figures are traced into; a limit of the program or a workflow is code.
_TRACED = (PurePosixPath("rules/editions"), PurePosixPath("pool/cycles"))
#: A piece of code in a changelog, or a figure that is no part of an edition's name.
_CODE_OR_FIGURE = re.compile(r"`([^`]*)`|(?<![\w.])\d[\d.,-]*(?<=\d)(?!\w)")
_FILLED = "<!-- filled: {} -->"

__all__ = ["PAGE", "filled_in", "paragraphs"]


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


def paragraphs(edition: Edition) -> list[Markup]:
    """Return what an edition's changelog says, each figure in it with its address."""
    return [_paragraph(" ".join(text.split()), edition) for text in edition.changelog.split("\n\n")]


def _paragraph(text: str, edition: Edition) -> Markup:
    made, end = [], 0
    for match in _CODE_OR_FIGURE.finditer(text):
        made.append(plain(text[end : match.start()]))
        code = match.group(1)
        path = edition_path(edition.edition)
        made.append(Markup("<code>{}</code>").format(plain(code)) if code else at(match.group(), path, "changelog"))
        end = match.end()
    return Markup("").join([*made, plain(text[end:])])


def _figure(one: Stated) -> str:
    # What an edition does not have is stated nowhere, and leads nowhere.
    if one.address.path.parent not in _TRACED or one.text == "\u2013":
        return one.text
    return str(at(one.text, one.address.path, *one.address.figure.split("/")))
