"""What is answered below an issue, as Markdown: facts in our words, and everything that others wrote as code."""

from __future__ import annotations

from typing import Final

from argusic.database.database import StoredRun
from argusic.errors import ArgusicError
from argusic.github.outside import block, code
from argusic.records.audit import Audit
from argusic.records.facts import facts
from argusic.records.findings import Dispute
from argusic.rules.rubric import Score

#: The most characters of one quotation, and the most findings that are listed: an answer is to be read.
MOST_QUOTED: Final = 2_000
MOST_FINDINGS: Final = 20


def refusal(error: ArgusicError, what: str = "dispute", form: str = "Dispute a result") -> str:
    """Return why an issue is no dispute, or none of the other things that there is a form for."""
    return "\n".join(
        [
            f"This could not be read as a {what}:",
            "",
            block(error.what, MOST_QUOTED),
            "",
            f"Nothing was written down. Edit the issue, or open one with the form “{form}”.",
            "",
        ]
    )


def answer(stored: StoredRun, dispute: Dispute, score: Score, audit: Audit) -> str:
    """Return what the repository holds of a disputed run, and what was understood of the dispute."""
    return "\n".join(
        [
            f"## Run {code(dispute.run)}",
            "",
            "This is what is published of the run. The score follows from these facts under the edition that is named.",
            "",
            *_facts(stored, score),
            "",
            *_closing_words(stored),
            "## Its report against the recording",
            "",
            *_audit(audit),
            "",
            "## What was understood",
            "",
            "What is wrong:",
            "",
            block(dispute.claim, MOST_QUOTED),
            "",
            "What should be different:",
            "",
            block(dispute.expected, MOST_QUOTED),
            "",
            *(["Evidence:", "", block(dispute.evidence, MOST_QUOTED), ""] if dispute.evidence else []),
            "## What follows",
            "",
            "A maintainer decides whether this is written down, and compares the log and the recording with the claim. "
            "Either the result is corrected, with a note and, while the cycle is open, a new attempt; or the evidence "
            "stands, and the answer says which seconds of the recording show that. Nothing of the evidence is edited "
            "or removed.",
            "",
        ]
    )


def _facts(stored: StoredRun, score: Score) -> list[str]:
    run = stored.run
    stated = {
        "Cycle": run.cycle,
        "Subject": run.subject,
        **{f"Pinned {fact.name}": fact.value for fact in facts(run.pin)},
        "Agent": run.agent,
        "Purpose": run.purpose,
        "Edition": run.edition,
        "Time": f"{run.tier}, {run.budget_seconds // 60} minutes",
        "Started": f"{run.started:%Y-%m-%d %H:%M:%S} UTC",
        "Ended": run.ending.how + (f": {run.ending.detail}" if run.ending.detail else ""),
        "Commands": str(run.commands),
        "Report": run.report.state + (f": {run.report.problem}" if run.report.problem else ""),
        "Files": str(stored.folder),
        "Outcome": score.outcome + (f": {score.reason}" if score.reason else ""),
    }
    lines = [f"- {name}: {code(value)}" for name, value in stated.items()]
    if score.lines is not None:
        for name, line in score.lines:
            points = f"{float(line.points):g} of {line.of}"
            lines.append(f"  - {name.replace('_', ' ')}: {points}. {code(line.sentence)}")
        lines.append(f"- Total: {float(score.lines.total):g} of {sum(line.of for _, line in score.lines)}")
    return lines


def _closing_words(stored: StoredRun) -> list[str]:
    report = stored.run.report.content
    if report is None:
        return []
    return ["The agent's own closing words:", "", block(report.final_state, MOST_QUOTED), ""]


def _audit(audit: Audit) -> list[str]:
    if not audit.audited:
        return [f"It was not audited. {code(audit.reason or '')}"]
    if not audit.findings:
        return ["The audit found nothing in it that the recording does not bear out."]
    lines = ["The audit found this. It changes no score.", ""]
    for finding in audit.findings[:MOST_FINDINGS]:
        where = ", ".join(f"{int(second) // 60}:{int(second) % 60:02}" for second in finding.seconds[:3])
        at = f" (in the recording at {where})" if where else ""
        lines.append(f"- {finding.severity}, {code(finding.field)}: {code(finding.what)}{at}")
    if len(audit.findings) > MOST_FINDINGS:
        lines.append(f"- and {len(audit.findings) - MOST_FINDINGS} more, which `argusic audit` prints.")
    return lines
