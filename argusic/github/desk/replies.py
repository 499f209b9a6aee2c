"""What is said below issues and on pull requests, as Markdown in our words; whatever others wrote stands as code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final

from argusic.database.database import Database
from argusic.github.answers import MOST_QUOTED
from argusic.github.outside import block, code
from argusic.records.findings import Dispute, DisputeRevision, Invalidation
from argusic.records.request import ReproductionRequest, StrongerRequest
from argusic.records.run import Run

#: The label with which somebody who may decide has an issue written down.
ACCEPTED: Final = "accepted"
#: The labels that show how a dispute ended.
ENDED: Final = {"corrected": "corrected", "evidence_stands": "evidence-stands"}
#: The label of an issue that could not be understood.
UNCLEAR: Final = "unclear"
#: The most revisions whose words a pull request shows; the files hold all of them.
MOST_SHOWN: Final = 3


def answer_to_stronger(database: Database, wanted: StrongerRequest) -> str:
    """Return what a request for the stronger agent would lead to."""
    agent = database.cycle(wanted.cycle).stronger_agent or ""
    return _lines(
        f"## The stronger agent on {code(wanted.subject)}",
        f"- Cycle: {code(wanted.cycle)}\n- Agent: {code(agent)}",
        "## What was understood",
        "Why:",
        block(wanted.reason, MOST_QUOTED),
        "## What follows",
        "A maintainer decides. If it is accepted, the cycle owes one run of this agent, which is made once the "
        "standard agent's attempts have ended without a pass.",
    )


def answer_to_reproduction(wanted: ReproductionRequest, run: Run) -> str:
    """Return what a request to make a sealed agent's run again would lead to."""
    return _lines(
        f"## Run {code(wanted.run)} once more",
        f"- Cycle: {code(run.cycle)}\n- Subject: {code(run.subject)}\n"
        f"- Agent: {code(run.agent)}, whose configuration is sealed",
        "## What was understood",
        "Why:",
        block(wanted.reason, MOST_QUOTED),
        "## What follows",
        "A maintainer decides. If it is accepted, those who hold the configuration make the run again under the "
        "conditions that it had, and what came out is published beside the first result.",
    )


def written_down(path: PurePosixPath, pull: int, by: str) -> str:
    """Return that an issue was accepted."""
    return _lines(
        f"Accepted by {code(by)}.",
        f"Pull request #{pull} writes it down as {code(str(path))}. Once that is merged the pages say so.",
    )


def may_not(by: str, label: str) -> str:
    """Return that somebody put a label on who may not decide."""
    return _lines(
        f"The label {code(label)} was taken off again: {code(by)} put it on, and only those decide who may write to "
        "this repository."
    )


def cannot_be_accepted() -> str:
    """Return that a label was taken off because there is nothing that could be written down."""
    return _lines(
        f"The label {code(ACCEPTED)} was taken off again: nothing could be written down. The answer above says why."
    )


def needs_more_than_a_label(issue: int, label: str) -> str:
    """Return how a dispute is resolved, where somebody tried it with a label."""
    result = next(result for result, name in ENDED.items() if name == label)
    seconds = " --seconds '12.5 WHAT IT SHOWS'" if result == "evidence_stands" else ""
    command = f"argusic dispute resolve {issue} --resolution {result} --by LOGIN --reason WHY{seconds} --pull"
    return _lines(
        f"The label {code(label)} was taken off again: it says how a dispute ended and not why. It is set when the "
        "dispute is resolved, with the workflow for disputes or with",
        block(command, MOST_QUOTED),
    )


def revised(pull: int, path: PurePosixPath) -> str:
    """Return that an accepted dispute's text was changed."""
    return _lines(
        "The text was changed after it was accepted. What was accepted stays as it was.",
        f"Pull request #{pull} adds the change as {code(str(path))}.",
    )


def not_revised(why: str) -> str:
    """Return why a change to an accepted dispute's text is not kept."""
    return _lines("The text was changed after it was accepted, and that change is not kept:", block(why, MOST_QUOTED))


def resolved(dispute: Dispute, pull: int, invalidation: Invalidation | None) -> str:
    """Return how a dispute ended."""
    end = dispute.resolution
    assert end is not None, "it is resolved"
    how = "Corrected" if end.result == "corrected" else "The evidence stands"
    shown = "\n".join(f"- at {moment.seconds:g} s: {code(moment.shows)}" for moment in end.moments)
    follows = []
    if end.result == "corrected":
        follows = [
            "The run stays published and counts nowhere. Its attempt is owed again."
            if invalidation is not None
            else "The run stays published, with this note beside it."
        ]
    return _lines(
        f"## {how}",
        f"By {code(end.by)}, of run {code(dispute.run)}:",
        block(end.explanation, MOST_QUOTED),
        *(["In the recording:", shown] if shown else []),
        *follows,
        f"Pull request #{pull} writes this down. No evidence was edited or removed.",
    )


def for_review(
    issue: int, by: str, paths: Sequence[PurePosixPath], said: str, revisions: Sequence[DisputeRevision] = ()
) -> str:
    """Return the text of a pull request: what a reviewer has to know."""
    return _lines(
        f"Of issue #{issue}, accepted by {code(by)}.",
        "It adds\n" + "\n".join(f"- {code(str(path))}" for path in paths),
        "What is merged is published for good: look whether the text holds a person's data, or a secret.",
        said,
        *(line for revision in revisions[-MOST_SHOWN:] for line in _revision(revision)),
    )


def for_review_of_end(dispute: Dispute, paths: Sequence[PurePosixPath]) -> str:
    """Return the text of the pull request that resolves a dispute."""
    end = dispute.resolution
    assert end is not None, "it is resolved"
    return _lines(
        f"Closes #{dispute.issue}: resolved by {code(end.by)} as {code(end.result)}.",
        "It changes or adds\n" + "\n".join(f"- {code(str(path))}" for path in paths),
        "What was disputed:",
        block(dispute.claim, MOST_QUOTED),
        "What should be different:",
        block(dispute.expected, MOST_QUOTED),
        "Why it ends so:",
        block(end.explanation, MOST_QUOTED),
        *(f"- at {moment.seconds:g} s of the recording: {code(moment.shows)}" for moment in end.moments),
    )


def _revision(revision: DisputeRevision) -> list[str]:
    return [
        f"## Changed by {code(revision.by)} on {revision.edited:%Y-%m-%d %H:%M:%S} UTC",
        "What is wrong:",
        block(revision.claim, MOST_QUOTED),
        "What should be different:",
        block(revision.expected, MOST_QUOTED),
        *(["Evidence:", block(revision.evidence, MOST_QUOTED)] if revision.evidence else []),
    ]


def _lines(*parts: str) -> str:
    return "\n\n".join(parts) + "\n"
