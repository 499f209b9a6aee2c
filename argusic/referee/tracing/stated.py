"""The figures that a record states itself: every scalar of it, and of every list how long it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from argusic.records.base import Part, Record, format_time
from argusic.referee.tracing.address import figure_at
from argusic.referee.tracing.ground import Ground
from argusic.referee.tracing.link import Figures, Link, Value

#: The fields that items of lists go by, where all of a list differ in one.
_NAMES = ("subject", "name", "limit", "benchmark")
_SAFE = re.compile(r"[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*")

#: Where a value stands in the YAML, and where its address says that it does.
_Place = tuple[str | int, ...]
#: Makes what a stated figure follows from, and what was checked of it, given where it stands.
Rest = Callable[[_Place], tuple[tuple[str, ...], tuple[Link, ...]]]


def figures(ground: Ground, path: PurePosixPath, record: Record, rest: Rest = lambda place: ((), ())) -> Figures:
    """Return every figure that a record states.

    Args:
        ground: What chains stand on.
        path: The record's file.
        record: The record.
        rest: Makes the checks of one, and what it follows from.
    """
    found: Figures = {}
    for named, place, value in _leaves(record, (), ()):

        def make(named: _Place = named, place: _Place = place, value: Value = value) -> Link:
            checked, below = rest(place)
            return Link(
                what=" ".join(str(step).replace("_", " ") for step in named),
                value=value,
                file=str(path),
                sha256=ground.sha256(path),
                address=figure_at(path, *named),
                line=ground.line(path, *place),
                checked=checked,
                below=below,
            )

        found["/".join(map(str, named))] = make
    return found


def _leaves(value: Any, named: _Place, place: _Place) -> Iterator[tuple[_Place, _Place, Value]]:
    """Yield the address, the place and the value of each leaf."""
    match value:
        case Part():
            for field, info in type(value).model_fields.items():
                key = info.alias or field
                yield from _leaves(getattr(value, field), (*named, key), (*place, key))
        case dict():
            for number, (key, item) in enumerate(value.items(), start=1):
                # Such keys come from outside; by number they are safe in an address.
                yield from _leaves(item, (*named, number), (*place, key))
        case tuple():
            yield named, place, len(value)
            for number, (name, item) in enumerate(zip(item_names(value), value, strict=True)):
                yield from _leaves(item, (*named, name), (*place, number))
        case None:
            return
        case bool():
            yield named, place, "yes" if value else "no"
        case datetime():
            yield named, place, format_time(value)
        case _:
            yield named, place, value


def item_names(items: tuple[Any, ...]) -> list[str | int]:
    """Return what the items of a list go by in addresses: a field in which all differ, else their numbers from 1."""
    for field in _NAMES:
        names = [str(getattr(item, field, "")) for item in items]
        if all(_SAFE.fullmatch(name) for name in names) and len(set(names)) == len(names):
            return list(names)
    return list(range(1, len(items) + 1))
