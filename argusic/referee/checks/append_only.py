"""Nothing published is taken back: what lies in git at an earlier commit is compared with what lies there now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from argusic.database.database import Database
from argusic.database.git import Change, Git
from argusic.database.paths import DATA_FOLDERS, Holding, close_path, what_is
from argusic.errors import Finding, InputError, Place
from argusic.records.findings import Withdrawal
from argusic.referee.checks.lawful import (
    agent_taken_back,
    back_dated,
    cycle_taken_back,
    gave_way,
    only_resolved,
    withdrawn,
)

#: Rows of the table of paths whose files, once there, stay as they are.
_NEVER_EDITED = frozenset(
    [
        "run",
        "manifest",
        "evidence",
        "signature",
        "pack",
        "edition",
        "instructions",
        "close",
        "invalidation",
        "screening",
        "claim screening",
        "withdrawal",
        "recipients",
        "conditions",
        "harness change",
        "rule change",
        "request",
        "reproduction",
        "reproduction request",
        "dispute revision",
        "revealed configuration",
        "results of benchmarks",
        "inputs of a ranking",
        "reference",
        "addendum",
    ]
)
#: Rows of the index that are opened one after the other.
_DATED = ("inputs of a ranking", "addendum")
_RANKINGS = PurePosixPath("leaderboards/index/rankings")
_DONE = {"M": "was edited", "D": "was removed or renamed", "T": "was made something else than a file"}


def check_append_only(database: Database, base: str) -> Iterator[Finding]:
    """Yield what `base` holds and today's files have edited, renamed or removed without leave.

    Runs with their evidence and signatures, editions with their instructions, invalidations, screenings, tombstones and
    closes are never changed; a file of evidence may go where a tombstone states its fingerprint, and a pack where one
    states whatever of it is in no pack any more. A dispute may be resolved once and not changed otherwise. A cycle that
    has runs keeps what they were made under, and takes nothing out of what it tests; an agent that has runs stays what
    it was. A new run is not older than what was published before it. A cycle that was closed at `base` gets no further
    run and changes neither its pool nor its derivations. Of the index, files of results, references with their addenda
    and what a ranking is made from are never changed, nor is a ranking that a later one had followed at `base`; and no
    ranking is opened for a date before that of one that is there.

    Raises:
        InputError: `base` names no commit, or the database is in no git repository.
    """
    git = database.repository()
    commit = git.commit(base)
    if not git.descends_from(commit):
        yield Finding(
            Place("."),
            f"what is checked out does not contain {base}: merge it first. If it once did, history was rewritten.",
        )
        return
    changes = git.changes(commit, *DATA_FOLDERS)
    held = [(change, holding) for change in changes if (holding := what_is(change.path)) is not None]
    new = frozenset(change.path for change, holding in held if change.status == "A" and holding.row.name == "run")
    comparison = _Comparison(database, git, commit, new)
    for change, holding in held:
        what = comparison.wrong(change, holding)
        if what:
            yield Finding(Place(change.path), what)


@dataclass
class _Comparison:
    """Today's files against a commit."""

    database: Database
    git: Git
    commit: str
    new: frozenset[PurePosixPath]
    _closed: dict[str, bool] = field(default_factory=dict)
    _tombstones: dict[str, dict[str, Withdrawal]] = field(default_factory=dict)

    def wrong(self, change: Change, holding: Holding) -> str | None:
        """Return what is wrong with a change; None where it is lawful."""
        name = holding.row.name
        done = _DONE.get(change.status)
        if done and name in _NEVER_EDITED and not self._is_withdrawn(change, holding):
            return f"{done}; a published {name} stays as it is. What is learnt later is a file of its own."
        if done and name == "dispute" and not (change.status == "M" and self._only_resolved(change)):
            return f"{done}; a dispute may be resolved once, and nothing else about it changes."
        if name == "run" and not done:
            if self._was_closed(holding):
                return "is a run that was added after its cycle was closed."
            return back_dated(self.database, change.path, self.new)
        if done and (name == "cycle" or holding.row.nature == "derived") and self._was_closed(holding):
            return f"{done} after its cycle was closed."
        if done and name == "ranking" and holding.ids["date"] < self._ranked:
            return f"{done}; a ranking that a later one followed stays as it was published."
        if name in _DATED and not done and holding.ids["date"] <= self._ranked:
            return f"is not of a later date than {self._ranked}, the newest ranking that was opened before it."
        if name == "cycle" and change.status == "M":
            return cycle_taken_back(self.database, self.git, self.commit, change.path)
        if name == "agent" and change.status == "M":
            return agent_taken_back(self.database, self.git, self.commit, change.path)
        return None

    @cached_property
    def _ranked(self) -> str:
        """The date of the newest ranking at the commit; empty where there was none."""
        return max(self.git.names(self.commit, _RANKINGS), default="").removesuffix(".yaml")

    def _only_resolved(self, change: Change) -> bool:
        return only_resolved(self.database, self.git, self.commit, change.path)

    def _was_closed(self, holding: Holding) -> bool:
        cycle = holding.ids.get("cycle")
        if cycle is None:
            return False
        if cycle not in self._closed:
            self._closed[cycle] = self.git.show(self.commit, close_path(cycle)) is not None
        return self._closed[cycle]

    def _is_withdrawn(self, change: Change, holding: Holding) -> bool:
        if change.status != "D":
            return False
        if holding.row.name == "pack":
            return gave_way(self.database, self.git, self.commit, change.path)
        if holding.row.name != "evidence":
            return False
        cycle = holding.ids["cycle"]
        if cycle not in self._tombstones:
            try:
                self._tombstones[cycle] = self.database.withdrawals(cycle)
            except InputError:
                self._tombstones[cycle] = {}  # What cannot be read is named by itself, and excuses nothing.
        return withdrawn(self._tombstones[cycle], self.git, self.commit, change.path)
