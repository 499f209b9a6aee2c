"""Which runs of a cycle wait for a person: their reports claim what the record contradicts, and nobody has looked."""

from __future__ import annotations

from argusic.database.database import Database
from argusic.records.run import Run
from argusic.rules.scored import Later, learnt


def learnt_later(database: Database, cycle: str) -> Later:
    """Return what was learnt of a cycle's runs after they landed."""
    claims = database.claim_screenings(cycle)
    return learnt(database.invalidations(cycle), database.screenings(cycle), claims.values())


def held_runs(database: Database, cycle: str) -> list[Run]:
    """Return the runs of a cycle that are held, by start."""
    later = learnt_later(database, cycle)
    runs = [stored.run for stored in database.runs(cycle) if stored.run.audit is not None]
    held = [run for run in runs if later.score(run, database.edition(run.edition)[0]).outcome == "held"]
    return sorted(held, key=lambda run: (run.started, run.run))
