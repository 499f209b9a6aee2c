"""Auditing published runs: their evidence read, the audit asked, its findings as a record."""

from __future__ import annotations

import io
from pathlib import Path

from argusic.database.codec import read_record
from argusic.errors import CheckFailed
from argusic.evidence.audit.auditing import audit
from argusic.evidence.audit.session import Ran, read_session
from argusic.evidence.audit.tables import tables
from argusic.evidence.commands import CommandTableReader
from argusic.evidence.layout import COMMANDS_NAME, LOG_NAME, MANIFEST_NAME, RUN_NAME
from argusic.evidence.store import EvidenceStore
from argusic.records.audit import Audit
from argusic.records.manifest import FileRole, Manifest
from argusic.records.run import Run


def audit_run(folder: Path, store: EvidenceStore, *, root: Path | None = None) -> Audit:
    """Audit the report of a published run.

    Args:
        folder: The run's folder.
        store: Where its other files lie.
        root: The top of the database; errors then name files from there.

    Raises:
        InputError: The run or its manifest cannot be read.
    """
    run = read_record(folder / RUN_NAME, Run, root=root)
    manifest = read_record(folder / MANIFEST_NAME, Manifest, root=root)
    digest = tables().sha256

    def not_audited(reason: str) -> Audit:
        return Audit(run=run.run, cycle=run.cycle, audited=False, reason=reason, tables=digest)

    if run.report.content is None:
        return not_audited(f"The report is {run.report.state}.")
    try:
        rows = _file(folder, manifest, "commands", store)
        log = _file(folder, manifest, "log", store)
    except CheckFailed as error:
        return not_audited(f"The record cannot be read: {error}")
    if rows is None or log is None:
        return not_audited(f"There is no {COMMANDS_NAME if rows is None else LOG_NAME}.")
    findings = audit(run.report.content, session_of(rows, log))
    return Audit(run=run.run, cycle=run.cycle, audited=True, tables=digest, findings=findings)


def session_of(commands: bytes, log: bytes) -> tuple[Ran, ...]:
    """Return the session that a command table and a log record."""
    table = CommandTableReader(io.BytesIO(commands), COMMANDS_NAME)
    rows = list(table)
    return read_session(rows, io.BytesIO(log), table.inner)


def _file(folder: Path, manifest: Manifest, role: FileRole, store: EvidenceStore) -> bytes | None:
    """Return the content of the run's file with a role, or None where it has none.

    Raises:
        CheckFailed: It is gone, or is not what the manifest names.
    """
    entry = next((entry for entry in manifest.files if entry.role == role), None)
    if entry is None:
        return None
    if entry.place == "store":
        return store.read(entry.sha256)
    try:
        return (folder / entry.name).read_bytes()
    except OSError:
        raise CheckFailed(f"{entry.name} is not there.") from None
