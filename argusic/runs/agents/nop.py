"""The control that does nothing, to prove that nothing earns nothing."""

from __future__ import annotations

from argusic.runs.session import AgentProgram, Mission, Session


class Nop:
    """Runs no command and leaves no report."""

    def run(self, session: Session, mission: Mission) -> None:
        """Do nothing."""


def program() -> AgentProgram:
    """Return the control `nop`."""
    return Nop()
