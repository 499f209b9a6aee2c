"""An agent: model, program and instructions, pinned, under a neutral identity.

The exact configuration of an agent that uses a model is open, and then stands in its file; or it is sealed, and then
the file commits to it by a salted digest until it is revealed.
"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from argusic.records.base import Day, Record, Sha256, Slug, Text
from argusic.records.configuration import OpenConfiguration
from argusic.records.sealed import SealedConfiguration

#: The implementation of each class that has a model: it says nothing of a sealed configuration that the class does not.
OF_CLASS = {"shell": "shell", "program": "programs"}


class Agent(Record):
    """One agent under test, or one control."""

    agent: Slug
    """Its id."""
    title: Text
    """The neutral name it is shown under."""
    role: Literal["agent", "control"]
    """A control proves that the harness works, and counts in nothing."""
    program: Literal["none", "shell", "program"]
    """The class shown on the board: no model, our shell agent, or an agent program of its own."""
    implementation: Slug
    """Which implementation under `argusic/runs/agents/` runs it."""
    configuration: OpenConfiguration | None = None
    """The exact configuration, where it is open; absent where there is no model or where it is sealed."""
    commitment: Sha256 | None = None
    """What a sealed configuration is held to: the digest of the file that reveals it, salt included."""
    sealed: SealedConfiguration | None = None
    """Where the sealed configuration is kept."""
    reveal_on: Day | None = None
    """The day by which a sealed configuration is revealed; absent where it is revealed on request."""
    sponsor: Text | None = None
    """Who paid for its compute, disclosed beside its results."""

    @model_validator(mode="after")
    def _one_identity(self) -> Self:
        if self.program == "none":
            for field in ("configuration", "commitment", "sealed", "reveal_on"):
                if getattr(self, field) is not None:
                    raise ValueError(f"an agent without a model has no {field}")
            return self
        if (self.configuration is None) == (self.commitment is None):
            raise ValueError("an agent with a model has either an open configuration or a commitment to a sealed one")
        if (self.commitment is None) != (self.sealed is None):
            raise ValueError("commitment and sealed come together")
        if self.reveal_on is not None and self.commitment is None:
            raise ValueError("reveal_on is of a sealed configuration")
        neutral = OF_CLASS[self.program]
        if self.commitment is not None and self.implementation != neutral:
            raise ValueError(
                f"the implementation of a sealed agent of this class is {neutral}: others would tell of it"
            )
        if self.configuration is not None and (self.configuration.program is not None) != (self.program == "program"):
            raise ValueError("configuration.program is given exactly where program is 'program'")
        return self

    @property
    def identity(self) -> Literal["none", "open", "sealed"]:
        """Whether its exact configuration is open or was sealed; `none` without a model."""
        if self.program == "none":
            return "none"
        return "open" if self.configuration is not None else "sealed"
