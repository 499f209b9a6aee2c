"""Agent programs as they are published: one small adapter each, found by its name, which is its module's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

from argusic.errors import InputError
from argusic.records.configuration import ProgramUsed
from argusic.runs.agents.given import Given
from argusic.runs.agents.programs.adapter import Adapter, Setting, Told
from argusic.runs.agents.programs.claude_code import ClaudeCode
from argusic.runs.agents.programs.codex import Codex
from argusic.runs.agents.programs.command import Command
from argusic.runs.agents.programs.mini_swe_agent import MiniSweAgent
from argusic.runs.agents.programs.running import Program
from argusic.runs.session import AgentProgram
from argusic.sandbox.protocol import SERVICE_URL

#: Every adapter by its name.
ADAPTERS: Final[Mapping[str, Callable[[ProgramUsed], Adapter]]] = MappingProxyType(
    {
        "claude-code": lambda used: ClaudeCode(),
        "codex": lambda used: Codex(),
        "command": Command,
        "mini-swe-agent": lambda used: MiniSweAgent(),
    }
)


def model_program(given: Given) -> AgentProgram:
    """Return the agent that runs the published program which the configuration names.

    Raises:
        InputError: It names none; or as `agent_program`.
    """
    if given.program is None:
        raise InputError("The agent implementation 'programs' needs a program, and the configuration names none.")
    return agent_program(given.program, given)


def agent_program(used: ProgramUsed, given: Given) -> AgentProgram:
    """Return an agent that runs a published program inside the sandbox.

    Where the run has a gateway, the sandbox must have been given its socket as its service.

    Args:
        used: Which program.
        given: What an agent with a model is given.

    Raises:
        InputError: There is no such adapter, or the program cannot do what its configuration asks of it.
    """
    if used.adapter not in ADAPTERS:
        raise InputError(
            f"There is no adapter for an agent program called {used.adapter!r}.",
            advice=f"Known are: {', '.join(sorted(ADAPTERS))}. `command` starts any program by a line of its own.",
        )
    adapter = ADAPTERS[used.adapter](used)
    model = given.access.model
    if model.api not in adapter.apis:
        spoken = ", ".join(sorted(adapter.apis))
        raise InputError(f"The program {used.adapter!r} speaks {spoken}, and its model's endpoint {model.api}.")
    settings: tuple[Setting, ...] = ("temperature", "reasoning_effort")
    for setting in settings:
        if getattr(model, setting) is not None and setting not in adapter.settings:
            raise InputError(f"The program {used.adapter!r} cannot be told the model's {setting}.")
    return Program(adapter, used, Told(model, _inside(given), given.access.token), given.trajectory)


def _inside(given: Given) -> str:
    """Return the base URL of the endpoint as it is seen from inside."""
    if given.access.socket is None:
        return given.access.url
    return SERVICE_URL + urlsplit(given.access.url).path
