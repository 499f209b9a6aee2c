"""What is known of arguments, loaded from the data file beside it: values, and when tools are called."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from argusic.database.reading import parse
from argusic.records.base import Items, Part, Text


class Value(Part):
    """What to hand over where the conditions hold."""

    name: Text | None = None
    """The argument's name."""
    tool: Text | None = None
    """The tool's name, or what it says of itself."""
    called: Text | None = None
    """The tool's name alone."""
    about: Text | None = None
    """What the argument says of itself."""
    format: Text | None = None
    """The argument's format."""
    value: str | int | float
    """The value."""


class Order(Part):
    """Words of tools' names, by when such tools are called."""

    before: Items[Items[Text]]
    """First to last, before the others."""
    after: Items[Items[Text]]
    """First to last, after the others."""


class Values(Part):
    """What is known of arguments."""

    order: Order
    """When each tool is called."""
    texts: Items[Value]
    """Texts, the more particular first."""
    numbers: Items[Value]
    """Numbers, the more particular first."""


@cache
def values() -> Values:
    """Return what is known of arguments.

    Raises:
        InputError: The data file is wrong, with its line.
    """
    return Values.model_validate(parse(files(__package__).joinpath("values.yaml").read_bytes(), file="values.yaml"))


def words(name: str) -> list[str]:
    """Return the words of a name, in lower case."""
    return re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower())
