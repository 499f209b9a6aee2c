"""The verdicts of a cycle and kind as a record: each with the run that decided and every attempt behind it."""

from __future__ import annotations

from argusic.leaderboards.boards import figure
from argusic.leaderboards.group import Group
from argusic.records.verdicts import Attempt, Decision, ReviewState, SubjectVerdict, Verdicts
from argusic.rules.quality import Review
from argusic.rules.scored import ScoredRun
from argusic.rules.verdict import Chain, verdict


def verdicts(group: Group) -> Verdicts:
    """Derive the verdicts of `group`."""
    chain = Chain(group.cycle.standard_agent, group.cycle.stronger_agent, group.edition.verdict)
    return Verdicts(
        cycle=group.cycle.cycle,
        kind=group.kind,
        edition=group.edition.edition,
        subjects=tuple(_subject(group, subject, chain) for subject in group.subjects),
    )


def _subject(group: Group, subject: str, chain: Chain) -> SubjectVerdict:
    runs = group.by_subject[subject]
    reached = verdict(runs, chain)
    decided = reached.decided_by
    return SubjectVerdict(
        subject=subject,
        verdict=reached.word,
        rule=reached.rule,
        sentence=reached.sentence,
        decided_by=None if decided is None else Decision(agent=decided.agent, run=decided.run),
        review=_review(group.reviews[subject]),
        attempts=tuple(_attempt(number, run) for number, run in enumerate(runs, start=1)),
    )


def _attempt(number: int, run: ScoredRun) -> Attempt:
    return Attempt(
        number=number,
        run=run.run,
        agent=run.agent,
        outcome=run.outcome,
        score=None if run.total is None else figure(run.total),
        reason=run.reason,
    )


def _review(review: Review) -> ReviewState | None:
    if review.reason is None:
        return None
    screening = review.screening
    return ReviewState(
        raised=review.raised,
        excluded=review.excluded,
        reason=review.reason,
        finding=screening.finding if screening is not None else None,
        by=screening.by if screening is not None else None,
        at=screening.at if screening is not None else None,
    )
