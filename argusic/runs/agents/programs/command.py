"""Any other agent program: installed and started by two lines that its configuration gives.

The lines are told what they need by variables: `ARGUSIC_MISSION` (the path of the mission's text), `ARGUSIC_URL` (the
endpoint, up to the version), `ARGUSIC_SERVER` (without it), `ARGUSIC_MODEL`, `ARGUSIC_KEY`, `ARGUSIC_MAX_TOKENS`,
`ARGUSIC_VERSION`. The line that installs is told the version alone.
"""

from __future__ import annotations

from argusic.errors import InputError
from argusic.records.configuration import Api, ProgramUsed
from argusic.runs.agents.programs.adapter import MISSION_PATH, Setting, Start, Told
from argusic.runs.agents.programs.conversation import Conversation


class Command:
    """The adapter of a program that has none; implements `Adapter`.

    Args:
        used: The program with its lines.

    Raises:
        InputError: There is no line that starts it.
    """

    apis: frozenset[Api] = frozenset(("openai_chat", "openai_responses", "anthropic_messages"))
    settings: frozenset[Setting] = frozenset()
    trajectory: str | None = None

    def __init__(self, used: ProgramUsed) -> None:
        if used.command is None:
            raise InputError(
                "The configuration's program has no command that starts it.",
                advice="Give `program.command`, a line for bash, or name an adapter.",
            )
        self._command = used.command
        self._install = used.install
        self._version = used.version

    def install(self, version: str) -> str | None:
        """Return the line that puts it in place."""
        return self._install

    def start(self, told: Told) -> Start:
        """Return how it is started."""
        environment = {
            "ARGUSIC_KEY": told.token,
            "ARGUSIC_MAX_TOKENS": str(told.model.max_tokens),
            "ARGUSIC_MISSION": MISSION_PATH,
            "ARGUSIC_MODEL": told.model.name,
            "ARGUSIC_SERVER": told.server,
            "ARGUSIC_URL": told.url,
            "ARGUSIC_VERSION": self._version,
        }
        return Start(self._command, environment)

    def unwrap(self, line: str) -> str:
        """Return the line: how it wraps its commands is not known."""
        return line

    def read(self, data: bytes, into: Conversation) -> None:
        """There is nothing to read."""
