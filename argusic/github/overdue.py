"""What should have happened by now and is not recorded: GitHub drops scheduled runs, and tells nobody."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from argusic.database.codec import parse
from argusic.database.database import Database
from argusic.errors import InputError
from argusic.github.clock import last_ticks
from argusic.github.forge import Forge
from argusic.records.cycle import Cycle
from argusic.referee.methodology.configured import WORKFLOWS
from argusic.runs.cycle import still_owed

#: One tick that is late or dropped is ordinary; two in a row are missed.
_TICKS: Final = 2


def overdue_cycles(database: Database, now: datetime, days: int) -> Iterator[str]:
    """Yield a sentence for each cycle that should have had runs, or been closed.

    Args:
        database: The database.
        now: The time.
        days: How many days without a run are too many while runs are owed.
    """
    for cycle in database.cycles():
        if cycle.opens > now or database.close(cycle.cycle) is not None:
            continue
        if cycle.closes <= now:
            yield f"Cycle {cycle.cycle} ended on {cycle.closes:%Y-%m-%d} and is not closed."
            continue
        last = max((stored.run.finished for stored in database.runs(cycle.cycle)), default=None)
        if now - (last or cycle.opens) > timedelta(days=days) and (attempts := _owed(database, cycle)):
            since = (
                f"its last run is of {last:%Y-%m-%d}"
                if last
                else f"it has none since it opened, {cycle.opens:%Y-%m-%d}"
            )
            yield f"Cycle {cycle.cycle} owes {attempts} attempts, and {since}."


def _owed(database: Database, cycle: Cycle) -> int:
    return sum(cell.attempts for cell in still_owed(database, cycle))


def overdue_workflows(database: Database, forge: Forge, now: datetime) -> Iterator[str]:
    """Yield a sentence for each workflow that its schedule should have begun, and did not.

    Raises:
        InputError: A workflow or its schedule cannot be read.
        EnvironmentLack: GitHub cannot be reached.
    """
    folder = database.root / WORKFLOWS
    for path in sorted([*folder.glob("*.yml"), *folder.glob("*.yaml")]):
        for schedule in _schedules(parse(path.read_bytes(), file=WORKFLOWS / path.name)):
            ticks = last_ticks(schedule, now, _TICKS)
            if len(ticks) < _TICKS:
                continue
            started = forge.last_started(path.name)
            # What the clock never began may have come to the main branch just now.
            if started is not None and started < ticks[-1]:
                yield (
                    f"{path.name} should have begun at {ticks[-1]:%Y-%m-%d %H:%M} and {ticks[0]:%Y-%m-%d %H:%M} UTC, "
                    f"and last did at {started:%Y-%m-%d %H:%M}."
                )


def _schedules(workflow: object) -> list[str]:
    on = workflow.get("on") if isinstance(workflow, dict) else None
    held = on.get("schedule") if isinstance(on, dict) else None
    if held is None:
        return []
    if not isinstance(held, list) or not all(
        isinstance(one, dict) and isinstance(one.get("cron"), str) for one in held
    ):
        raise InputError("a workflow's schedule is no list of `cron`.")
    return [one["cron"] for one in held]
