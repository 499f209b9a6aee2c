"""The audit of one report: a pure function of the report, the command table and what each command printed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from argusic.evidence.audit.claims.closing import closing
from argusic.evidence.audit.claims.errors import errors
from argusic.evidence.audit.claims.proof import proof
from argusic.evidence.audit.claims.steps import steps
from argusic.evidence.audit.session import Ran, steps_of
from argusic.evidence.audit.tables import Tables, tables
from argusic.records.audit import ClaimFinding, Severity
from argusic.records.report import Report

_GRAVEST_FIRST: Final[tuple[Severity, ...]] = ("contradicted", "unsupported", "note")


def audit(report: Report, session: Sequence[Ran], known: Tables | None = None) -> tuple[ClaimFinding, ...]:
    """Return what the record does not bear out of a report, the gravest first.

    Args:
        report: The report, as the edition's reader accepted it.
        session: Every recorded command with what it printed, in order.
        known: What is known of programs; by default the tables that come with Argusic.
    """
    known = known or tables()
    ran = steps_of(session, known)
    found = [ask for claim in (proof, steps, errors, closing) for ask in claim(report, ran, known)]
    if any(one.row.seen_by == "self_reported" for one in session):
        # A program ran commands that nobody saw from outside: what the record does not show may have been.
        found = [one.model_copy(update={"severity": "unsupported"}) if blocks([one]) else one for one in found]
    return tuple(sorted(found, key=lambda one: _GRAVEST_FIRST.index(one.severity)))


def blocks(findings: Iterable[ClaimFinding]) -> bool:
    """Return whether these findings block publication until a screening says what they are.

    Only what the record contradicts outright does. That a claim is unsupported is shown beside it.
    """
    return any(one.severity == "contradicted" for one in findings)
