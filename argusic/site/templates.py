"""The templates of the pages: each expression in them is inert text unless this package itself made it markup.

The rules sit in the environment, not in the templates: whatever an expression yields is escaped by
`argusic.site.escape` on its way out, and a figure without its address is refused, so that no template can forget it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from argusic import site
from argusic.records.facts import facts, given
from argusic.referee.tracing.stated import item_names
from argusic.site import addresses, figures, wording
from argusic.site.addresses import Figure
from argusic.site.dashes import without_dashes
from argusic.site.escape import lines, plain, shortened
from argusic.site.page import address
from argusic.site.reproductions import reproduction_page

#: The most files that a page lists of one pin.
MOST_FILES = 100
#: The filters that make figures.
_FIGURES = ("clock", "counted", "day", "duration", "kappa", "number", "points", "size", "time", "usd")


def _figure(read: Callable[..., str]) -> Callable[..., Figure]:
    return lambda *given: Figure(read(*given))


def _escaped(value: Any) -> Any:
    """Make the value of one expression inert. Figures are printed with their address; anything but text is a bug."""
    if isinstance(value, Markup):
        return value
    if isinstance(value, Figure) or (isinstance(value, int) and not isinstance(value, bool)):
        what = "which every figure on a page has: print it with `| at(FILE, FIELD)`, or in an attribute with `| bare`"
        raise TypeError(f"a template prints the figure {value} without its address, {what}")
    if isinstance(value, str):
        return plain(value)
    raise TypeError(f"a template prints a {type(value).__name__}, which has no one way to read: {value!r}")


def environment() -> Environment:
    """Return the environment that every page is rendered in."""
    made = Environment(
        # Wherever this package has a folder: a kind that is added brings its template in one of its own.
        loader=FileSystemLoader([Path(folder) / "templates" for folder in site.__path__]),
        autoescape=True,
        finalize=_escaped,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters.update(
        {
            **{name: _figure(getattr(figures, name)) for name in _FIGURES},
            "at": addresses.at,
            "bare": addresses.bare,
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
    made.globals["addresses"] = addresses
    made.globals["reproduction_page"] = reproduction_page
    made.globals["facts"] = facts
    made.globals["given"] = given
    made.globals["item_names"] = item_names
    made.globals["most_files"] = MOST_FILES
    return made


def kind_macros(templates: Environment, kind: str | None) -> dict[str, Any]:
    """Return what pages say of a kind alone: the macros of `kinds/<kind>.html.j2`, where it is there.

    They are `source` and `pinned`, which show what its source and its pin state, and `said`, which stands on each of
    its runs. One that is not there is that of `kind.html.j2`.

    Args:
        templates: The environment.
        kind: The kind; None for one that may not be named, which gets what every kind gets.
    """
    macros = vars(templates.get_template("kind.html.j2").module)
    name = f"kinds/{kind}.html.j2"
    if kind is not None and name in templates.list_templates():
        macros = macros | vars(templates.get_template(name).module)
    return {each: macros[each] for each in ("source", "pinned", "said")}
