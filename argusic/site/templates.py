"""The templates of the pages: each expression in them is inert text unless this package itself made it markup.

The rule sits in the environment, not in the templates: whatever an expression yields is escaped by
`argusic.site.escape` on its way out, so that no template can forget it.
"""

from __future__ import annotations

import json
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from argusic.site import figures, wording
from argusic.site.dashes import without_dashes
from argusic.site.escape import lines, plain, shortened
from argusic.site.page import address


def _escaped(value: Any) -> Any:
    """Make the value of one expression inert. Only figures and text may be printed; anything else is a bug."""
    if isinstance(value, Markup):
        return value
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return Markup(str(value))
    raise TypeError(f"a template prints a {type(value).__name__}, which has no one way to read: {value!r}")


def environment() -> Environment:
    """Return the environment that every page is rendered in."""
    made = Environment(
        loader=PackageLoader("argusic.site", "templates"),
        autoescape=True,
        finalize=_escaped,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters.update(
        {
            "clock": figures.clock,
            "counted": figures.counted,
            "day": figures.day,
            "duration": figures.duration,
            "number": figures.number,
            "points": figures.points,
            "size": figures.size,
            "time": figures.time,
            "usd": figures.usd,
            "lines": lines,
            "shortened": shortened,
            "address": address,
            "json": lambda value: Markup(json.dumps(value)),
            "paragraph": lambda text: plain(" ".join(text.split())),
            "seek": figures.seek,
            "quoted": lambda text: lines(without_dashes(text)),
            "quoted_line": lambda text: plain(without_dashes(text)),
        }
    )
    made.globals["words"] = wording
    return made
