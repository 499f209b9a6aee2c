"""What is learnt about runs after they landed: each a new file beside the evidence, never an edit of it."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from argusic.records.base import Items, Part, Record, RunId, Sha256, Slug, SubjectRef, Text, UtcTime


class Invalidation(Record):
    """A person's or the program's decision that a run counts nowhere. It stays published."""

    run: RunId
    """The run."""
    cycle: Slug
    """Its cycle."""
    reason: Text
    """Why, as readers see it."""
    by: Text
    """Who decided."""
    at: UtcTime
    """When."""


class Screening(Record):
    """A person's finding on a subject under review."""

    cycle: Slug
    """The cycle."""
    subject: SubjectRef
    """The subject under review."""
    finding: Literal["environment", "project", "agents"]
    """`environment`: the runs are invalidated and run again. `project`: stays excluded. `agents`: counts."""
    reason: Text
    """What was found."""
    by: Text
    """Who looked."""
    at: UtcTime
    """When."""
    invalidates: Items[RunId] = ()
    """The runs invalidated by an `environment` finding."""

    @model_validator(mode="after")
    def _only_environment(self) -> Self:
        if self.invalidates and self.finding != "environment":
            raise ValueError("only an 'environment' finding invalidates runs")
        return self


class ClaimScreening(Record):
    """A person's finding on what a report claims and the record contradicts. It releases a run that was held.

    `audit`: the audit misread a record that bears the claim out; the run counts as it is scored. `record`: the
    recording or another part of ours is at fault; the run is invalidated, and run again. `agent`: the claim is false;
    that stays beside the run for ever, and it counts with the score that its edition gives.
    """

    run: RunId
    """The run."""
    cycle: Slug
    """Its cycle."""
    fields: Items[Text]
    """The fields of the report that the run says are contradicted: all of them, as the run states them. None where the
    audit itself had failed."""
    finding: Literal["audit", "record", "agent"]
    """What they are."""
    reason: Text
    """What was found, as readers see it."""
    by: Text
    """Who looked."""
    at: UtcTime
    """When."""


class Moment(Part):
    """A place in a recording."""

    seconds: Annotated[float, Field(ge=0)]
    """Seconds from its start."""
    shows: Text
    """What it shows."""


class Resolution(Part):
    """How a dispute was resolved."""

    result: Literal["corrected", "evidence_stands"]
    """`corrected`: run again, with a note. `evidence_stands`: explained by the recording."""
    explanation: Text
    """Why."""
    moments: Items[Moment] = ()
    """The places in the recording that show it."""
    by: Text
    """Who resolved it."""
    at: UtcTime
    """When."""


class Acceptance(Part):
    """That somebody who may decide had a dispute written down."""

    by: Text
    """Who accepted it."""
    at: UtcTime
    """When."""


class Dispute(Record):
    """A contested result, opened as an issue. Its words are those that were accepted; a later edit is a revision."""

    issue: Annotated[int, Field(gt=0)]
    """The issue's number."""
    run: RunId
    """The contested run."""
    cycle: Slug
    """Its cycle."""
    by: Text
    """Who opened it."""
    opened: UtcTime
    """When."""
    claim: Text
    """What is said to be wrong."""
    expected: Text
    """What should be different."""
    evidence: Text | None = None
    """What is said to show it."""
    url: Annotated[str, Field(pattern=r"^https://[^\s<>\"'`\\]{1,500}$")] | None = None
    """The issue's address, as GitHub states it."""
    accepted: Acceptance | None = None
    """Who had it written down, where that is known."""
    resolution: Resolution | None = None
    """How it was resolved, once it is."""


class DisputeRevision(Record):
    """What an issue said of a dispute once its text was changed after it was accepted."""

    issue: Annotated[int, Field(gt=0)]
    """The issue's number."""
    cycle: Slug
    """The cycle of the contested run."""
    edited: UtcTime
    """When the text was changed."""
    by: Text
    """Who changed it."""
    claim: Text
    """What is said to be wrong from then on."""
    expected: Text
    """What should be different from then on."""
    evidence: Text | None = None
    """What is said to show it from then on."""


class WithdrawnFile(Part):
    """One file that was taken away."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$")]
    """Its name in the run's manifest."""
    sha256: Sha256
    """Its fingerprint, which the manifest goes on to state."""


class Withdrawal(Record):
    """The tombstone of evidence that had to go: a credential, or a person's data, that was found late.

    It is the one lawful removal. The manifest stays, and with it the fingerprint of what is gone.
    """

    run: RunId
    """The run."""
    cycle: Slug
    """Its cycle."""
    files: Annotated[Items[WithdrawnFile], Field(min_length=1)]
    """What was taken away."""
    reason: Text
    """Why, as readers see it, without what was found."""
    by: Text
    """Who decided."""
    at: UtcTime
    """When."""
