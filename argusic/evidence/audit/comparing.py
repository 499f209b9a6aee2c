"""A published run's audit made again: what the run states of it must be what it comes to."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from argusic.errors import Finding, Place
from argusic.evidence.audit.publishing import audited_claims
from argusic.records.audit import AuditedClaims
from argusic.records.run import Run


class ComparedClaims(NamedTuple):
    """What came of comparing."""

    findings: tuple[Finding, ...] = ()
    """What is wrong."""
    otherwise: str | None = None
    """What today's audit finds, where the audit of the run's day was another program and found otherwise."""


def compare_claims(run: Run, commands: Path | None, log: Path | None, place: Place) -> ComparedClaims:
    """Audit the report of a run again.

    A run that states what the very same program does not find was altered or made up. Another program may know more
    or less: that is worth a word, and no fault of the run. One that states nothing was published before audits were,
    or hides something: there must be nothing to hide.

    Args:
        run: The run.
        commands: Its command table.
        log: Its log.
        place: Where the run states it.
    """
    again = audited_claims(run.report.content, commands, log)
    if again is None:
        if run.audit is None:
            return ComparedClaims()
        return ComparedClaims((Finding(place, "there is no report with a record that it could be of"),))
    if run.audit == again or (run.audit is None and not again.holds):
        return ComparedClaims()
    if run.audit is not None and run.audit.program_sha256 != again.program_sha256:
        same = run.audit.holds == again.holds and run.audit.contradicted == again.contradicted
        return ComparedClaims(otherwise=None if same else f"it says {_said(run.audit)}; today's audit {_said(again)}")
    said = "nothing" if run.audit is None else _said(run.audit)
    return ComparedClaims((Finding(place, f"it says {said}; audited again it is {_said(again)}"),))


def _said(claims: AuditedClaims) -> str:
    if claims.problem is not None:
        return f"that the audit failed ({claims.problem})"
    return f"that the record contradicts {', '.join(claims.contradicted) or 'nothing'}"
