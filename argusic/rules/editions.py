"""When an edition came into force: derived from the runs here, and from what is known of earlier ones."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from argusic.records.edition import Edition
from argusic.records.run import Run
from argusic.rules.endings import ENDINGS


class InForce(NamedTuple):
    """The first run measured under an edition."""

    started: datetime
    """When it began: the edition is in force from then."""
    run: str
    """Which run it was."""


class Force(NamedTuple):
    """Since when an edition is in force, and what that is known from."""

    day: str
    """The day of the first run under it, the runs from before this repository included."""
    here: InForce | None
    """The first run under it that this repository holds."""


def in_force_from(edition: str, runs: Iterable[Run]) -> InForce | None:
    """Return when `edition` came into force, or None while nothing was measured under it.

    A control measures the harness and an attempt cut short measured nothing, so neither brings an edition into
    force. A run invalidated later did measure under it on the day it ran.

    Args:
        edition: The edition's id.
        runs: Any runs, of all editions and cycles.
    """
    measured = (
        InForce(run.started, run.run)
        for run in runs
        if run.edition == edition and run.purpose != "control" and ENDINGS[run.ending.how].valid
    )
    return min(measured, default=None)


def in_force(edition: Edition, runs: Iterable[Run]) -> Force | None:
    """Return since when an edition is in force by all that is known, or None while no run under it is known.

    Args:
        edition: The edition.
        runs: Any runs, of all editions and cycles.
    """
    here, earlier = in_force_from(edition.edition, runs), edition.earlier_runs
    days = [earlier.first] if earlier is not None else []
    if here is not None:
        days.append(f"{here.started:%Y-%m-%d}")
    return Force(min(days), here) if days else None


def newest(editions: Iterable[Edition]) -> Edition:
    """Return the newest of some editions.

    Raises:
        ValueError: There is none.
    """
    return max(editions, key=lambda edition: edition.order)
