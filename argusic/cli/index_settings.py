"""The options with which a person says which benchmarks count."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

import typer

from argusic.errors import InputError

PanelDays = Annotated[int, typer.Option(min=0, max=36_500, help="How old the newest date of a benchmark may be.")]
RunDatesOnly = Annotated[
    bool, typer.Option("--run-dates-only", help="Days of runs alone keep a benchmark, and no release of a model.")
]
LeastRecent = Annotated[int, typer.Option(min=0, help="How many models need a result within those days.")]
Everything = Annotated[bool, typer.Option("--everything", help="Every benchmark counts, however old its results.")]


def day_of(said: str, what: str) -> date:
    """Return the day that a person names, which is written in one way alone.

    Raises:
        InputError: It is no day.
    """
    # What reads cells of tables is loaded by the command that needs it alone.
    from argusic.leaderboards.index.reading.cells import as_day

    found = as_day(said)
    if found is None:
        raise InputError(f"{what} {said[:80]!r} is no day, written as 2026-10-22.")
    return found


def panel_of(days: int, run_dates_only: bool, least_recent: int, everything: bool) -> dict[str, Any]:
    """Return the rule as a record has it.

    Raises:
        InputError: Every benchmark is to count, and a rule says which.
    """
    if everything and (days != 365 or run_dates_only or least_recent):
        raise InputError("--everything goes without a rule that leaves benchmarks out.")
    return {
        "days": None if everything else days,
        "run_dates_only": run_dates_only,
        "least_recent": least_recent,
    }
