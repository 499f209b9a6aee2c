"""The few changes to what is published that are lawful, and the additions that are not."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import PurePosixPath

from argusic.database.codec import parse_record
from argusic.database.database import Database
from argusic.database.git import Git
from argusic.database.paths import RUN_FILE, cycle_path
from argusic.errors import CheckFailed, InputError
from argusic.evidence.stores.committed import index_of, pack_paths
from argusic.evidence.stores.pack import read_index
from argusic.records.agent import Agent
from argusic.records.cycle import Cycle
from argusic.records.findings import Dispute, Withdrawal
from argusic.records.run import Run

#: What a cycle with runs goes on saying; changing it would re-label them, or take runs out of what counts.
_FIXED = ("edition", "edition_sha256", "opens", "sandbox", "conditions", "standard_agent", "stronger_agent")
_AGENT_FIXED = ("role", "program", "implementation", "configuration", "commitment")
_GROWING = ("board_agents", "controls", "subjects")


def only_resolved(database: Database, git: Git, commit: str, path: PurePosixPath) -> bool:
    """Return whether the one thing that happened to a dispute is its resolution."""
    before = git.show(commit, path)
    if before is None:
        return False
    try:
        old = parse_record(before, Dispute, file=path)
        new = database.read(path, Dispute)
    except InputError:
        return False
    return old.resolution is None and new.model_copy(update={"resolution": None}) == old


def cycle_taken_back(database: Database, git: Git, commit: str, path: PurePosixPath) -> str | None:
    """Return what a cycle that had runs no longer says; None where it only grew."""
    before = git.show(commit, path)
    if before is None or not git.holds_any(commit, PurePosixPath("runs", path.stem)):
        return None
    try:
        old = parse_record(before, Cycle, file=path)
        new = database.read(path, Cycle)
    except InputError:
        return None  # What cannot be read is named by itself.
    for field in _FIXED:
        if getattr(old, field) != getattr(new, field):
            return f"has runs and says something else than before of its {field}, which they were made under."
    for field in _GROWING:
        if gone := [entry for entry in getattr(old, field) if entry not in getattr(new, field)]:
            what = getattr(gone[0], "subject", gone[0])
            return f"has runs and no longer says {what} as before among its {field}: that would hide runs."
    return None


def agent_taken_back(database: Database, git: Git, commit: str, path: PurePosixPath) -> str | None:
    """Return what an agent that had runs no longer says; None where only its title or sponsor is put otherwise,
    it is to be revealed sooner, or what was sealed is encrypted to other keys."""
    before = git.show(commit, path)
    if before is None or not _ran(database, path.stem):
        return None
    try:
        old = parse_record(before, Agent, file=path)
        new = database.read(path, Agent)
    except InputError:
        return None  # As above.
    for field in _AGENT_FIXED:
        if getattr(old, field) != getattr(new, field):
            return f"has runs, which its {field} belongs to. Another {field} is another agent."
    if old.reveal_on is not None and (new.reveal_on is None or new.reveal_on > old.reveal_on):
        return f"has runs and was to be revealed by {old.reveal_on}: that may be sooner, and not later."
    if old.sponsor is not None and new.sponsor is None:
        return "has runs and no longer says who paid for its compute."
    return None


def _ran(database: Database, agent: str) -> bool:
    return any(path.parts[-3] == agent for found in database.run_index().values() for path, _ in found)


def withdrawn(tombstones: Mapping[str, Withdrawal], git: Git, commit: str, path: PurePosixPath) -> bool:
    """Return whether a file that is gone has a tombstone with its own fingerprint."""
    tombstone = tombstones.get(path.parent.name)
    before = git.show(commit, path)
    if tombstone is None or before is None:
        return False
    digest = hashlib.sha256(before).hexdigest()
    return any((file.name, file.sha256) == (path.name, digest) for file in tombstone.files)


def gave_way(database: Database, git: Git, commit: str, path: PurePosixPath) -> bool:
    """Return whether a pack that is gone was replaced by one without what was withdrawn: something of it was, and all
    else of it is in a pack still."""
    before = git.show(commit, path)
    if before is None:
        return False
    try:
        missing = set(read_index(len(before), lambda start, size: before[start : start + size]))
        for there in pack_paths(database):
            missing -= index_of(database, there).keys()
        gone = {
            file.sha256
            for cycle in (database.root / "runs").iterdir()
            for tombstone in database.withdrawals(cycle.name).values()
            for file in tombstone.files
        }
    except (CheckFailed, InputError):
        return False  # What cannot be read is named by itself, and excuses nothing.
    return bool(missing) and missing <= gone


def back_dated(database: Database, path: PurePosixPath, new: frozenset[PurePosixPath]) -> str | None:
    """Return why a new run comes too late to be believed.

    Attempts are numbered by their start. A run that had ended before a published one of the same agent on the same
    subject began, and was not published then, was held back, or is given a time that is not its own.

    Args:
        database: The database.
        path: The new run's record.
        new: The records of all new runs.
    """
    try:
        run = database.read(path, Run)
        cycle = database.read(cycle_path(run.cycle), Cycle)
    except InputError:
        return None  # As above.
    if run.started < cycle.opens:
        return f"started before its cycle opened ({cycle.opens:%Y-%m-%d %H:%M} UTC)."
    for other in sorted((database.root / path.parent.parent).iterdir()):
        record = path.parent.parent / other.name / RUN_FILE
        if record not in new and database.holds(record) and run.finished < _started(other.name):
            return f"had ended when {other.name} began, and is published after it: it was held back or is back-dated."
    return None


def _started(run: str) -> datetime:
    return datetime.strptime(run[:16], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
