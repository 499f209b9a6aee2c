"""The environment of the index's templates: that of all pages, with the figures of the index and their elements."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from jinja2 import Environment
from markupsafe import Markup

from argusic.site.addresses import Figure
from argusic.site.escape import plain
from argusic.site.index import naming, numbers
from argusic.site.templates import environment

#: The filters that make figures.
_FIGURES = (
    "ability_score", "between", "brief", "calendar", "correlation", "parameter", "points", "raw", "residual", "score",
    "share", "width",
)  # fmt: skip


def index_environment() -> Environment:
    """Return the environment. A figure in it is refused unless it has its address, or its element has: `| here`."""
    made = environment()
    made.filters.update({name: _figure(getattr(numbers, name)) for name in _FIGURES})
    made.filters["here"] = here
    made.filters["place"] = place
    made.globals["naming"] = naming
    return made


def here(text: str) -> Markup:
    """Return a figure whose element, or one around it, carries its address."""
    return _inert(str(text))


@lru_cache(maxsize=20_000)
def _inert(text: str) -> Markup:
    # The same few thousand figures and names stand on hundreds of pages.
    return plain(text)


def place(value: float) -> Markup:
    """Return where something is drawn: a length in an attribute."""
    return Markup(f"{float(value):g}")


def _figure(read: Callable[..., str]) -> Callable[..., Figure]:
    return lambda *given: Figure(read(*given))
