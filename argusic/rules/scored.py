"""A run with its score, reduced to what boards, verdicts and quality control need of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction

from argusic.records.edition import Edition
from argusic.records.findings import ClaimScreening, Invalidation, Screening
from argusic.records.run import Run
from argusic.rules.holding import hold
from argusic.rules.rubric import PASSES, Outcome, Score, score


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
        total: Its exact score; None exactly for a run that is invalid or held.
        reason: Why it is invalid or held, or why every line is 0.
        hold: Why it is held by its own facts, until a person has looked; None where nothing holds it.
    """

    run: str
    subject: str
    agent: str
    control: bool
    started: datetime
    outcome: Outcome
    total: Fraction | None
    reason: str | None = None
    hold: str | None = None

    @property
    def valid(self) -> bool:
        """Whether it counts at all."""
        return self.outcome not in ("invalid", "held")

    @property
    def held(self) -> bool:
        """Whether a person has to look before it may count."""
        return self.outcome == "held"

    @property
    def passed(self) -> bool:
        """Whether it is a pass, for real or against mocks."""
        return self.outcome in PASSES


def scored(run: Run, edition: Edition) -> ScoredRun:
    """Score `run` by its facts alone, before any later finding."""
    result = score(run, edition, screened=True)
    return ScoredRun(
        run=run.run,
        subject=run.subject,
        agent=run.agent,
        control=run.purpose == "control",
        started=run.started,
        outcome=result.outcome,
        total=result.total,
        reason=result.reason,
        hold=None if result.outcome == "invalid" else hold(run),
    )


def in_order(runs: Iterable[ScoredRun]) -> list[ScoredRun]:
    """Return `runs` by start, then by id: the order in which attempts are numbered."""
    return sorted(runs, key=lambda run: (run.started, run.run))


@dataclass(frozen=True)
class Later:
    """What was learnt of a cycle's runs after they landed.

    Attributes:
        invalidations: Why runs count nowhere, by run.
        screened: The runs whose contradicted claims a person has looked at.
    """

    invalidations: Mapping[str, Invalidation]
    screened: frozenset[str]

    def score(self, run: Run, edition: Edition) -> Score:
        """Return what a run comes to as it stands now."""
        return score(run, edition, self.invalidations.get(run.run), screened=run.run in self.screened)

    def stands(self, run: ScoredRun) -> ScoredRun:
        """Return a run that was scored by its facts alone as it stands now."""
        if (finding := self.invalidations.get(run.run)) is not None:
            return replace(run, outcome="invalid", total=None, reason=finding.reason)
        if run.hold is not None and run.run not in self.screened:
            return replace(run, outcome="held", total=None, reason=run.hold)
        return run


def learnt(
    invalidations: Mapping[str, Invalidation], screenings: Iterable[Screening], claims: Iterable[ClaimScreening]
) -> Later:
    """Return what was learnt of a cycle's runs, from the three kinds of file that say so."""
    claims = tuple(claims)
    return Later(all_invalidations(invalidations, screenings, claims), frozenset(claim.run for claim in claims))


def all_invalidations(
    invalidations: Mapping[str, Invalidation],
    screenings: Iterable[Screening],
    claims: Iterable[ClaimScreening] = (),
) -> dict[str, Invalidation]:
    """Return every invalidation of a cycle by run: those of their own, and those that screenings carry.

    Where a run has several, its own file speaks, then the screening of its claims.
    """
    by_subject = {
        run: Invalidation(run=run, cycle=screening.cycle, reason=screening.reason, by=screening.by, at=screening.at)
        for screening in sorted(screenings, key=lambda screening: screening.subject)
        for run in screening.invalidates
    }
    by_claim = {
        claim.run: Invalidation(run=claim.run, cycle=claim.cycle, reason=claim.reason, by=claim.by, at=claim.at)
        for claim in claims
        if claim.finding == "record"
    }
    return {**by_subject, **by_claim, **invalidations}
