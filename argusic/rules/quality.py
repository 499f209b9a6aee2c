"""Quality control: when a subject that every agent failed on is under review, and what a screening makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from argusic.records.findings import Screening
from argusic.rules.scored import ScoredRun


@dataclass(frozen=True)
class Review:
    """Where a subject stands with quality control.

    Attributes:
        raised: Whether the runs raise the flag: at least two agents have valid runs, and none of those passed.
        excluded: Whether the subject's results are kept out of board scores now.
        reason: Why, in one sentence; None where nothing is to say.
        screening: The person's finding, if there is one.
    """

    raised: bool
    excluded: bool
    reason: str | None
    screening: Screening | None


def review(runs: Sequence[ScoredRun], screening: Screening | None) -> Review:
    """Say whether a subject is under review in a cycle.

    A finding of `project` keeps it excluded, `agents` lets it count, and after `environment` the runs that were
    not invalidated speak: if all agents fail again, the subject is under review again.

    Args:
        runs: All runs of agents that are no controls on the subject, invalid ones included.
        screening: The person's finding, if there is one.
    """
    valid = [run for run in runs if run.valid]
    agents = {run.agent for run in valid}
    raised = len(agents) >= 2 and not any(run.passed for run in valid)
    finding = screening.finding if screening is not None else None
    if screening is not None and finding == "project":
        return Review(
            raised, True, f"Screened: it stays excluded because of the project. {screening.reason}", screening
        )
    if screening is not None and finding == "agents":
        return Review(raised, False, f"Screened: the failures are the agents' own. {screening.reason}", screening)
    if raised:
        again = " again, after its runs were invalidated and repeated" if finding == "environment" else ""
        return Review(
            True, True, f"All {len(agents)} agents that ran it failed{again}; a person has to look.", screening
        )
    if screening is not None:
        return Review(False, False, f"Screened: the environment was at fault. {screening.reason}", screening)
    return Review(False, False, None, None)
