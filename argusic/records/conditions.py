"""The conditions of a cycle as one record: what every agent gets alike on every subject, whose digest each run names.

Its harness is the referee's own code, which `rules/harness.yaml` lists. An agent's program is no part of it.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from argusic.records.base import Items, Part, Record, Sha256, Slug, Text, UtcTime
from argusic.records.cycle import Conditions
from argusic.records.edition import Budgets
from argusic.records.manifest import EditionUsed, Fingerprinted

#: Files of the program by name, as seen from the folder that holds the package.
Pattern = Annotated[str, Field(pattern=r"^argusic/[A-Za-z0-9_*./-]+$")]


class HarnessPart(Part):
    """Files that belong to the harness for one reason."""

    part: Slug
    """What they are."""
    why: Text
    """How they bear on a measurement."""
    files: Annotated[Items[Pattern], Field(min_length=1)]
    """Which, as patterns of file names; `**` stands for any folders."""
    without: Items[Pattern] = ()
    """Which of them are none of it."""


class Harness(Record):
    """The code that belongs to the harness: a change of it needs an edition, or a statement that it has no effect."""

    parts: Annotated[Items[HarnessPart], Field(min_length=1)]
    """Its parts."""

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        names = [part.part for part in self.parts]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"parts names {twice[0]} twice")
        return self


class HarnessUsed(Part):
    """The harness as it was: the listed files, by one digest."""

    files: Annotated[int, Field(gt=0)]
    """How many they are."""
    sha256: Sha256
    """The digest of their names and digests."""


class CycleConditions(Record):
    """What every attempt of a cycle gets alike, whoever the agent is and whatever the subject."""

    cycle: Slug
    """The cycle."""
    edition: EditionUsed
    """The rules."""
    instructions: Fingerprinted
    """The standard instructions."""
    budgets_minutes: Budgets
    """The time budget of each tier."""
    resources: Conditions
    """The limits."""
    sandbox: Literal["bubblewrap", "docker"]
    """The sandbox."""
    network: Literal["restricted", "outbound_unfiltered"]
    """What the edition says of the network."""
    image: Text | None = None
    """The image by digest; absent where the sandbox shows the machine's own system, which each run's manifest
    fingerprints as it was met."""
    runtime: Text | None = None
    """The program that containers are run with, where it is not the engine's usual one."""
    harness: HarnessUsed | None = None
    """The referee's own code; absent where the repository lists none."""


class HarnessChange(Record):
    """A person's statement that a change of the harness has no effect on measurement."""

    cycle: Slug
    """The cycle whose runs go on under it."""
    conditions: Sha256
    """The digest of the conditions after the change."""
    replaces: Sha256
    """The digest of the conditions before it."""
    changed: Annotated[Items[Literal["harness", "image"]], Field(min_length=1)]
    """What changed. Nothing else of a cycle's conditions ever does."""
    no_effect: Text
    """Why that has no effect on measurement."""
    by: Text
    """Who says so."""
    at: UtcTime
    """When."""
