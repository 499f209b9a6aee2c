"""What the desk works with, and what it came to: the database, GitHub, and the remote's branches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from argusic.database.codec import parse_record
from argusic.database.database import Database
from argusic.database.paths import dispute_path
from argusic.errors import InputError, Place
from argusic.github.desk.branches import Branches
from argusic.github.desk.case import branch_of
from argusic.github.forge import DECIDES, Forge
from argusic.records.findings import Dispute, DisputeRevision

#: What a step came to.
Came = Literal[
    "answered", "refused", "left alone", "accepted", "accepted before", "not accepted", "revised", "not revised"
]


@dataclass(frozen=True)
class Desk:
    """What a step needs."""

    database: Database
    forge: Forge
    branches: Branches

    def decides(self, login: str) -> bool:
        """Return whether somebody may decide: GitHub is asked, now."""
        return self.forge.permission(login) in DECIDES


@dataclass(frozen=True)
class Done:
    """What a step came to.

    Attributes:
        came: In a word or two.
        says: One sentence for whoever reads the log.
        path: The file that waits for review.
        pull: The pull request with it.
    """

    came: Came
    says: str
    path: PurePosixPath | None = None
    pull: int | None = None


@dataclass(frozen=True)
class Kept:
    """A dispute as far as it is written down: on the main branch, or on its own, where it waits for review.

    Attributes:
        dispute: It, in the words that were accepted.
        revisions: What its issue was changed to since, oldest first.
        waiting: Those of its files that its own branch holds and the main branch does not.
    """

    dispute: Dispute
    revisions: tuple[DisputeRevision, ...]
    waiting: tuple[PurePosixPath, ...]

    @property
    def pieces(self) -> tuple[str, str, str | None]:
        """What it says now: what is wrong, what should be different, and what shows it."""
        last = self.revisions[-1] if self.revisions else self.dispute
        return last.claim, last.expected, last.evidence


def kept_dispute(desk: Desk, issue: int) -> Kept | None:
    """Return the dispute that an issue opened, as far as it is written down; None where it is not.

    Raises:
        InputError: What is on the dispute's branch is no such record.
    """
    cycles = [cycle.cycle for cycle in desk.database.cycles()]
    folders = [dispute_path(cycle, issue).parent for cycle in cycles]
    waiting = desk.branches.below(branch_of("dispute", issue), *folders)
    for cycle in cycles:
        path = dispute_path(cycle, issue)
        here = desk.database.read(path, Dispute) if desk.database.holds(path) else None
        there = parse_record(waiting[path], Dispute, file=path) if path in waiting else None
        dispute = here or there
        if dispute is None:
            continue
        revisions = {one.edited: one for one in _revisions(waiting, path)}
        revisions |= {one.edited: one for one in desk.database.dispute_revisions(cycle).get(issue, ())}
        own = [one for one in waiting if one == path or one.parent == path.with_suffix("")]
        only = tuple(one for one in sorted(own) if not desk.database.holds(one))
        return Kept(dispute, tuple(revisions[edited] for edited in sorted(revisions)), only)
    return None


def _revisions(files: Mapping[PurePosixPath, bytes], of: PurePosixPath) -> list[DisputeRevision]:
    folder = of.with_suffix("")
    return [parse_record(data, DisputeRevision, file=path) for path, data in files.items() if path.parent == folder]


def is_requested(database: Database, issue: int) -> bool:
    """Return whether what an issue requests is written down on the main branch."""
    return any(
        request.issue == issue
        for cycle in database.cycles()
        for found in (database.requests(cycle.cycle), database.reproduction_requests(cycle.cycle))
        for request in found.values()
    )


def must_be_ours(error: InputError) -> None:
    """Raise an error again that is of a file of the repository, and so is no fault of an issue."""
    if isinstance(error.place, Place):
        raise error
