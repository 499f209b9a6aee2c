"""Nothing published is taken back: what lies in git at an earlier commit is compared with what lies there now."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from argusic.database.codec import parse_record
from argusic.database.database import Database
from argusic.database.git import Change, Git
from argusic.database.paths import DATA_FOLDERS, Holding, close_path, what_is
from argusic.errors import Finding, InputError, Place
from argusic.records.findings import Dispute

#: Rows of the table of paths whose files, once there, stay as they are.
_NEVER_EDITED = frozenset(
    ["run", "manifest", "evidence", "edition", "instructions", "close", "invalidation", "screening"]
)
_DONE = {"M": "was edited", "D": "was removed or renamed", "T": "was made something else than a file"}


def check_append_only(database: Database, base: str) -> Iterator[Finding]:
    """Yield what `base` holds and today's files have edited, renamed or removed without leave.

    Runs with their evidence, editions with their instructions, invalidations, screenings and closes are never
    changed. A dispute may be resolved once and not changed otherwise. A cycle that was closed at `base` gets no
    further run and changes neither its pool nor its derivations.

    Raises:
        InputError: `base` names no commit, or the database is in no git repository.
    """
    git = Git.required_around(database.root)
    commit = git.commit(base)
    if not git.descends_from(commit):
        yield Finding(
            Place("."),
            f"what is checked out does not contain {base}: merge it first. If it once did, history was rewritten.",
        )
        return
    closed: dict[str, bool] = {}
    for change in git.changes(commit, *DATA_FOLDERS):
        holding = what_is(change.path)
        if holding is None:
            continue
        cycle = holding.ids.get("cycle")
        if cycle is not None and cycle not in closed:
            closed[cycle] = git.show(commit, close_path(cycle)) is not None
        what = _wrong(database, git, commit, change, holding, was_closed=cycle is not None and closed[cycle])
        if what:
            yield Finding(Place(change.path), what)


def _wrong(
    database: Database, git: Git, commit: str, change: Change, holding: Holding, *, was_closed: bool
) -> str | None:
    name = holding.row.name
    done = _DONE.get(change.status)
    if done and name in _NEVER_EDITED:
        return f"{done}; a published {name} stays as it is. What is learnt later is a file of its own."
    if done and name == "dispute" and not (change.status == "M" and _only_resolved(database, git, commit, change.path)):
        return f"{done}; a dispute may be resolved once, and nothing else about it changes."
    if was_closed and name == "run" and not done:
        return "is a run that was added after its cycle was closed."
    if was_closed and done and (name == "cycle" or holding.row.nature == "derived"):
        return f"{done} after its cycle was closed."
    return None


def _only_resolved(database: Database, git: Git, commit: str, path: PurePosixPath) -> bool:
    before = git.show(commit, path)
    if before is None:
        return False
    try:
        old = parse_record(before, Dispute, file=path)
        new = database.read(path, Dispute)
    except InputError:
        return False
    return old.resolution is None and new.model_copy(update={"resolution": None}) == old
