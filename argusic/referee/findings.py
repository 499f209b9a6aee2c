"""Writing down what is learnt about runs later: invalidations and screenings, each a new file, never an edit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeVar

from pydantic import ValidationError

from argusic.database.database import Database, StoredRun
from argusic.database.locating import field_name, refusals
from argusic.database.paths import invalidation_path, screening_path
from argusic.errors import InputError, Place
from argusic.leaderboards.gather import Gathered
from argusic.records.base import Record
from argusic.records.findings import Invalidation, Screening
from argusic.records.run import Run
from argusic.runs.held import learnt_later

R = TypeVar("R", bound=Record)


def find_run(database: Database, run: str) -> StoredRun:
    """Return a run by its id alone.

    Raises:
        InputError: There is no such run.
    """
    for stored in database.run_index().values():
        for path, _ in stored:
            if path.parts[-2] == run:
                return StoredRun(path, database.read(path, Run))
    raise InputError(f"there is no run {run} here.", advice="A run's id is the name of its folder under runs/.")


def stated(model: type[R], **facts: Any) -> R:
    """Return the record that `facts`, as a person typed them, make.

    Raises:
        InputError: They make none.
    """
    try:
        return model.model_validate(facts)
    except ValidationError as error:
        place, what = refusals(error, facts)[0]
        raise InputError(f"{field_name(place) or f'the {model.__name__.lower()}'}: {what.rstrip('.')}.") from None


def invalidate(database: Database, runs: Sequence[str], *, reason: str, by: str, at: datetime) -> list[Invalidation]:
    """Write an invalidation for each of `runs`; for none of them where one cannot be.

    Raises:
        InputError: A run is not there, counts nowhere already, or its cycle is closed.
    """
    made = [invalidation_of(database, run, reason=reason, by=by, at=at) for run in dict.fromkeys(runs)]
    for invalidation in made:
        database.write(invalidation_path(invalidation.cycle, invalidation.run), invalidation)
    return made


def invalidation_of(database: Database, run: str, *, reason: str, by: str, at: datetime) -> Invalidation:
    """Return the invalidation of a run, which is written nowhere yet.

    Raises:
        InputError: The run is not there, counts nowhere already, or its cycle is closed.
    """
    record = find_run(database, run).run
    must_be_open(database, record.cycle)
    _must_be_valid(database, record)
    return stated(Invalidation, run=run, cycle=record.cycle, reason=reason, by=by, at=at)


def screen(database: Database, screening: Screening) -> None:
    """Write a person's finding on a subject under review.

    Raises:
        InputError: The subject is not of the cycle or not under review, it has a finding already, the cycle is
            closed, or the runs named are not those that an `environment` finding invalidates.
    """
    must_be_open(database, screening.cycle)
    cycle, subject = database.cycle(screening.cycle), screening.subject
    if cycle.entry(subject) is None:
        raise InputError(f"cycle {screening.cycle} has no subject {subject}.")
    path = screening_path(screening.cycle, subject)
    if database.holds(path):
        raise InputError("is there already; a finding is never edited.", place=Place(path))
    for run in screening.invalidates:
        record = find_run(database, run).run
        if (record.cycle, record.subject) != (screening.cycle, subject):
            raise InputError(f"run {run} is of {record.subject} in cycle {record.cycle}.")
        _must_be_valid(database, record)
    if screening.finding == "environment" and not screening.invalidates:
        raise InputError("an environment finding names the runs that it invalidates, with --invalidate.")
    if not _under_review(database, screening.cycle, subject):
        raise InputError(f"{subject} is not under review in cycle {screening.cycle}.")
    database.write(path, screening)


def _under_review(database: Database, cycle: str, subject: str) -> bool:
    gathered = Gathered(database)
    group = (cycle, subject.split("/")[0])
    if group not in gathered.runs:
        return False
    return gathered.group(group, gathered.score_runs(group, {})).reviews[subject].raised


def must_be_open(database: Database, cycle: str) -> None:
    """Refuse to add to a closed cycle.

    Raises:
        InputError: It is closed.
    """
    if database.close(cycle) is not None:
        raise InputError(f"cycle {cycle} is closed; its results stand, and a dispute is the way to contest them.")


def _must_be_valid(database: Database, run: Run) -> None:
    edition, _ = database.edition(run.edition)
    result = learnt_later(database, run.cycle).score(run, edition)
    if result.outcome == "invalid":
        raise InputError(f"run {run.run} is invalid already: {' '.join((result.reason or '').split())}")
