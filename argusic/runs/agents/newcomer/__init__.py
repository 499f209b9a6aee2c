"""The agent without a model: a careful first-time user, written as a program.

It reads a project's own documentation, follows it, applies repairs that are known to the trade, and verifies by
decoding what came out. `agent` is its day, `trials` are its ways to launch, `*.yaml` is what it knows.
"""

from __future__ import annotations

from argusic.runs.agents.newcomer.agent import Newcomer
from argusic.runs.session import AgentProgram


def program() -> AgentProgram:
    """Return the agent `newcomer`."""
    return Newcomer()
