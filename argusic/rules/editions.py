"""When an edition came into force: derived from the runs, never written down."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from argusic.records.run import Run
from argusic.rules.endings import ENDINGS


class InForce(NamedTuple):
    """The first run measured under an edition."""

    started: datetime
    """When it began: the edition is in force from then."""
    run: str
    """Which run it was."""


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
