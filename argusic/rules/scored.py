"""A run with its score, reduced to what boards, verdicts and quality control need of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction

from argusic.records.edition import Edition
from argusic.records.findings import Invalidation, Screening
from argusic.records.run import Run
from argusic.rules.rubric import PASSES, Outcome, score


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """One run and what it came to.

    Attributes:
        run: Its id.
        subject: The subject's address.
        agent: The agent's id.
        control: Whether the run was made to prove the harness; such a run counts in nothing.
        started: When it began; runs are ordered by it, then by id.
        outcome: What it came to.
        total: Its exact score; None exactly for an invalid run.
        reason: Why it is invalid, or why every line is 0.
    """

    run: str
    subject: str
    agent: str
    control: bool
    started: datetime
    outcome: Outcome
    total: Fraction | None
    reason: str | None = None

    @property
    def valid(self) -> bool:
        """Whether it counts at all."""
        return self.outcome != "invalid"

    @property
    def passed(self) -> bool:
        """Whether it is a pass, for real or against mocks."""
        return self.outcome in PASSES


def scored(run: Run, edition: Edition) -> ScoredRun:
    """Score `run` by its facts alone, before any later finding."""
    result = score(run, edition)
    return ScoredRun(
        run=run.run,
        subject=run.subject,
        agent=run.agent,
        control=run.purpose == "control",
        started=run.started,
        outcome=result.outcome,
        total=result.total,
        reason=result.reason,
    )


def in_order(runs: Iterable[ScoredRun]) -> list[ScoredRun]:
    """Return `runs` by start, then by id: the order in which attempts are numbered."""
    return sorted(runs, key=lambda run: (run.started, run.run))


def invalidated(run: ScoredRun, invalidations: Mapping[str, Invalidation]) -> ScoredRun:
    """Return `run` as it stands after what was learnt later."""
    finding = invalidations.get(run.run)
    if finding is None:
        return run
    return replace(run, outcome="invalid", total=None, reason=finding.reason)


def all_invalidations(
    invalidations: Mapping[str, Invalidation], screenings: Iterable[Screening]
) -> dict[str, Invalidation]:
    """Return every invalidation of a cycle by run: those of their own, and those that screenings carry.

    Where a run has both, its own file speaks.
    """
    by_screening = {
        run: Invalidation(run=run, cycle=screening.cycle, reason=screening.reason, by=screening.by, at=screening.at)
        for screening in sorted(screenings, key=lambda screening: screening.subject)
        for run in screening.invalidates
    }
    return {**by_screening, **invalidations}
