"""An agent: model, program and instructions, pinned, under a neutral identity."""

from __future__ import annotations

from typing import Literal

from argusic.records.base import Record, Sha256, Slug, Text


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
    model: Text | None = None
    """The model at its pinned version; absent where there is none or where it is sealed."""
    commitment: Sha256 | None = None
    """A salted hash of the sealed exact configuration; absent where the configuration is open."""
    sponsor: Text | None = None
    """Who paid for its compute, disclosed beside its results."""
