"""What a signature over evidence says: the predicate of a batch, and that of a cycle's close.

A signature is an in-toto statement: subjects (files by path and digest) and one of these predicates. It lies in the
database as a Sigstore bundle, not as YAML, so neither is a record with a path of its own.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from argusic.records.base import EditionId, Items, Part, RunId, Sha256, Slug, Text, UtcTime
from argusic.records.manifest import ArgusicFacts, EditionUsed

#: The types that the statements name.
BATCH_TYPE: Final = "urn:argusic:statement:evidence-batch:1"
CLOSE_TYPE: Final = "urn:argusic:statement:cycle-close:1"

#: What a signer may vouch for.
Purpose = Literal["batch", "close"]


class RunnerFacts(Part):
    """The machine that signed."""

    kind: Literal["github-hosted", "self-hosted", "local"] = Field(alias="class")
    """Its class, as it says itself. The certificate proves it only where an identity service outside vouches."""
    job: Text | None = None
    """The address of the job, where there was one."""
    artifact_sha256: Sha256 | None = None
    """The digest of the artifact that the runs were handed over in, where they were."""


class Witnessed(Part):
    """What the signer saw itself, and what it did not."""

    files_read: Annotated[int, Field(ge=0)]
    """How many files it read whole and compared with their manifests: every subject of the statement, or none where it
    signed digests that another job had taken."""
    attempts: Items[RunId] = ()
    """The runs whose attempt it ran itself."""
    not_seen: Items[Text] = ()
    """What it takes from others."""


class BatchCounts(Part):
    """How much the batch holds."""

    runs: Annotated[int, Field(ge=1)]
    """Runs."""
    files: Annotated[int, Field(ge=1)]
    """Files, manifests included: the subjects of the statement."""
    size: Annotated[int, Field(ge=0)]
    """Bytes of those files."""


class Batch(Part):
    """The predicate of a batch: runs of one cycle that were collected and signed together."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    """The version of this predicate's shape."""
    batch: RunId
    """Its id, made like a run's: the time of signing and a random tail."""
    cycle: Slug
    """The cycle of all its runs."""
    edition: EditionUsed
    """The rules that they were measured under."""
    environments: Items[Sha256]
    """The digests of the environments they had, sorted."""
    images: Items[Text] = ()
    """The sandbox images they had, by digest, sorted."""
    measured_by: Items[ArgusicFacts]
    """The programs that measured them."""
    signed_by: ArgusicFacts
    """The program that signed."""
    counts: BatchCounts
    """How much it holds."""
    witnessed: Witnessed
    """What the signer saw itself, and what it did not."""
    runner: RunnerFacts
    """The machine that signed."""


class CycleClose(Part):
    """The predicate of a cycle's close: everything that the cycle held on that day.

    Its subjects are the close itself and whatever was decided about the cycle. Its runs stand in it by one Merkle
    root, so that a run that is dropped later is noticed.
    """

    schema_version: Literal[1] = Field(default=1, alias="schema")
    """The version of this predicate's shape."""
    cycle: Slug
    """The cycle."""
    edition: EditionId
    """Its rules."""
    manifests: Annotated[int, Field(ge=0)]
    """How many manifests it holds."""
    manifests_root: Sha256
    """The Merkle root (RFC 6962) over the line `<sha256>  <path>` of every manifest, sorted by path."""
    batches: Items[RunId]
    """The batches that its runs were signed in, sorted."""
    closed: UtcTime
    """When it was closed."""
    signed_by: ArgusicFacts
    """The program that signed."""
    runner: RunnerFacts
    """The machine that signed."""
