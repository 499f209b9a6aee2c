"""The close of a cycle: everything derived once more, then frozen by digest."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

from argusic.database.database import Database
from argusic.database.paths import close_path
from argusic.errors import CheckFailed, InputError
from argusic.records.cycle import Close, Cycle
from argusic.referee.recompute import recompute
from argusic.runs.work import standing_still, unpublished


def close_cycle(database: Database, cycle: Cycle, by: str) -> Close:
    """Recompute, then write down what the cycle's derivations are from now on.

    Raises:
        InputError: It is closed already.
        CheckFailed: An attempt of it is going on, or died and is not recorded yet: its run would come too late.
    """
    with standing_still(database.work):
        return _close(database, cycle, by)


def _close(database: Database, cycle: Cycle, by: str) -> Close:
    if database.close(cycle.cycle) is not None:
        raise InputError(f"cycle {cycle.cycle} is closed already.")
    for run, held in unpublished(database.work):
        if held in (cycle.cycle, None):
            raise CheckFailed(
                f"attempt {run} of cycle {cycle.cycle} is not over.",
                advice="Wait for it, or end it with `argusic cycle stop`.",
            )
    recompute(database)
    derived = {}
    for name in ("boards", "verdicts"):
        for path in sorted((database.root / "leaderboards" / name / cycle.cycle).glob("*.yaml")):
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            derived[path.relative_to(database.root).as_posix()] = digest
    closed = Close(
        cycle=cycle.cycle,
        closed=datetime.now(UTC).replace(microsecond=0),
        by=by,
        runs=sum(1 for _ in database.runs(cycle.cycle)),
        derived=derived,
    )
    database.write(close_path(cycle.cycle), closed)
    return closed
