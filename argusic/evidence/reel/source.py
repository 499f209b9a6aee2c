"""What a reel is made from: served recording, command table and report of a run whose evidence was just verified."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from argusic.database.codec import read_record
from argusic.database.database import Database
from argusic.errors import CheckFailed, Finding, InputError, Place
from argusic.evidence.asciicast import CastHeader
from argusic.evidence.castreader import CastReader
from argusic.evidence.commands import CommandRow, CommandTableReader
from argusic.evidence.layout import RUN_NAME
from argusic.evidence.one_run import check_run
from argusic.evidence.signing.manifests import withdrawn_files
from argusic.evidence.store import EvidenceStore
from argusic.evidence.stores.configured import store_of
from argusic.records.manifest import EvidenceFile, FileRole, Manifest
from argusic.records.report import Report
from argusic.records.run import Run

#: The largest terminal that is drawn. Ours has 120 columns and 40 rows.
MOST_COLUMNS: Final = 300
MOST_ROWS: Final = 120
#: The largest recording that is shown.
MOST_BYTES: Final = 256 * 1024 * 1024
#: The largest command table that is read.
_MOST_TABLE_BYTES: Final = 64 * 1024 * 1024


@dataclass(frozen=True)
class Source:
    """A verified run's evidence, as far as it can be shown.

    Attributes:
        run: The run.
        recording: Where its served recording lies.
        recording_sha256: The recording's digest.
        header: The recording's first line.
        seconds: The time of the recording's last event.
        rows: The command table.
        commands_sha256: The digest of the command table.
        report: The agent's report, where it could be read.
        report_sha256: The report's digest, where there is one.
        log: Where the log lies, where there is one.
    """

    run: Run
    recording: Path
    recording_sha256: str
    header: CastHeader
    seconds: float
    rows: tuple[CommandRow, ...]
    commands_sha256: str
    report: Report | None
    report_sha256: str | None
    log: Path | None


def read_source(database: Database, folder: PurePosixPath) -> Source:
    """Verify a run's evidence, and read what a reel shows of it.

    Args:
        database: The database.
        folder: The run's folder, from its top.

    Raises:
        CheckFailed: The evidence is not what its manifest says, or the recording cannot be shown.
        InputError: There is no recording to show: it was withheld or withdrawn, or there never was one.
        EnvironmentLack: It lies in a store elsewhere that cannot be reached.
    """
    run = read_record(database.root / folder / RUN_NAME, Run, root=database.root)
    if run.ending.how == "withheld":
        raise InputError(
            f"the recording of run {run.run} is withheld: it could not be proven free of a live credential, "
            "or of a private key."
        )
    gone = withdrawn_files(database, run.cycle).get(run.run, {})
    store = store_of(database)
    checked = check_run(database.root / folder, store, database.root, gone)
    if checked.findings or checked.manifest is None:
        raise CheckFailed(f"the evidence of run {run.run} does not verify: {checked.findings[0]}.")
    place = _Finder(database.root / folder, store, checked.manifest, frozenset(gone), database, run)
    recording, recording_file = place.of("recording", "recording")
    table, table_file = place.of("commands", "command table")
    if recording_file.size > MOST_BYTES:
        raise InputError(
            f"the recording of run {run.run} has {recording_file.size:,} bytes; at most {MOST_BYTES:,} are shown."
        )
    header, seconds = _measured(recording, run.run)
    listed = {entry.role: entry for entry in checked.manifest.files}
    has_log = "log" in listed and listed["log"].name not in gone
    return Source(
        run=run,
        recording=recording,
        recording_sha256=recording_file.sha256,
        header=header,
        seconds=seconds,
        rows=_rows(table, table_file, run.run),
        commands_sha256=table_file.sha256,
        report=run.report.content,
        report_sha256=listed["report"].sha256 if "report" in listed else None,
        log=place.of("log", "log")[0] if has_log else None,
    )


@dataclass(frozen=True)
class _Finder:
    folder: Path
    store: EvidenceStore
    manifest: Manifest
    gone: frozenset[str]
    database: Database
    run: Run

    def of(self, role: FileRole, name: str) -> tuple[Path, EvidenceFile]:
        entry = next((entry for entry in self.manifest.files if entry.role == role), None)
        if entry is None:
            raise InputError(f"run {self.run.run} has no {name}, so there is nothing to show.")
        if entry.name in self.gone:
            why = self.database.withdrawals(self.run.cycle)[self.run.run]
            raise InputError(f"the {name} of run {self.run.run} was withdrawn on {why.at:%Y-%m-%d}: {why.reason}")
        return (self.folder / entry.name if entry.place == "run" else self.store.check(entry.sha256)), entry


def _measured(recording: Path, run: str) -> tuple[CastHeader, float]:
    last, printed = 0.0, False
    with recording.open("rb") as stream:
        reader = CastReader(stream, recording.name)
        for event in reader:
            last = max(last, event.time)
            printed = printed or event.kind == "o"
    if reader.header is None or not printed:
        raise CheckFailed(f"the recording of run {run} shows nothing: it has no header, or nothing was printed.")
    if reader.header.width > MOST_COLUMNS or reader.header.height > MOST_ROWS:
        size = f"{reader.header.width} by {reader.header.height}"
        raise InputError(
            f"the terminal of run {run} has {size} characters; at most {MOST_COLUMNS} by {MOST_ROWS} are drawn."
        )
    return reader.header, last


def _rows(table: Path, entry: EvidenceFile, run: str) -> tuple[CommandRow, ...]:
    if entry.size > _MOST_TABLE_BYTES:
        raise InputError(f"the command table of run {run} has {entry.size:,} bytes, more than is read.")
    with table.open("rb") as stream:
        reader = CommandTableReader(stream, entry.name)
        rows = tuple(reader)
    ends = 0.0
    for row in rows:
        if row.started < ends or (row.ended is not None and row.ended < row.started):
            reader.findings.append(_overlap(entry, row))
        ends = max(ends, row.ended if row.ended is not None else row.started)
    if reader.findings:
        raise CheckFailed(f"the command table of run {run} is damaged: {reader.findings[0]}.")
    return rows


def _overlap(entry: EvidenceFile, row: CommandRow) -> Finding:
    return Finding(Place(entry.name, row.number), f"command {row.number} starts before the one before it ends")
