"""The close of a cycle: everything derived once more, then frozen by digest."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

from argusic.database.database import Database
from argusic.database.paths import close_path
from argusic.errors import InputError
from argusic.records.cycle import Close, Cycle
from argusic.referee.recompute import recompute


def close_cycle(database: Database, cycle: Cycle, by: str) -> Close:
    """Recompute, then write down what the cycle's derivations are from now on.

    Raises:
        InputError: It is closed already.
    """
    if database.close(cycle.cycle) is not None:
        raise InputError(f"cycle {cycle.cycle} is closed already.")
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
