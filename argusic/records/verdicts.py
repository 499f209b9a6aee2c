"""The verdicts of one cycle and kind: for each subject, whether it runs, and who showed it. Derived, never edited."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from argusic.records.base import EditionId, Items, Part, Record, RunId, Slug, SubjectRef, Text, UtcTime
from argusic.records.board import Figure, OutcomeWord


class Attempt(Part):
    """One attempt of an agent on the subject, whether it counts or not."""

    number: Annotated[int, Field(ge=1)]
    """Its number among all attempts of the subject in this cycle, by start."""
    run: RunId
    """The run."""
    agent: Slug
    """Who made it."""
    outcome: OutcomeWord | Literal["held"]
    """What it came to; `held` until a person has screened a claim of its report that the record contradicts."""
    score: Figure | None = None
    """Its score; absent for an invalid run and for one that is held."""
    reason: Text | None = None
    """Why it is invalid or held, or why every line is 0."""


class Decision(Part):
    """Who decided a verdict."""

    agent: Slug
    """The agent."""
    run: RunId
    """The run."""


class ReviewState(Part):
    """Where the subject stands with quality control. Absent where there is nothing to say."""

    raised: bool
    """Whether at least two agents ran it and all failed."""
    excluded: bool
    """Whether its results are kept out of board scores."""
    reason: Text
    """Why, in a sentence."""
    finding: Literal["environment", "project", "agents"] | None = None
    """What a person found, once one has looked."""
    by: Text | None = None
    """Who looked."""
    at: UtcTime | None = None
    """When."""


class SubjectVerdict(Part):
    """The verdict on one subject."""

    subject: SubjectRef
    """The subject."""
    verdict: Literal["runs", "runs_with_mocks", "could_not_verify", "not_yet_verified"]
    """What is said of it. Never that it is broken."""
    rule: Text
    """The id of the rule that decided."""
    sentence: Text
    """What that rule says."""
    decided_by: Decision | None = None
    """The agent and the run that decided; absent while nothing has."""
    review: ReviewState | None = None
    """Quality control, where it has something to say."""
    attempts: Items[Attempt] = ()
    """Every attempt by an agent that is no control, by start."""


class Verdicts(Record):
    """The verdicts of one cycle and kind."""

    cycle: Slug
    """The cycle."""
    kind: Annotated[str, Field(pattern=r"^[a-z][a-z-]*$")]
    """The kind of subject."""
    edition: EditionId
    """The rules that they were reached under."""
    subjects: Items[SubjectVerdict]
    """The subjects of the cycle's pool, by address."""
