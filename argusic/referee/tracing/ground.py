"""What chains stand on: files of the database, each read and checked once however many chains meet in it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cached_property
from pathlib import PurePosixPath
from typing import TypeVar

from yaml import Node

from argusic.database.codec import parse_record
from argusic.database.database import Database, StoredRun
from argusic.database.locating import composed, field_name, line_in
from argusic.database.paths import (
    MANIFEST_FILE,
    claim_screening_path,
    cycle_path,
    edition_path,
    invalidation_path,
    screening_path,
)
from argusic.errors import Finding, Place
from argusic.evidence.one_run import check_run
from argusic.evidence.stores.configured import store_of
from argusic.leaderboards.gather import Gathered, GroupId
from argusic.records.base import Record
from argusic.records.cycle import Cycle
from argusic.records.edition import Edition
from argusic.records.findings import ClaimScreening, Invalidation, Screening, Withdrawal
from argusic.records.run import Run
from argusic.referee.differing import differences
from argusic.referee.recompute import derive
from argusic.referee.tracing.link import Broken
from argusic.referee.tracing.proven import ProvenRun
from argusic.rules.scored import learnt

R = TypeVar("R", bound=Record)

#: Told of each run whose evidence has been checked.
Progress = Callable[[int], None]


class Ground:
    """The database as chains meet it.

    Args:
        database: The database.
        progress: Told how many runs' evidence has been checked.
        offline: Whether nothing is brought from an evidence store elsewhere.
    """

    def __init__(self, database: Database, progress: Progress = lambda runs: None, *, offline: bool = False) -> None:
        self.database = database
        self._progress = progress
        self._store = store_of(database, offline=offline)
        self._data: dict[PurePosixPath, bytes] = {}
        self._nodes: dict[PurePosixPath, Node | None] = {}
        self._records: dict[PurePosixPath, Record] = {}
        self._runs: dict[PurePosixPath, ProvenRun] = {}
        self._derived: dict[GroupId, dict[PurePosixPath, bytes]] = {}
        self._cycles: dict[str, Cycle] = {}
        self._withdrawals: dict[str, dict[str, Withdrawal]] = {}
        self._findings: dict[str, tuple[dict[str, Invalidation], tuple[Screening, ...], dict[str, ClaimScreening]]] = {}

    # Files

    def data(self, path: PurePosixPath) -> bytes:
        """Return the bytes of a file. Raises InputError where it cannot be read."""
        if path not in self._data:
            self._data[path] = self.database.read_bytes(path)
        return self._data[path]

    def sha256(self, path: PurePosixPath) -> str:
        """Return the fingerprint of a file."""
        return hashlib.sha256(self.data(path)).hexdigest()

    def sha256_of_all(self, paths: list[PurePosixPath]) -> str:
        """Return the fingerprint of a list of files: of the lines that `sha256sum` prints of them, sorted by path."""
        lines = "".join(f"{self.sha256(path)}  {path}\n" for path in sorted(paths))
        return hashlib.sha256(lines.encode()).hexdigest()

    def line(self, path: PurePosixPath, *place: str | int) -> int | None:
        """Return the line of a field in a file of YAML."""
        if path not in self._nodes:
            self._nodes[path] = composed(self.data(path))
        return line_in(self._nodes[path], place)

    def record(self, path: PurePosixPath, model: type[R]) -> R:
        """Return the record in a file, as it stands there."""
        if path not in self._records:
            record = parse_record(self.data(path), model, file=path)
            self._records[path] = self.database.checked(path, record)
        found = self._records[path]
        assert isinstance(found, model)
        return found

    # Rules and cycles

    def cycle(self, cycle: str) -> Cycle:
        """Return a cycle whose edition is the very file that it pinned."""
        if cycle not in self._cycles:
            record = self.record(cycle_path(cycle), Cycle)
            self.edition(record.edition)
            self._cycles[cycle] = record
        return self._cycles[cycle]

    def edition(self, edition: str) -> Edition:
        """Return an edition that is what every cycle under it pinned."""
        path = edition_path(edition)
        for cycle in self.cycles:
            if cycle.edition == edition and cycle.edition_sha256 != self.sha256(path):
                what = f"it is not the edition that {cycle_path(cycle.cycle)} pinned, whose sha256 is"
                raise Broken(Place(path), f"{what} {cycle.edition_sha256}")
        return self.record(path, Edition)

    @cached_property
    def cycles(self) -> tuple[Cycle, ...]:
        """Every cycle, the newest first."""
        return tuple(sorted(self.database.cycles(), key=lambda cycle: (cycle.opens, cycle.cycle), reverse=True))

    # Runs

    @cached_property
    def stored(self) -> tuple[StoredRun, ...]:
        """Every run, by start."""
        return tuple(sorted(self.database.runs(), key=lambda stored: (stored.run.started, stored.run.run)))

    @cached_property
    def _places(self) -> dict[tuple[str, str], PurePosixPath]:
        return {(stored.run.cycle, stored.run.run): stored.path for stored in self.stored}

    def run_of(self, cycle: str, run: str) -> ProvenRun:
        """Return a run by its cycle and id, its evidence checked."""
        path = self._places.get((cycle, run))
        if path is None:
            raise Broken(Place(f"runs/{cycle}"), f"it holds no run {run}")
        return self.run(path)

    def run(self, path: PurePosixPath) -> ProvenRun:
        """Return the run of a `run.yaml`, its evidence checked.

        Raises:
            Broken: A file of it is not what its manifest names, or the cycle did not order what it tested.
        """
        if path not in self._runs:
            self._runs[path] = self._proven(path)
            self._progress(len(self._runs))
        return self._runs[path]

    def _proven(self, path: PurePosixPath) -> ProvenRun:
        run = self.record(path, Run)
        edition = self.edition(run.edition)
        tombstone = self._withdrawn(run)
        gone = {file.name: file.sha256 for file in tombstone.files} if tombstone is not None else {}
        checked = check_run(self.database.root / path.parent, self._store, self.database.root, gone)
        if checked.findings:
            raise _against_manifest(checked.findings[0], path.parent / MANIFEST_FILE)
        assert checked.manifest is not None, "a manifest that cannot be read is a finding"
        self._ordered(path, run)
        own, screenings, claims = self._later(run.cycle)
        later = learnt(own, screenings, claims.values())
        by = None
        if run.run in later.invalidations:
            screened = next((one.subject for one in screenings if run.run in one.invalidates), run.subject)
            by = screening_path(run.cycle, screened)
            if run.run in own:
                by = invalidation_path(run.cycle, run.run)
            elif run.run in claims and claims[run.run].finding == "record":
                by = claim_screening_path(run.cycle, run.run)
        return ProvenRun(
            root=self.database.root,
            store=self._store,
            path=path,
            run=run,
            sha256=self.sha256(path),
            manifest=checked.manifest,
            manifest_sha256=checked.manifest_sha256,
            edition=edition,
            score=later.score(run, edition),
            invalidated_by=by,
            screened=run.run in claims,
            withdrawal=tombstone,
        )

    def _ordered(self, path: PurePosixPath, run: Run) -> None:
        entry = self.cycle(run.cycle).entry(run.subject)
        if entry is None:
            raise Broken(Place(path, field="subject"), f"cycle {run.cycle} has no subject {run.subject}")
        for field, own, ordered in (("pin", run.pin, entry.pin), ("tier", run.tier, entry.tier)):
            if own != ordered:
                what = f"it is not the one that {cycle_path(run.cycle)} states"
                raise Broken(Place(path, self.line(path, field), field), what)

    def _withdrawn(self, run: Run) -> Withdrawal | None:
        if run.cycle not in self._withdrawals:
            self._withdrawals[run.cycle] = self.database.withdrawals(run.cycle)
        return self._withdrawals[run.cycle].get(run.run)

    def _later(self, cycle: str) -> tuple[dict[str, Invalidation], tuple[Screening, ...], dict[str, ClaimScreening]]:
        if cycle not in self._findings:
            base = self.database
            self._findings[cycle] = base.invalidations(cycle), base.screenings(cycle), base.claim_screenings(cycle)
        return self._findings[cycle]

    # Derived files

    @cached_property
    def _gathered(self) -> Gathered:
        return Gathered(self.database)

    def derived(self, path: PurePosixPath, group: GroupId) -> None:
        """Check that a derived file is what `argusic recompute` derives from the runs of its cycle and kind.

        Raises:
            Broken: It is not; or a run that it is derived from is not the one that its manifest names.
        """
        if group not in self._derived:
            self.cycle(group[0])
            known = group in self._gathered.runs
            runs = self._gathered.score_runs(group, {}) if known else {}
            self._derived[group] = derive(self._gathered, group, runs) if known else {}
        expected = self._derived[group].get(path)
        if expected is None:
            raise Broken(Place(path), "it should not be there: no run gives rise to it")
        found = differences(path, self.data(path), expected)
        if found:
            self._blame_runs(group)
            raise Broken(found[0].place, found[0].what)

    def _blame_runs(self, group: GroupId) -> None:
        """Name a run whose record was altered, where that is why a derived file no longer follows."""
        for name in sorted(self._gathered.runs.get(group, ())):
            try:
                self.run(PurePosixPath(name))
            except Broken as broken:
                # Other evidence of it may be lost; nothing is derived from that.
                if broken.place is not None and str(broken.place.file) == name:
                    raise

    def field(self, path: PurePosixPath, *place: str | int) -> Place:
        """Return the place of a field in a file."""
        return Place(path, self.line(path, *place), field_name(place))


def _against_manifest(finding: Finding, manifest: PurePosixPath) -> Broken:
    """Return a finding on a run's evidence as a break. Which of the two was altered, a fingerprint does not say."""
    named = "" if str(finding.place.file) == str(manifest) else f" (the manifest is {manifest})"
    return Broken(finding.place, f"{finding.what.rstrip('.')}{named}")
