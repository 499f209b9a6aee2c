"""What an agent with a model is given for one run."""

from __future__ import annotations

from dataclasses import dataclass

from argusic.evidence.trajectory import TrajectoryWriter
from argusic.records.configuration import ProgramUsed
from argusic.runs.keys.access import ModelAccess


@dataclass(frozen=True)
class Given:
    """What an agent with a model is given for one run.

    Attributes:
        access: How it reaches its model.
        trajectory: Where it writes what its model is told and says.
        program: The agent program to run; None for an agent of our own.
    """

    access: ModelAccess
    trajectory: TrajectoryWriter
    program: ProgramUsed | None = None
