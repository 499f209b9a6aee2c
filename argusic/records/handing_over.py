"""What goes from job to job while a cycle runs on many machines: the plan, hand-overs, what was collected, its digests.

None of these is kept in the database. Each is one JSON file in an artifact, written by one job and read by another, and
whoever reads it trusts it with nothing that can be proven again.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from argusic.records.base import CommitId, Items, Part, RunId, Sha256, Slug, SubjectRef, Text, Tier, UtcTime
from argusic.records.manifest import ArgusicFacts, EditionUsed

#: The number of a job, as its artifact's name has it.
JobNumber = Annotated[str, Field(pattern=r"^[0-9]{3}$")]
#: Where a file lies below the top of a hand-over: in the database, or in the evidence store by its digest.
HandedPath = Annotated[
    str, Field(pattern=r"^(runs(/[a-z0-9_][A-Za-z0-9._-]*)+|store/[0-9a-f]{2}/[0-9a-f]{64})$", max_length=600)
]


class PlannedJob(Part):
    """One job: an agent on a subject, attempt after attempt until nothing is owed."""

    job: JobNumber
    """Its number in the plan."""
    subject: SubjectRef
    """The subject."""
    agent: Slug
    """The agent."""
    purpose: Literal["verdict", "board", "control"]
    """What its runs are for."""
    attempts: Annotated[int, Field(ge=1)]
    """Valid runs owed at most."""
    tier: Tier
    """Its time budget."""
    runner: Annotated[Items[Text], Field(min_length=1)]
    """The labels of the machine that it needs."""
    timeout_minutes: Annotated[int, Field(ge=1)]
    """When the job is given up: after all attempts it may make, with what comes before and after each."""


class Plan(Part):
    """What one workflow run is to do of what a cycle owes."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    """The version of this shape."""
    cycle: Slug
    """The cycle."""
    commit: CommitId | None
    """The commit that it was planned at; None outside git."""
    planned: UtcTime
    """When it was made. None of its runs began before."""
    jobs: Items[PlannedJob]
    """The jobs, each cell once."""
    left: Annotated[int, Field(ge=0)]
    """Cells that are owed too and that the next workflow run plans."""


class HandedFile(Part):
    """One file of a hand-over."""

    path: HandedPath
    """Where it lies in it."""
    sha256: Sha256
    """Its digest."""
    size: Annotated[int, Field(ge=0)]
    """Its size in bytes."""


class HandOver(Part):
    """What one attempt job hands over: redacted, fingerprinted, and sealed where it must be."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    """The version of this shape."""
    cycle: Slug
    """The cycle."""
    job: JobNumber
    """The job."""
    subject: SubjectRef
    """Its subject."""
    agent: Slug
    """Its agent."""
    runs: Items[RunId]
    """The runs in it."""
    queued: Text | None = None
    """Why an attempt that is still owed was not made, where there was no key for it."""
    files: Items[HandedFile]
    """Every other file in it, sorted by path."""


class MissingJob(Part):
    """A planned job that handed nothing over."""

    job: JobNumber
    """The job."""
    subject: SubjectRef
    """Its subject, which stays owed."""
    agent: Slug
    """Its agent."""
    why: Text
    """What became of it: it failed, was cancelled, or its machine was lost."""


class RefusedArtifact(Part):
    """An artifact of which nothing was taken."""

    name: Text
    """Its name."""
    why: Text
    """What is wrong with it."""


class Collected(Part):
    """What was collected from the jobs of one workflow run, all of it re-proven."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    """The version of this shape."""
    cycle: Slug
    """The cycle."""
    planned: Annotated[int, Field(ge=0)]
    """How many jobs the plan promised."""
    left: Annotated[int, Field(ge=0)] = 0
    """Cells that the plan left to the next workflow run."""
    runs: Items[RunId]
    """The runs, sorted."""
    files: Items[HandedFile]
    """Their files, sorted by path."""
    missing: Items[MissingJob] = ()
    """The jobs that handed nothing over."""
    refused: Items[RefusedArtifact] = ()
    """The artifacts of which nothing was taken."""


class BatchDigests(Part):
    """What one signature over collected runs says, but for what the signer adds of itself."""

    edition: EditionUsed
    """The rules that they were measured under."""
    environments: Items[Sha256]
    """The digests of the environments they had, sorted."""
    images: Items[Text] = ()
    """The sandbox images they had, by digest, sorted."""
    measured_by: Items[ArgusicFacts]
    """The programs that measured them."""
    runs: Annotated[Items[RunId], Field(min_length=1)]
    """The runs, sorted."""
    size: Annotated[int, Field(ge=0)]
    """Bytes of their files."""
    files: dict[str, Sha256]
    """The digest of each file, manifests included, by the path that the statement names it with."""


class Digests(Part):
    """What a signer that has none of the files signs."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    """The version of this shape."""
    cycle: Slug
    """The cycle."""
    batches: Items[BatchDigests]
    """One signature each."""
