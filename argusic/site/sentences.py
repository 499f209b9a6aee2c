"""The sentences that pages say about a verdict or a run, filled from records alone."""

from __future__ import annotations

from argusic.rules.endings import ENDINGS
from argusic.site import figures
from argusic.site.results import CycleVerdict, PublishedRun, SubjectResults
from argusic.site.wording import LIMITS


def verdict_sentence(results: SubjectResults, headline: CycleVerdict) -> str:
    """Say a subject's verdict plainly: what was shown, by whom, when."""
    name, word = results.subject.name, headline.verdict.verdict
    decided = deciding_run(results, headline)
    if word in ("runs", "runs_with_mocks") and decided is not None:
        how = "verified it running for real" if word == "runs" else "verified it against mock services"
        took = figures.duration((decided.run.finished - decided.run.started).total_seconds())
        return (
            f"{name} {'runs' if word == 'runs' else 'runs with mocks'}. On {figures.day(decided.run.started)}, "
            f"{decided.agent.title} installed it, launched it and {how}, in {took}, with no human help."
        )
    if word == "could_not_verify":
        complete = sum(attempt.outcome not in ("invalid", "held") for attempt in headline.verdict.attempts)
        return (
            f"We could not verify that {name} runs: {figures.counted(complete, 'complete attempt')} "
            "ended without a pass. This says what the agents could do, not what the project is."
        )
    if word == "not_yet_verified":
        count = len(headline.verdict.attempts)
        so_far = f" Recorded so far: {figures.counted(count, 'attempt')}." if count else ""
        return f"{name} is not yet verified: testing has not finished.{so_far}"
    return f"{name}: {headline.verdict.sentence}"


def deciding_run(results: SubjectResults, headline: CycleVerdict) -> PublishedRun | None:
    """Return the run that decided a verdict, if one has and it is published here."""
    decision = headline.verdict.decided_by
    if decision is None:
        return None
    return next((item for item in results.runs if item.run.run == decision.run), None)


def ending_sentence(item: PublishedRun) -> str:
    """Say how an attempt ended."""
    return ENDINGS[item.run.ending.how].sentence


def limits_sentence(item: PublishedRun) -> str:
    """Say which limits the sandbox held, and how often."""
    hits = item.run.limits_hit
    if not hits:
        return "none"
    return ", ".join(f"{LIMITS[hit.limit]} ({figures.counted(hit.count, 'time')})" for hit in hits)
