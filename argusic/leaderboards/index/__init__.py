"""The composite index: one number per model from sparse benchmarks, by item response theory, with how sure it is.

What stands in `__all__` is for use from outside: `from argusic.leaderboards.index import fit, read_table`. A name is
loaded when it is asked for, so that a program that never fits anything never loads numbers.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from argusic.leaderboards.index import plots
    from argusic.leaderboards.index.fitting import Fit, Item, fit
    from argusic.leaderboards.index.neighbours import Ranks, rank
    from argusic.leaderboards.index.options import Options
    from argusic.leaderboards.index.responses import Responses
    from argusic.leaderboards.index.solving import NotConverged
    from argusic.leaderboards.index.tables import read_table
    from argusic.leaderboards.index.validation.cross import HeldOut, cross_validated

__all__ = [
    "Fit",
    "HeldOut",
    "Item",
    "NotConverged",
    "Options",
    "Ranks",
    "Responses",
    "cross_validated",
    "fit",
    "plots",
    "rank",
    "read_table",
]

#: The module of this package that each name is in; `plots` is one itself.
_HOMES: Final = {
    "Fit": "fitting",
    "HeldOut": "validation.cross",
    "Item": "fitting",
    "NotConverged": "solving",
    "Options": "options",
    "Ranks": "neighbours",
    "Responses": "responses",
    "cross_validated": "validation.cross",
    "fit": "fitting",
    "rank": "neighbours",
    "read_table": "tables",
}


def __getattr__(name: str) -> Any:
    if name == "plots":
        return import_module(f"{__name__}.plots")
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
