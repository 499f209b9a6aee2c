"""The audit as a run states it when it is published: which claims the record contradicts, and by which program.

It fails closed: where the audit itself fails, the run says so, and a person has to look.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from argusic.evidence.audit.auditing import audit
from argusic.evidence.audit.session import read_session
from argusic.evidence.commands import read_table
from argusic.records.audit import AuditedClaims
from argusic.records.report import Report


def audited_claims(report: Report | None, commands: Path | None, log: Path | None) -> AuditedClaims | None:
    """Return what the record contradicts of a report; None where there is none, or nothing to compare it with.

    Args:
        report: The report, as the edition's reader accepted it.
        commands: The command table, as it is served.
        log: The log, as it is served.

    Raises:
        OSError: A file cannot be read.
    """
    if report is None or commands is None or log is None:
        return None
    try:
        with log.open("rb") as stream:
            rows, inner = read_table(commands)
            findings = audit(report, read_session(rows, stream, inner))
    except OSError:
        raise
    except Exception as error:  # Whatever a report or a record makes it do, the run is there and a person will look.
        return AuditedClaims(program_sha256=program_sha256(), problem=f"{type(error).__name__}: {error}"[:300])
    contradicted = {finding.field for finding in findings if finding.severity == "contradicted"}
    return AuditedClaims(program_sha256=program_sha256(), contradicted=tuple(sorted(contradicted)))


@cache
def program_sha256() -> str:
    """Return the digest of the audit's program and tables: two audits of the same digest find the same."""
    digest = hashlib.sha256()
    for name, file in sorted(_files(files("argusic.evidence.audit"), "")):
        digest.update(f"{name}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _files(folder: Traversable, above: str) -> list[tuple[str, Traversable]]:
    found = []
    for entry in folder.iterdir():
        name = f"{above}{entry.name}"
        if entry.is_dir():
            found += _files(entry, f"{name}/")
        elif name.endswith((".py", ".yaml")):
            found.append((name, entry))
    return found
