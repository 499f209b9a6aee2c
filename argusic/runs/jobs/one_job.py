"""One job of a plan: the attempts of one cell, and what of them is handed over, however the job ends."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field

from argusic.database.atomic import write_file
from argusic.database.codec import dump, read_record
from argusic.database.database import Database
from argusic.errors import InputError
from argusic.records.base import Items, Record, RunId
from argusic.records.cycle import Cycle
from argusic.records.handing_over import HandOver, PlannedJob
from argusic.records.run import Run
from argusic.runs.attempt import Equipment
from argusic.runs.cycle import Finished, run_cycle, still_owed
from argusic.runs.jobs.handed_keys import HandedKeys
from argusic.runs.jobs.handing import hand_over, must_be_new
from argusic.runs.jobs.planning import must_have_recipients
from argusic.runs.jobs.sealed_along import SendAlong, sealed_of, send_along
from argusic.runs.jobs.times import fits
from argusic.runs.order import order
from argusic.runs.plan import Owed
from argusic.sandbox.protocol import Provider

_FOLDER: Final = "jobs"


class _Begun(Record):
    """How a job's cell stood when the job first began."""

    before: Items[RunId]
    """The runs that were there: all later ones are the job's own."""
    owed: Annotated[int, Field(ge=0)]
    """The valid runs that were owed."""


@dataclass(frozen=True)
class JobDone:
    """What a job did.

    Attributes:
        finished: Its attempts.
        handed: What was handed over; None where nobody asked for it.
        sealed: How many sealed raw files its runs have.
        along: How many of them were sent along.
        remark: What there is to say of what it did not do, or empty.
    """

    finished: Finished
    handed: HandOver | None
    sealed: int
    along: int
    remark: str


def run_job(
    equipment: Equipment,
    cycle: Cycle,
    job: PlannedJob,
    providers: dict[str, Provider],
    *,
    keys: HandedKeys | None = None,
    to: Path | None = None,
    along: SendAlong | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> JobDone:
    """Make the attempts of one job of a plan, and hand their runs over.

    What was published is handed over also where an attempt failed, was stopped, or could not begin. A job that died
    and is started again hands over what it made before, too.

    Args:
        equipment: What attempts are made with.
        cycle: The cycle.
        job: The job.
        providers: Every way of making sandboxes here, for sweeping up after a dead process.
        keys: The keys that it was handed.
        to: Where the hand-over goes.
        along: Where sealed raw files go; they stay behind without it.
        clock: Tells how many seconds go by.

    Raises:
        InputError: The plan does not fit this database, or the cycle cannot be run now.
        CheckFailed: A subject is not what the cycle pinned, or what would be handed over is not what it should be.
    """
    began, database = clock(), equipment.database
    if to is None and along is not None:
        raise InputError("sealed files go along with a hand-over, and none is asked for.")
    if to is not None:
        must_be_new(to)
        must_have_recipients(database, cycle.cycle)
    budget = order(database, cycle, job.subject, job.agent, job.purpose).budget_seconds
    note = database.work.parent / _FOLDER / cycle.cycle / f"{job.subject.replace('/', '--')}--{job.agent}.yaml"
    begun = _begun(database, cycle, job, note if to is not None else None)
    late = False

    def wanted(cell: Owed) -> bool:
        nonlocal late
        if (cell.subject, cell.agent) != (job.subject, job.agent) or cell.attempts <= begun.owed - job.attempts:
            return False
        late = late or not fits(budget, job.timeout_minutes, clock() - began)
        return not late

    finished: Finished | None = None
    handed: HandOver | None = None
    sent = 0
    try:
        finished = run_cycle(replace(equipment, handed=keys), cycle, providers, wanted)
    finally:
        runs = [run for run in _runs(database, cycle, job) if run.run not in begun.before]
        if to is not None and (runs or finished is not None):
            queued = "; ".join(why for _, why in finished.queued) if finished is not None else ""
            held = keys.secrets() if keys is not None else {}
            handed = hand_over(database, cycle.cycle, job, runs, to, queued=queued or None, held=held)
        if along is not None:
            sent = send_along(database, runs, along)
        if to is not None and (handed is not None or not runs):
            note.unlink(missing_ok=True)
    sealed = sum(len(sealed_of(database, run)) for run in runs)
    return JobDone(finished, handed, sealed, sent, _remark(begun.owed, late, job))


def _remark(owed: int, late: bool, job: PlannedJob) -> str:
    what = f"{job.subject} by {job.agent}"
    if not owed:
        return f"Job {job.job} has nothing to do: {what} is not owed any more."
    return f"Another attempt at {what} would not fit into the job's time, and stays owed." if late else ""


def _owed(database: Database, cycle: Cycle, job: PlannedJob) -> int:
    """Return how many valid runs of the job's cell are owed now."""
    cells = still_owed(database, cycle)
    return sum(cell.attempts for cell in cells if (cell.subject, cell.agent) == (job.subject, job.agent))


def _runs(database: Database, cycle: Cycle, job: PlannedJob) -> list[Run]:
    found = [stored.run for stored in database.runs(cycle.cycle)]
    return [run for run in found if (run.subject, run.agent) == (job.subject, job.agent)]


def _begun(database: Database, cycle: Cycle, job: PlannedJob, note: Path | None) -> _Begun:
    """Return how the job's cell stood when the job first began, which a note remembers for when its process dies."""
    if note is not None and note.is_file():
        return read_record(note, _Begun)
    before = tuple(sorted(run.run for run in _runs(database, cycle, job)))
    begun = _Begun(before=before, owed=_owed(database, cycle, job))
    if note is not None:
        write_file(note, dump(begun), replace=False)
    return begun
