"""What a source or a pin states, as words and values: for pages, commands and messages, whatever its kind.

A kind that is added brings fields that nobody here knows of, so nothing that prints them names any.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from argusic.records.base import Part, format_time


class Fact(NamedTuple):
    """One field of a part, in words."""

    name: str
    """What it is."""
    value: str
    """What it states; of a list, how many items it has."""
    field: str
    """Where it stands in the part: names of fields with `/` between them."""


def facts(part: Part) -> tuple[Fact, ...]:
    """Return what a part states, in the order of its fields. What is absent, and its kind, is left out."""
    return tuple(_facts(part, ()))


def given(part: Part, field: str) -> str | None:
    """Return what a part states in one of its fields; None where it has no such field, or the field is empty.

    So a page can name the fields that it knows, and stands where a kind has fewer of them.

    Args:
        part: A source or a pin.
        field: Where it stands: names of fields with `/` between them.
    """
    value: Any = part
    for step in field.split("/"):
        value = getattr(value, step, None)
    return None if value is None or isinstance(value, Part) or value == () else _said(value)


def in_words(part: Part) -> str:
    """Return what a part states, on one line: `version 1.0, sha256 ...`."""
    return ", ".join(f"{fact.name} {fact.value}" for fact in facts(part))


def _facts(part: Part, steps: tuple[str, ...]) -> Iterator[Fact]:
    for field in type(part).model_fields:
        value = getattr(part, field)
        if value is None or value == () or field == "kind":
            continue
        if isinstance(value, Part):
            yield from _facts(value, (*steps, field))
        else:
            name = " ".join((*steps, field)).replace("_", " ")
            yield Fact(name, _said(value), "/".join((*steps, field)))


def _said(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case datetime():
            return format_time(value)
        case tuple() | dict():
            return str(len(value))
        case _:
            return str(value)
