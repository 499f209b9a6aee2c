"""The closing sentence, which is published word for word: whether its figures and quotations were ever seen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from argusic.evidence.audit import facts
from argusic.evidence.audit.claims.making import finding, quoted
from argusic.evidence.audit.session import Step
from argusic.evidence.audit.tables import Tables
from argusic.records.audit import ClaimFinding
from argusic.records.report import Report

#: A number behind one of these words is rounded by whoever says it.
_ROUND = re.compile(r"(?i)\b(?:about|around|roughly|nearly|almost|over|approximately|some|~|circa|under|more than)\s+$")


def closing(report: Report, session: Sequence[Step], tables: Tables) -> Iterator[ClaimFinding]:
    """Yield what `final_state` states and no recorded command showed."""
    text = report.final_state[: facts.MOST_CLAIMED]
    seen = [step for step in session if not _writes_the_report(step)]
    shown = facts.Shown("\n".join(f"{step.command}\n{step.printed}" for step in seen))
    allowed = _derived(report, session)
    missing = [fact for fact in facts.quotations(text) if not shown.holds(fact)]
    for match in facts.figures(text):
        number, start = match
        if len(number) < 2 or number in allowed or _ROUND.search(text[:start]):
            continue
        if not shown.holds(number) and not any(number in facts.counts_in(step.printed) for step in seen):
            missing.append(number)
    if missing and all(step.whole for step in seen):
        listed = ", ".join(quoted(fact, 60) for fact in dict.fromkeys(missing[:4]))
        what = f"The closing sentence states {listed}, which no recorded command showed."
        yield finding("stated_not_observed", "unsupported", "final_state", what)


def _derived(report: Report, session: Sequence[Step]) -> frozenset[str]:
    """Return the numbers that a reader of the record could count."""
    numbers = {len(session), report.encountered, report.fixed, 100}
    for step in session:
        if step.row.exit_status:
            numbers.add(step.row.exit_status)
        if step.row.ended is not None:
            numbers |= {round(step.row.ended - step.row.started), int(step.row.ended - step.row.started)}
        if step.succeeded and re.search(r"\bcurl\b.*(\s-[a-zA-Z]*f|--fail)", step.command):
            numbers.add(200)
    if session:
        numbers.add(round(session[-1].row.started))
    return frozenset(str(number) for number in numbers)


def _writes_the_report(step: Step) -> bool:
    """Return whether a step writes text that holds the fields of a report, which would bear itself out."""
    return "test_depth" in step.command and "final_state" in step.command
