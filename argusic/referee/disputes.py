"""Disputes: a contested result is written down once and resolved once, and what it contests is never edited."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from argusic.database.database import Database, StoredRun
from argusic.database.paths import dispute_path, invalidation_path
from argusic.errors import InputError, Place
from argusic.evidence.layout import MANIFEST_NAME
from argusic.records.findings import Dispute, Invalidation, Moment
from argusic.records.manifest import Manifest
from argusic.referee.findings import find_run, invalidation_of, stated
from argusic.runs.held import learnt_later

#: What a dispute can come to.
Result = Literal["corrected", "evidence_stands"]


class Resolved(NamedTuple):
    """What a resolution writes."""

    dispute: Dispute
    """The dispute with its resolution."""
    invalidation: Invalidation | None
    """What makes the run count nowhere; None where it counts on, or counts nowhere already."""


def all_disputes(database: Database, cycle: str | None = None) -> tuple[Dispute, ...]:
    """Return the disputes of one cycle, or of all, by issue.

    Raises:
        InputError: There is no such cycle.
    """
    cycles = [found.cycle for found in database.cycles()] if cycle is None else [database.cycle(cycle).cycle]
    found = (dispute for one in cycles for dispute in database.disputes(one))
    return tuple(sorted(found, key=lambda dispute: (dispute.issue, dispute.cycle)))


def find_dispute(database: Database, issue: int) -> Dispute:
    """Return the dispute that an issue opened.

    Raises:
        InputError: There is none.
    """
    found = dispute_of(database, issue)
    if found is None:
        raise InputError(f"there is no dispute of issue {issue} here.", advice="`argusic dispute list` names them.")
    return found


def dispute_of(database: Database, issue: int) -> Dispute | None:
    """Return the dispute that an issue opened; None where it is not written down."""
    for cycle in database.cycles():
        path = dispute_path(cycle.cycle, issue)
        if database.holds(path):
            return database.read(path, Dispute)
    return None


def must_be_new(database: Database, issue: int) -> None:
    """Refuse an issue that opened a dispute before.

    Raises:
        InputError: It did.
    """
    found = dispute_of(database, issue)
    if found is not None:
        raise InputError(f"issue {issue} was written down already, in {dispute_path(found.cycle, issue)}.")


def write_dispute(database: Database, dispute: Dispute) -> None:
    """Write down that a run is disputed.

    Raises:
        InputError: The issue opened a dispute before, or the run is none of the cycle.
    """
    must_be_new(database, dispute.issue)
    run = find_run(database, dispute.run).run
    if run.cycle != dispute.cycle:
        raise InputError(f"run {run.run} is of cycle {run.cycle}.")
    database.write(dispute_path(dispute.cycle, dispute.issue), dispute)


def resolution(
    database: Database,
    issue: int,
    result: Result,
    *,
    explanation: str,
    by: str,
    at: datetime,
    moments: Sequence[Moment] = (),
) -> Resolved:
    """Return what is to be written down of how a dispute ended.

    A corrected run counts nowhere from then on, by a file beside it, and while its cycle is open its attempt is owed
    again. What a closed cycle came to stands; there the note alone is added.

    Args:
        database: The database.
        issue: The dispute's issue.
        result: What it came to.
        explanation: Why, as readers see it.
        by: Who resolved it.
        at: When.
        moments: The places in the recording that show it; that the evidence stands needs one.

    Raises:
        InputError: There is no such dispute, it is resolved, or the recording has no such place.
    """
    dispute = find_dispute(database, issue)
    path = dispute_path(dispute.cycle, issue)
    if dispute.resolution is not None:
        how = dispute.resolution.result.replace("_", " ")
        raise InputError(f"was resolved already, as {how}, and is resolved once.", place=Place(path))
    stored = find_run(database, dispute.run)
    if result == "evidence_stands" and not moments:
        raise InputError("that the evidence stands needs seconds of the recording that show it.")
    if moments:
        _must_be_recorded(database, stored, moments)
    said = {"result": result, "explanation": explanation, "moments": tuple(moments), "by": by, "at": at}
    made = stated(Dispute, **{**dispute.model_dump(by_alias=True, exclude_none=True), "resolution": said})
    invalidates = result == "corrected" and database.close(dispute.cycle) is None and not _is_invalid(database, stored)
    if not invalidates:
        return Resolved(made, None)
    reason = f"Corrected after a dispute (issue {issue}): {explanation}"
    return Resolved(made, invalidation_of(database, dispute.run, reason=reason, by=by, at=at))


def write_resolution(database: Database, resolved: Resolved) -> None:
    """Write down how a dispute ended.

    Raises:
        InputError: The run was invalidated in the meantime.
    """
    dispute, invalidation = resolved
    if invalidation is not None:
        database.write(invalidation_path(invalidation.cycle, invalidation.run), invalidation)
    database.write(dispute_path(dispute.cycle, dispute.issue), dispute, replace=True)


def _must_be_recorded(database: Database, stored: StoredRun, moments: Sequence[Moment]) -> None:
    """Refuse a place that no recording has.

    Raises:
        InputError: There is no recording, it was withdrawn, or it ends before one of the places.
    """
    run = stored.run
    manifest = database.read(stored.folder / MANIFEST_NAME, Manifest)
    recording = next((file for file in manifest.files if file.role == "recording"), None)
    if recording is None:
        raise InputError(f"run {run.run} has no recording.")
    tombstone = database.withdrawals(run.cycle).get(run.run)
    if tombstone is not None and any(file.name == recording.name for file in tombstone.files):
        raise InputError(f"the recording of run {run.run} was withdrawn.")
    length = manifest.coverage.recorded_seconds
    for moment in moments:
        if moment.seconds > length:
            what = f"the recording of run {run.run} has no second {moment.seconds:g}: it ends at {length:g}."
            raise InputError(what)


def _is_invalid(database: Database, stored: StoredRun) -> bool:
    edition, _ = database.edition(stored.run.edition)
    return learnt_later(database, stored.run.cycle).score(stored.run, edition).outcome == "invalid"
