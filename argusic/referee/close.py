"""The close of a cycle: everything derived once more, then frozen by digest."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

from argusic.database.database import Database
from argusic.database.paths import close_path
from argusic.errors import CheckFailed, InputError
from argusic.evidence.signing.manifests import unsigned_runs
from argusic.records.cycle import Close, Cycle
from argusic.referee.recompute import recompute
from argusic.runs.held import held_runs
from argusic.runs.work import standing_still, unpublished


def close_cycle(database: Database, cycle: Cycle, by: str, *, unsigned: bool = False) -> Close:
    """Recompute, then write down what the cycle's derivations are from now on.

    Args:
        database: The database.
        cycle: The cycle.
        by: Who closes it.
        unsigned: Whether it may be closed with runs that nobody vouches for.

    Raises:
        InputError: It is closed already.
        CheckFailed: An attempt of it is going on, or died and is not recorded yet: its run would come too late. Or a
            run is not signed, or is held.
    """
    with standing_still(database.work):
        return _close(database, cycle, by, unsigned)


def _close(database: Database, cycle: Cycle, by: str, unsigned: bool) -> Close:
    if database.close(cycle.cycle) is not None:
        raise InputError(f"cycle {cycle.cycle} is closed already.")
    for run, held in unpublished(database.work):
        if held in (cycle.cycle, None):
            raise CheckFailed(
                f"attempt {run} of cycle {cycle.cycle} is not over.",
                advice="Wait for it, or end it with `argusic cycle stop`.",
            )
    if not unsigned and (runs := unsigned_runs(database, cycle.cycle)):
        raise CheckFailed(
            f"{len(runs)} runs of cycle {cycle.cycle} are not signed.",
            advice=f"Run `argusic evidence sign {cycle.cycle}`, or close it with --sign none.",
        )
    if waiting := held_runs(database, cycle.cycle):
        raise CheckFailed(
            f"cycle {cycle.cycle} has runs that are held, because the record contradicts what their reports claim: "
            f"{', '.join(run.run for run in waiting)}.",
            advice="Look at each (`argusic audit RUN`), and say what it is: `argusic screening --run RUN`.",
        )
    recompute(database)
    derived = {}
    for name in ("boards", "verdicts"):
        for path in sorted((database.root / "leaderboards" / name / cycle.cycle).glob("*.yaml")):
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            derived[path.relative_to(database.root).as_posix()] = digest
    closed = Close(
        cycle=cycle.cycle,
        closed=datetime.now(UTC),
        by=by,
        runs=sum(1 for _ in database.runs(cycle.cycle)),
        derived=derived,
    )
    database.write(close_path(cycle.cycle), closed)
    return closed
