"""What a pull request changed, beside what was measured until then."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import PurePosixPath
from typing import NamedTuple, TypeVar

from argusic.database.codec import parse_record
from argusic.database.database import Database
from argusic.database.git import Change, Git
from argusic.database.locating import line_of
from argusic.database.paths import DATA_FOLDERS, HARNESS_PATH, close_path, cycle_path, edition_path, what_is
from argusic.errors import Finding, InputError, Place
from argusic.evidence.fingerprint import fingerprint
from argusic.records.base import Record
from argusic.records.conditions import Harness
from argusic.records.cycle import Close, Cycle
from argusic.records.edition import Edition
from argusic.records.rule_change import RuleChange
from argusic.referee.changelog.bearing import BEARINGS, Bearing, harness_bearing, matches

R = TypeVar("R", bound=Record)
#: Folders and files whose code decides what is measured, derived and published, and how it is built and checked out.
CODE_FOLDERS = (
    "argusic", ".github", ".ci", "tools", "Makefile", "pyproject.toml", "requirements.lock", ".gitattributes"
)  # fmt: skip


class Begun(NamedTuple):
    """A cycle that had runs before the change."""

    cycle: Cycle
    close: Close | None

    @property
    def over(self) -> date:
        """The day that it is over: when it was closed, or will be."""
        return (self.close.closed if self.close is not None else self.cycle.closes).date()


@dataclass(frozen=True)
class Comparison:
    """Today's files against a commit."""

    database: Database
    git: Git
    commit: str

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """What was changed, what python left behind excepted."""
        found = self.git.changes(self.commit, *DATA_FOLDERS, *CODE_FOLDERS)
        return tuple(change for change in found if "__pycache__" not in change.path.parts)

    @cached_property
    def tracked_changes(self) -> tuple[Change, ...]:
        """What was changed of all that git tracks, wherever it lies."""
        return tuple(self.git.changes(self.commit, new=False))

    @cached_property
    def begun(self) -> tuple[Begun, ...]:
        """The cycles that had runs at the commit."""
        kinds = {name.removesuffix(".yaml") for name in self.git.names(self.commit, PurePosixPath("rules/kinds"))}
        cycles = self.git.names(self.commit, PurePosixPath("runs"))
        found = []
        for name in cycles:
            if kinds.isdisjoint(self.git.names(self.commit, PurePosixPath("runs", name))):
                continue
            cycle = self.before(cycle_path(name), Cycle)
            if cycle is not None:
                found.append(Begun(cycle, self.before(close_path(name), Close)))
        return tuple(found)

    @cached_property
    def under_way(self) -> tuple[Begun, ...]:
        """Those that were not closed at the commit."""
        return tuple(one for one in self.begun if one.close is None)

    @cached_property
    def editions_before(self) -> tuple[Edition, ...]:
        """The editions at the commit, the oldest first."""
        names = self.git.names(self.commit, PurePosixPath("rules/editions"))
        read = (self.before(PurePosixPath("rules/editions", name), Edition) for name in names)
        return tuple(sorted((one for one in read if one is not None), key=lambda one: one.order))

    @cached_property
    def new_editions(self) -> tuple[Edition, ...]:
        """The editions that the change adds, the oldest first."""
        return tuple(sorted((one for _, one in self.added(Edition)), key=lambda one: one.order))

    @cached_property
    def statements(self) -> tuple[tuple[PurePosixPath, RuleChange], ...]:
        """The statements of no effect that the change adds, by path."""
        return tuple(self.added(RuleChange))

    def added(self, model: type[R], status: str = "A") -> Iterator[tuple[PurePosixPath, R]]:
        """Yield the records of a model that were added; what cannot be read is named by itself."""
        for change in self.changes:
            holding = what_is(change.path)
            if change.status in status and holding is not None and holding.row.model is model:
                try:
                    yield change.path, self.database.read(change.path, model)
                except InputError:
                    continue

    def before(self, path: PurePosixPath, model: type[R]) -> R | None:
        """Return the record that the commit holds at a path; None where it holds none that can be read."""
        data = self.git.show(self.commit, path)
        try:
            return parse_record(data, model, file=path) if data is not None else None
        except InputError:
            return None

    @cached_property
    def bearings(self) -> dict[PurePosixPath, tuple[Bearing, ...]]:
        """How each changed file bears on measurements; those that do not are left out."""
        lists = [self.before(HARNESS_PATH, Harness)]
        try:
            lists.append(self.database.read(HARNESS_PATH, Harness) if self.database.holds(HARNESS_PATH) else None)
        except InputError:
            lists.append(None)  # Named by itself.
        code, without = harness_bearing(harness for harness in lists if harness is not None)
        found = {}
        for change in self.changes:
            borne = [bearing for bearing in BEARINGS if matches(change.path, bearing.patterns)]
            if matches(change.path, code.patterns) and not matches(change.path, without):
                borne.append(code)
            if borne:
                found[change.path] = tuple(borne)
        return found

    def digest(self, path: PurePosixPath) -> str | None:
        """Return the digest of a file as it lies there now, of a link that of its text; None where there is none."""
        full = self.database.root / path
        try:
            return fingerprint(full).sha256
        except ValueError:
            return hashlib.sha256(os.fsencode(full.readlink())).hexdigest() if full.is_symlink() else None
        except OSError:
            return None

    def found(self, path: PurePosixPath, what: str, field: str | None = None) -> Finding:
        """Return a finding at a file or at a field of a record, with its line."""
        line = line_of((self.database.root / path).read_bytes(), (field,)) if field is not None else None
        return Finding(Place(path, line, field), what)

    def in_edition(self, edition: Edition, what: str, field: str) -> Finding:
        """Return a finding at a field of an edition."""
        return self.found(edition_path(edition.edition), what, field)
