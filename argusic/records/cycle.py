"""A cycle: one round, with its pinned pool, its agents, its edition and its window."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from argusic.records.base import (
    EditionId,
    Items,
    Part,
    Record,
    Sha256,
    Slug,
    SubjectRef,
    Text,
    Tier,
    UtcTime,
)
from argusic.records.subject import AnyPin


class PoolEntry(Part):
    """One subject of the cycle, pinned."""

    subject: SubjectRef
    """The subject's address."""
    pin: AnyPin
    """What exactly is tested."""
    tier: Tier = "standard"
    """The time budget."""
    heavy_by: Text | None = None
    """Who marked it heavy and when, or the host's own figure that made it so."""

    @model_validator(mode="after")
    def _heavy_says_why(self) -> Self:
        if (self.tier == "heavy") != (self.heavy_by is not None):
            raise ValueError("heavy_by is given exactly for the heavy tier")
        return self


class Conditions(Part):
    """The limits that every attempt of the cycle gets alike."""

    memory_mb: Annotated[int, Field(gt=0)] = 4096
    cpus: Annotated[float, Field(gt=0)] = 2.0
    processes: Annotated[int, Field(gt=0)] = 1024
    disk_mb: Annotated[int, Field(gt=0)] = 10240


class Cycle(Record):
    """One round."""

    cycle: Slug
    """Its id."""
    title: Text
    """What readers see."""
    edition: EditionId
    """The rules that it pinned when it opened."""
    edition_sha256: Sha256
    """The digest of that edition's file when it opened."""
    opens: UtcTime
    """When the window opens."""
    closes: UtcTime
    """When the window closes."""
    sandbox: Annotated[str, Field(pattern=r"^(bubblewrap|docker)$")] = "bubblewrap"
    """The sandbox that its attempts run in. Only `docker` with the published image counts officially."""
    conditions: Conditions = Conditions()
    """The limits of each attempt."""
    standard_agent: Slug | None
    """The agent of the verdict chain; none when the cycle only compares agents."""
    stronger_agent: Slug | None = None
    """The agent that may be run on request."""
    board_agents: Items[Slug] = ()
    """The agents that run a board set on every subject."""
    controls: Items[Slug] = ()
    """The controls that run once on every subject."""
    subjects: Annotated[Items[PoolEntry], Field(min_length=1)]
    """The pinned pool."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.closes <= self.opens:
            raise ValueError("closes is not after opens")
        for what, names in (
            ("subjects", [entry.subject for entry in self.subjects]),
            ("board_agents", list(self.board_agents)),
            ("controls", list(self.controls)),
        ):
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise ValueError(f"{what} names {twice[0]} twice")
        if set(self.board_agents) & set(self.controls):
            raise ValueError("a control cannot be a board agent")
        return self

    def entry(self, subject: str) -> PoolEntry | None:
        """Return the pool entry of `subject` (an address), if the cycle has it."""
        return next((entry for entry in self.subjects if entry.subject == subject), None)


class Close(Record):
    """The close of a cycle: what its derivations were on that day. Written once, by `argusic cycle close`."""

    cycle: Slug
    """The cycle."""
    closed: UtcTime
    """When it was closed."""
    by: Text
    """Who closed it."""
    runs: Annotated[int, Field(ge=0)]
    """How many runs it holds, the invalid ones included."""
    derived: dict[str, Sha256]
    """The digest of each derived file, by its path from the top."""
