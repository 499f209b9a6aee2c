"""What of a report the recording does not bear out, as a run's page shows it: each finding with where it shows."""

from __future__ import annotations

from dataclasses import dataclass

from argusic.evidence.audit import audit, read_session
from argusic.evidence.commands import CommandRow
from argusic.records.audit import ClaimFinding
from argusic.records.run import Run
from argusic.site.evidence import RunEvidence


@dataclass(frozen=True)
class ShownFinding:
    """One finding of the audit.

    Attributes:
        finding: It.
        rows: The commands that show it.
    """

    finding: ClaimFinding
    rows: tuple[CommandRow, ...]


@dataclass(frozen=True)
class ShownClaims:
    """The audit of one report, made when the page is.

    Attributes:
        findings: What it found, the gravest first.
        not_audited: Why there is no audit, where there is none.
    """

    findings: tuple[ShownFinding, ...] = ()
    not_audited: str | None = None


def claims(run: Run, evidence: RunEvidence) -> ShownClaims | None:
    """Return the audit of a run's report; None where there is no report."""
    report = run.report.content
    if report is None:
        return None
    if evidence.log is None or evidence.no_commands is not None:
        why = evidence.no_log or evidence.no_commands
        return ShownClaims(not_audited=f"It could not be held against the record for this page. {why}")
    try:
        with evidence.log.open("rb") as log:
            found = audit(report, read_session(evidence.commands, log, evidence.inner))
    except Exception as error:  # One report that the audit cannot digest is no reason to have no site.
        return ShownClaims(not_audited=f"It could not be held against the record: {type(error).__name__}.")
    rows = {row.number: row for row in (*evidence.commands, *evidence.inner)}
    return ShownClaims(
        tuple(ShownFinding(one, tuple(rows[number] for number in one.commands if number in rows)) for one in found)
    )
