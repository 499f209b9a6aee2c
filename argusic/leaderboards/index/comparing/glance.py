"""The indices that people read, at a glance: a short table that people keep, with the day on which it was checked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from importlib.resources import files

import yaml


@dataclass(frozen=True)
class Known:
    """An index that somebody publishes.

    Attributes:
        name: Its name.
        address: The page that documents it.
        form: Which family of methods it belongs to.
        method: What it does, in a sentence without its stop.
        interval: How sure it says it is.
        read_it_for: What it is best at.
    """

    name: str
    address: str
    form: str
    method: str
    interval: str
    read_it_for: str


@dataclass(frozen=True)
class Glance:
    """The table.

    Attributes:
        checked: The day on which the pages were read.
        indices: The indices, in the table's order.
    """

    checked: date
    indices: tuple[Known, ...]


def at_a_glance() -> Glance:
    """Return the table."""
    read = yaml.safe_load(files(__package__).joinpath("glance.yaml").read_text(encoding="utf-8"))
    return Glance(read["checked"], tuple(Known(**row) for row in read["indices"]))
