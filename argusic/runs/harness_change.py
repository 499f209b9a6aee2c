"""Writing down that a change of the harness has no effect on measurement: a person's statement, kept for ever."""

from __future__ import annotations

from datetime import datetime

from argusic.database.database import Database
from argusic.database.paths import harness_change_path
from argusic.errors import InputError
from argusic.records.conditions import HarnessChange
from argusic.records.cycle import Cycle
from argusic.runs.conditions import (
    STATABLE,
    before,
    conditions_of,
    differing,
    digest,
    fixed_conditions,
    keep_conditions,
    refusal,
)


def state_no_effect(
    database: Database, cycle: Cycle, *, reason: str, by: str, at: datetime, sandbox: str | None = None
) -> HarnessChange:
    """State that what changed of a cycle's harness has no effect on measurement, so that its attempts go on.

    Args:
        database: The database.
        cycle: The cycle.
        reason: Why it has none.
        by: Who says so.
        at: When.
        sandbox: The sandbox that attempts are made in; None for the cycle's own.

    Raises:
        InputError: The cycle is closed, nothing changed, or something changed that no statement covers.
    """
    if database.close(cycle.cycle) is not None:
        raise InputError(f"cycle {cycle.cycle} is closed.")
    for what, text in (("the reason", reason), ("who says so", by)):
        if not text.strip():
            raise InputError(f"{what} must not be empty.")
    now = conditions_of(database, cycle, sandbox)
    fixed = fixed_conditions(database, cycle.cycle)
    last = fixed[-1] if fixed else before(database, cycle)
    stated = database.harness_changes(cycle.cycle).values()
    if last is None or refusal(now, fixed, last, stated) is None:
        raise InputError(f"nothing of cycle {cycle.cycle}'s harness changed that would have to be explained.")
    fields = differing(now, last)
    if fixed and (others := [field for field in fields if field not in STATABLE]):
        raise InputError(f"no statement covers another {others[0]}: it is what cycle {cycle.cycle}'s runs were given.")
    change = HarnessChange(
        cycle=cycle.cycle,
        conditions=digest(now),
        replaces=digest(last),
        changed=tuple(field for field in STATABLE if field in fields),
        no_effect=reason,
        by=by,
        at=at,
    )
    keep_conditions(database, now)
    database.write(harness_change_path(cycle.cycle, change.conditions), change)
    return change
