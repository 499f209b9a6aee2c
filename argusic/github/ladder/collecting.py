"""Collecting: what the jobs of one plan handed over, taken artifact by artifact, proven again, and laid out as one.

An artifact is taken whole or not at all. Everything happens in a scratch copy of the database; what was collected
appears in one step, and the checkout is not changed.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path, PurePosixPath

from argusic.database.database import Database
from argusic.database.paths import RUN_FILE
from argusic.errors import ArgusicError, CheckFailed, Finding
from argusic.evidence.fingerprint import fingerprint
from argusic.github.ladder.artifacts import Found, Left
from argusic.github.ladder.belonging import folders_of, must_be_of
from argusic.github.ladder.handed import copy_out, read_hand_over
from argusic.github.ladder.limits import MOST_TOGETHER
from argusic.github.ladder.overlay import Overlay
from argusic.github.ladder.planned import open_cycle
from argusic.github.ladder.proving import (
    checked,
    expected,
    findings_of_runs,
    held_back,
    lawful_conditions,
    needed_by,
    told,
)
from argusic.records.handing_over import Collected, HandedFile, HandOver, MissingJob, Plan, RefusedArtifact
from argusic.runs.jobs.files import STORE

Progress = Callable[[int, int], None]


@dataclass
class Taken:
    """An artifact that was taken.

    Attributes:
        name: Its name.
        said: Its list.
        runs: The folders of its runs that are new here.
        files: The paths of the files that these need and that were not here.
        placed: Those of them that no other artifact brought before it.
    """

    name: str
    said: HandOver
    runs: dict[str, PurePosixPath]
    files: frozenset[str]
    placed: list[str]

    def owns(self, path: PurePosixPath) -> bool:
        """Return whether something that was found at a path is of this artifact."""
        return str(path) in self.files or any(path.is_relative_to(folder) for folder in self.runs.values())


@dataclass
class Gathering:
    """What was collected.

    Attributes:
        collected: What is written down of it.
        overlay: The copy of the database that its runs lie in.
        there: Runs that were handed over, and are here already with the very same content.
        queued: Why attempts that are still owed were not made, by artifact.
        taken: How many artifacts were taken, those without a run as well.
    """

    collected: Collected
    overlay: Overlay
    there: tuple[str, ...]
    queued: dict[str, str]
    taken: int


@dataclass
class Collecting:
    """Takes what was found, artifact after artifact.

    Attributes:
        database: The database, with the runs that wait for review.
        plan: What the jobs were to do.
        scratch: A folder for the time of it.
        now: The time.
    """

    database: Database
    plan: Plan
    scratch: Path
    now: datetime
    _there: set[str] = field(default_factory=set)
    _queued: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._cycle = open_cycle(self.database, self.plan)
        self._conditions = lawful_conditions(self.database, self._cycle)
        self._overlay = Overlay(self.database, self.scratch)

    def gather(self, found: Found, progress: Progress = lambda done, of: None) -> Gathering:
        """Take what was found.

        Args:
            found: The artifacts.
            progress: Told after each how many are done, of how many.
        """
        taken: list[Taken] = []
        size = 0
        # Whoever fills the disk is refused, and no smaller one because of it.
        for number, left in enumerate(sorted(found.left, key=_size), 1):
            size += _size(left)
            try:
                if size > MOST_TOGETHER:
                    most = f"all together may have {MOST_TOGETHER:,}"
                    raise CheckFailed(f"with the smaller ones it unpacks to {size:,} bytes; {most}.")
                taken.append(self._take(left, taken))
            except ArgusicError as error:
                found.refuse(left.name, str(error))
            except RecursionError:
                found.refuse(left.name, "it nests too deep.")
            except (ArithmeticError, LookupError, TypeError, ValueError) as error:
                # Whatever it is that this program did not foresee is one machine's doing, and stops no other's runs.
                found.refuse(left.name, f"it cannot be read: this program fails over it ({type(error).__name__}).")
            progress(number, len(found.left))
        taken = self._together(found, taken)
        collected = self._written_down(found, taken)
        return Gathering(collected, self._overlay, tuple(sorted(self._there)), self._queued, len(taken))

    def _take(self, left: Left, before: list[Taken]) -> Taken:
        """Take one artifact.

        Raises:
            ArgusicError: It is wrong in anything; then nothing of it was taken.
        """
        handed = read_hand_over(left.parcel)
        said = handed.said
        must_be_of(said, self.plan.cycle, left.job)
        for other in before:
            if twice := sorted(set(said.runs) & set(other.said.runs)):
                raise CheckFailed(f"it holds run {twice[0]}, which {other.name} holds too.")
        known = expected(self.database, self._cycle, left.job, self._conditions, self.plan.planned, self.now)
        staged = Path(tempfile.mkdtemp(dir=self.scratch))
        try:
            copy_out(left.parcel, said.files, staged)
            folders = folders_of(said)
            self._must_be_named(said, staged, folders)
            there = set(self._already_there(staged, folders))
            for run in there:
                shutil.rmtree(staged / folders.pop(run))
            files = self._needed(staged, folders)
            for path in {file.path for file in said.files} - files:
                (staged / path).unlink(missing_ok=True)
            placed = self._overlay.place(staged)
        finally:
            shutil.rmtree(staged, ignore_errors=True)
        taken = Taken(left.name, said, folders, files, placed)
        try:
            if wrong := list(findings_of_runs(self._overlay, folders, known)):
                raise CheckFailed(told(wrong))
        except Exception:
            self._overlay.take_back(placed)
            raise
        self._there |= there
        if said.queued is not None:
            self._queued[left.name] = said.queued
        return taken

    def _must_be_named(self, said: HandOver, staged: Path, folders: Mapping[str, PurePosixPath]) -> None:
        """Refuse files that belong to no run of it."""
        named = needed_by(staged, folders)
        for file in said.files:
            if file.path not in named and not (self.database.root / file.path).exists():
                whose = "manifest" if file.path.startswith(STORE) else "run"
                raise CheckFailed(f"it holds {file.path}, which no {whose} in it names.")

    def _needed(self, staged: Path, folders: Mapping[str, PurePosixPath]) -> frozenset[str]:
        """Return the paths of what came that new runs need and that is not here."""
        named = needed_by(staged, folders)
        there = {path for path in named if (staged / path).exists() and not (self.database.root / path).exists()}
        return frozenset(there)

    def _already_there(self, staged: Path, folders: Mapping[str, PurePosixPath]) -> Iterator[str]:
        """Yield the runs that are here already, byte for byte.

        Raises:
            CheckFailed: One is here with another content.
        """
        by_id = {path.parent.name: path.parent for path in _records(self.database)}
        for run, folder in folders.items():
            if run not in by_id:
                continue
            here = {path.name: fingerprint(path) for path in (self.database.root / by_id[run]).iterdir()}
            came = {path.name: fingerprint(path) for path in (staged / folder).iterdir()}
            if by_id[run] != folder or here != came:
                raise CheckFailed(f"it holds run {run}, which is here already with another content.")
            yield run

    def _together(self, found: Found, taken: list[Taken]) -> list[Taken]:
        """Return what stands when all is looked at together; refuse what does not, until nothing more is found."""
        while True:
            wrong: dict[str, list[str]] = {}
            findings = checked(self._overlay)
            for finding in sorted(findings - self._before if findings else (), key=str):
                owner = _owner(finding, taken)
                if owner is None:
                    raise CheckFailed(f"with what was handed over the database is not whole: {finding}")
                wrong.setdefault(owner.name, []).append(str(finding))
            new = frozenset(folder / RUN_FILE for one in taken for folder in one.runs.values())
            for path, why in held_back(self._overlay, new | self._waiting()):
                owner = next((one for one in taken if path.parent in one.runs.values()), None)
                if owner is not None:
                    wrong.setdefault(owner.name, []).append(f"{path}: {why}")
            if not wrong:
                return taken
            for one in taken:
                if one.name in wrong:
                    self._overlay.take_back(self._alone(one, taken))
                    found.refuse(one.name, told(wrong[one.name]))
            taken = [one for one in taken if one.name not in wrong]

    @cached_property
    def _before(self) -> set[Finding]:
        """What was wrong with the database before anything came. It is asked only where something is found after."""
        apart = self.scratch / "before"
        apart.mkdir()
        return checked(Overlay(self.database, apart))

    def _alone(self, one: Taken, taken: list[Taken]) -> list[str]:
        """Return the files that an artifact brought and that no other that was taken holds too."""
        others = {path for other in taken if other is not one for path in other.files}
        return [path for path in one.placed if path not in others]

    def _waiting(self) -> frozenset[PurePosixPath]:
        """Return the records of runs that are here and not published yet: they wait for review on a branch."""
        git = self.database.git
        if git is None:
            return frozenset()
        tracked = {entry.path for entry in git.tracked(f"runs/{self.plan.cycle}")}
        return frozenset(path for path in _records(self.database, self.plan.cycle) if str(path) not in tracked)

    def _written_down(self, found: Found, taken: list[Taken]) -> Collected:
        paths = {path for one in taken for path in one.files}
        files = [self._file(path) for path in sorted(paths)]
        missing: Iterable[MissingJob] = sorted(found.missing, key=lambda one: one.job)
        refused: Iterable[RefusedArtifact] = sorted(found.refused, key=lambda one: one.name)
        return Collected(
            cycle=self.plan.cycle,
            planned=len(self.plan.jobs),
            left=self.plan.left,
            runs=tuple(sorted(run for one in taken for run in one.runs)),
            files=tuple(files),
            missing=tuple(missing),
            refused=tuple(refused),
        )

    def _file(self, path: str) -> HandedFile:
        found = fingerprint(self._overlay.at(path))
        return HandedFile(path=path, sha256=found.sha256, size=found.size)


def _size(left: Left) -> int:
    return sum(left.parcel.entries.values())


def _records(database: Database, cycle: str | None = None) -> list[PurePosixPath]:
    return [path for (name, _), runs in database.run_index().items() if cycle in (None, name) for path, _ in runs]


def _owner(finding: Finding, taken: list[Taken]) -> Taken | None:
    path = PurePosixPath(str(finding.place.file))
    return next((one for one in taken if one.owns(path)), None)
