"""The source models: where a subject of each kind comes from, and how a cycle pins it.

One module a kind. A module defines `KIND` (the kind's id), `Source` (a subject's identity) and `Pin` (what a
cycle pins of it). They are discovered by importing every module of this package, so that a new kind adds a
file and edits nothing.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import NamedTuple, Protocol, cast

from argusic.records.base import Part


class SourceModels(NamedTuple):
    """The two models of a kind."""

    source: type[Part]
    pin: type[Part]


class _Module(Protocol):
    KIND: str
    Source: type[Part]
    Pin: type[Part]


def source_models() -> dict[str, SourceModels]:
    """Return the models of every kind that this program can read, by kind id, sorted."""
    return _models(tuple(__path__))


@cache
def _models(folders: tuple[str, ...]) -> dict[str, SourceModels]:
    """Return the models in the folders of this package. Whoever adds a folder to it has them read anew."""
    found = {}
    for info in pkgutil.iter_modules(folders):
        module = cast(_Module, importlib.import_module(f"{__name__}.{info.name}"))
        found[module.KIND] = SourceModels(module.Source, module.Pin)
    return dict(sorted(found.items()))
