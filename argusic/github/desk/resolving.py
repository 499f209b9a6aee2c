"""A dispute resolved by a pull request: what `argusic dispute resolve` writes, on a branch, with an answer below it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePosixPath

from argusic.database.codec import dump, parse_record
from argusic.database.paths import dispute_path, invalidation_path
from argusic.errors import InputError, Place
from argusic.github.desk import replies
from argusic.github.desk.branches import MAIN
from argusic.github.desk.desk import Desk
from argusic.github.desk.replies import ENDED
from argusic.records.findings import Dispute, Invalidation, Moment
from argusic.referee.disputes import Resolved, Result, dispute_of, find_dispute, resolution


def branch_of_end(issue: int) -> str:
    """Return the branch that the resolution of an issue's dispute waits for review on."""
    return f"disputes/{issue}-resolved"


def ended_as(desk: Desk, issue: int) -> str | None:
    """Return the label that says how an issue's dispute ended, or would end; None while nobody resolved it."""
    dispute = dispute_of(desk.database, issue)
    if dispute is not None and dispute.resolution is None:
        dispute = _waiting(desk, dispute) or dispute
    end = dispute.resolution if dispute is not None else None
    return ENDED[end.result] if end is not None else None


def resolve_by_pull(
    desk: Desk, issue: int, result: Result, *, explanation: str, by: str, at: datetime, moments: Sequence[Moment]
) -> tuple[Resolved, int]:
    """Put on a branch how a dispute ended, by a pull request, and say it below the issue.

    Args:
        desk: The desk.
        issue: The dispute's issue.
        result: What it came to.
        explanation: Why, as readers see it.
        by: Who resolves it, as GitHub knows them.
        at: When.
        moments: The places in the recording that show it.

    Returns:
        What waits for review, and the number of the pull request.

    Raises:
        InputError: They may not decide; there is no such dispute on the main branch, or it was resolved otherwise; the
            recording has no such place; or this checkout is not what the main branch holds.
        EnvironmentLack: GitHub or the remote cannot be reached.
    """
    if not desk.decides(by):
        raise InputError(f"{by} may not write to this repository, and so resolves nothing.")
    dispute = find_dispute(desk.database, issue)
    path = dispute_path(dispute.cycle, issue)
    _must_be_what_main_holds(desk, path)
    made = resolution(desk.database, issue, result, explanation=explanation, by=by, at=at, moments=moments)
    waiting = _waiting(desk, dispute)
    if waiting is not None:
        made = _the_same(desk, made, waiting)
    files = {path: dump(desk.database.checked(path, made.dispute))}
    if made.invalidation is not None:
        files[invalidation_path(dispute.cycle, dispute.run)] = dump(made.invalidation)
    if waiting is None:
        message = f"Dispute of run {dispute.run}: {ENDED[result]}, issue {issue}\n\nResolved by {by}."
        desk.branches.put(branch_of_end(issue), files, message, replace=True)
    text = replies.for_review_of_end(made.dispute, list(files))
    title = f"Dispute of run {dispute.run}: {ENDED[result].replace('-', ' ')} (issue {issue})"
    pull = desk.forge.pull(branch_of_end(issue), MAIN, title, text)
    desk.forge.say(issue, "resolution", replies.resolved(made.dispute, pull, made.invalidation))
    desk.forge.label(issue, add=[ENDED[result]], remove=[name for name in ENDED.values() if name != ENDED[result]])
    return made, pull


def _must_be_what_main_holds(desk: Desk, path: PurePosixPath) -> None:
    upstream = desk.branches.below(MAIN, path.parent)
    if upstream.get(path) != desk.database.read_bytes(path):
        what = f"is not what the branch {MAIN} of the remote holds."
        raise InputError(what, place=Place(path), advice="Bring this checkout up to date first.")


def _waiting(desk: Desk, dispute: Dispute) -> Dispute | None:
    """Return the dispute with the resolution that waits for review; None where none does."""
    path = dispute_path(dispute.cycle, dispute.issue)
    data = desk.branches.below(branch_of_end(dispute.issue), path.parent).get(path)
    found = parse_record(data, Dispute, file=path) if data is not None else None
    return found if found is not None and found.resolution is not None else None


def _the_same(desk: Desk, made: Resolved, waiting: Dispute) -> Resolved:
    """Return what waits for review, where it is the same but for its time.

    Raises:
        InputError: It is another resolution.
    """
    new, old = made.dispute.resolution, waiting.resolution
    assert new is not None and old is not None, "both are resolved"
    if new.model_copy(update={"at": old.at}) != old:
        raise InputError(
            f"another resolution of issue {waiting.issue} waits for review on {branch_of_end(waiting.issue)}.",
            advice="Merge its pull request, or close it and delete the branch first.",
        )
    invalidation: Invalidation | None = made.invalidation
    if invalidation is not None:
        path = invalidation_path(invalidation.cycle, invalidation.run)
        data = desk.branches.below(branch_of_end(waiting.issue), path.parent).get(path)
        invalidation = parse_record(data, Invalidation, file=path) if data is not None else None
    return Resolved(waiting, invalidation)
