"""The ways to launch a project and to see whether it does its job. One module each, the strongest tried first."""

from __future__ import annotations

from typing import Protocol

from argusic.runs.agents.newcomer.bench import Bench


class Trial(Protocol):
    """One way to launch the project."""

    def run(self, bench: Bench) -> None:
        """Launch the project this way, decode what it produced, and note in the journal what was seen."""
