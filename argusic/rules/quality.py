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

    Decision: a finding excludes only while the runs raise the flag. Once an agent has made the subject run, the
    failure was not everybody's, and no person's word keeps that result off a board.

    Args:
        runs: All runs of agents that are no controls on the subject, invalid ones included.
        screening: The person's finding, if there is one.
    """
    valid = [run for run in runs if run.valid]
    agents = {run.agent for run in valid}
    # While one is held nobody knows yet whether all failed.
    raised = len(agents) >= 2 and not any(run.passed or run.held for run in runs)
    if screening is None:
        reason = f"All {len(agents)} agents that ran it failed; a person has to look." if raised else None
        return Review(raised, raised, reason, None)
    if screening.finding == "environment" and raised:
        reason = (
            f"All {len(agents)} agents that ran it failed again after its runs were repeated; a person has to look."
        )
        return Review(True, True, reason, screening)
    said = {
        "environment": "Screened: the environment was at fault, and its runs were invalidated.",
        "project": "Screened: the project was at fault.",
        "agents": "Screened: the failures are the agents' own.",
    }
    excluded = raised and screening.finding == "project"
    return Review(raised, excluded, f"{said[screening.finding]} {screening.reason}", screening)
