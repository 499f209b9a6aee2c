"""What there is to know of an agent program that is used as it is: the contract of the adapters beside this file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

from argusic.records.configuration import Api, ModelUsed
from argusic.runs.agents.programs.conversation import Conversation
from argusic.sandbox.protocol import HOME_FOLDER

#: Where the mission lies inside, as text.
MISSION_PATH: Final = f"{HOME_FOLDER}/mission.md"

#: A setting of the model that a program can be told of.
Setting = Literal["temperature", "reasoning_effort"]


@dataclass(frozen=True)
class Told:
    """What a program is told.

    Attributes:
        model: The model.
        url: The base URL of its endpoint as seen from inside, up to and including the version.
        token: What authorises the run.
    """

    model: ModelUsed
    url: str
    token: str = field(repr=False)

    @property
    def server(self) -> str:
        """The endpoint without the version, as Anthropic's own programs want it."""
        return self.url.removesuffix("/").removesuffix("/v1")


@dataclass(frozen=True)
class Start:
    """How a program is started.

    Attributes:
        command: The line for bash. It is recorded and published: key and model come in by variables.
        environment: The environment variables of that line alone.
        prepare: Lines that are run before it, recorded as well.
    """

    command: str
    environment: Mapping[str, str] = field(repr=False)
    prepare: tuple[str, ...] = ()


class Adapter(Protocol):
    """One agent program."""

    apis: frozenset[Api]
    """The protocols that it speaks to its model."""
    settings: frozenset[Setting]
    """The settings of the model that it can be told of."""
    trajectory: str | None
    """A shell pattern of the file in which it writes down what it did, if it does."""

    def install(self, version: str) -> str | None:
        """Return the line for bash that puts a version in place; None where there is nothing to do."""

    def start(self, told: Told) -> Start:
        """Return how it is started."""

    def unwrap(self, line: str) -> str:
        """Return the command that a command line holds which the program gives to a shell; the line where it is all."""

    def read(self, data: bytes, into: Conversation) -> None:
        """Read what it wrote down of itself. What was read before anything is raised counts.

        Raises:
            Exception: It is not what such a program writes.
        """
