"""Writing down what a person found of the claims that a run is held for: a new file, which releases the run."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from argusic.database.database import Database
from argusic.database.paths import claim_screening_path
from argusic.errors import InputError, Place
from argusic.records.findings import ClaimScreening
from argusic.referee.findings import find_run, must_be_open, stated
from argusic.runs.held import held_runs


def screen_claims(
    database: Database, run: str, finding: Literal["audit", "record", "agent"], *, reason: str, by: str, at: datetime
) -> ClaimScreening:
    """Write a person's finding on the claims of a run that the record contradicts.

    Raises:
        InputError: There is no such run, it is not held, it has a finding already, or its cycle is closed.
    """
    record = find_run(database, run).run
    must_be_open(database, record.cycle)
    path = claim_screening_path(record.cycle, run)
    if database.holds(path):
        raise InputError("is there already; a finding is never edited.", place=Place(path))
    if record.audit is None or all(held.run != run for held in held_runs(database, record.cycle)):
        raise InputError(f"run {run} is not held.", advice=f"`argusic run show {run}` says what it came to.")
    fields = record.audit.contradicted
    made = stated(
        ClaimScreening, run=run, cycle=record.cycle, fields=fields, finding=finding, reason=reason, by=by, at=at
    )
    database.write(path, made)
    return made
