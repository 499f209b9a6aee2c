"""Our own agent with a model: a small loop around one shell. Any endpoint that speaks OpenAI's chat will do."""

from __future__ import annotations

from argusic.runs.agents.given import Given
from argusic.runs.session import AgentProgram


def model_program(given: Given) -> AgentProgram:
    """Return the agent `shell`.

    Raises:
        InputError: Its model's endpoint speaks another protocol.
    """
    # Whoever only looks which agents there are loads no client of HTTP.
    from argusic.runs.agents.shell.agent import Shell

    return Shell(given.access, given.trajectory)
