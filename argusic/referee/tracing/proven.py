"""A run whose files are all what its manifest names, read as far as chains need: session, audit, recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from argusic.database.paths import MANIFEST_FILE
from argusic.evidence.audit import Ran, audit, read_session
from argusic.evidence.audit.session import Step, steps_of
from argusic.evidence.castreader import CastReader
from argusic.evidence.commands import CommandRow, read_table
from argusic.evidence.fingerprint import fingerprint
from argusic.evidence.store import EvidenceStore
from argusic.records.audit import ClaimFinding
from argusic.records.edition import Edition
from argusic.records.findings import Withdrawal
from argusic.records.manifest import EvidenceFile, FileRole, Manifest
from argusic.records.run import Run
from argusic.rules.rubric import Score


@dataclass(frozen=True)
class Recording:
    """What a recording shows of times.

    Attributes:
        last: The time of its last event.
        events: How many events it has.
        markers: Its markers by the number of the event, each with its time.
        damage: What of it cannot be read.
    """

    last: float
    events: int
    markers: dict[int, tuple[float, str]]
    damage: tuple[str, ...]


@dataclass(frozen=True)
class ProvenRun:
    """One run.

    Attributes:
        root: The top of the database.
        store: Where what is not in its folder lies.
        path: Its `run.yaml`.
        run: Its facts.
        sha256: The fingerprint of that file.
        manifest: Its manifest.
        manifest_sha256: The fingerprint of the manifest.
        edition: The edition it is scored under.
        score: What it came to, later findings included.
        invalidated_by: The later finding that it counts nowhere, where there is one.
        screened: Whether a person has said what those claims of its report are that the record contradicts.
        withdrawal: The tombstone of its withdrawn files.
    """

    root: Path
    store: EvidenceStore
    path: PurePosixPath
    run: Run
    sha256: str
    manifest: Manifest
    manifest_sha256: str
    edition: Edition
    score: Score
    invalidated_by: PurePosixPath | None
    screened: bool
    withdrawal: Withdrawal | None

    @property
    def manifest_path(self) -> PurePosixPath:
        """Where its manifest lies."""
        return self.path.parent / MANIFEST_FILE

    @property
    def name(self) -> str:
        """What it is called in a chain."""
        return f"{self.run.subject}, {self.run.agent}, {self.run.run}"

    def file(self, role: FileRole) -> EvidenceFile | None:
        """Return the file of a role; None where the run has none, or it was withdrawn."""
        gone = {file.name for file in self.withdrawal.files} if self.withdrawal is not None else set()
        return next((file for file in self.manifest.files if file.role == role and file.name not in gone), None)

    def lies_at(self, file: EvidenceFile) -> Path:
        """Return where a file of it lies on this machine."""
        if file.place == "run":
            return self.root / self.path.parent / file.name
        return self.store.path(file.sha256)

    def sha256_at(self, path: PurePosixPath) -> str:
        """Return the fingerprint of another file of the database, such as its tombstone."""
        return fingerprint(self.root / path).sha256

    @cached_property
    def _table(self) -> tuple[Sequence[CommandRow], Sequence[CommandRow]]:
        file = self.file("commands")
        return read_table(self.lies_at(file)) if file is not None else ((), ())

    @property
    def commands(self) -> tuple[CommandRow, ...]:
        """What the harness ran, by the command table; empty where there is none to read."""
        return tuple(self._table[0])

    @property
    def inner(self) -> tuple[CommandRow, ...]:
        """What the agent's own program ran, by the same."""
        return tuple(self._table[1])

    @cached_property
    def _session(self) -> tuple[Ran, ...]:
        log = self.file("log")
        if log is None:
            return ()
        with self.lies_at(log).open("rb") as stream:
            return read_session(self.commands, stream, self.inner)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The session as the audit sees it; empty where there is none to read."""
        return steps_of(self._session)

    @cached_property
    def findings(self) -> tuple[ClaimFinding, ...]:
        """What the audit says of the report; nothing where there is no session to compare it with."""
        report = self.run.report.content
        if report is None or self.file("log") is None or self.file("commands") is None:
            return ()
        return audit(report, self._session)

    @cached_property
    def recording(self) -> Recording | None:
        """What its recording shows of times; None where none is served."""
        file = self.file("recording")
        if file is None:
            return None
        last, number, markers = 0.0, 0, {}
        with self.lies_at(file).open("rb") as stream:
            reader = CastReader(stream, file.name)
            for number, event in enumerate(reader, start=1):
                last = max(last, event.time)
                if event.kind == "m":
                    markers[number - 1] = (event.time, event.data)
        return Recording(last, number, markers, tuple(str(finding) for finding in reader.findings))
