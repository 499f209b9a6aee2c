"""Our own words to a model, as data: versioned by their id and known by their digest."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal

from argusic.database.codec import parse

_FILE: Final = "prompt.yaml"
#: What the model may be told of an answer that cannot be worked with.
Trouble = Literal["no_command", "empty", "cut", "refused"]


@dataclass(frozen=True)
class Prompt:
    """The texts.

    Attributes:
        id: Their version.
        sha256: The digest of their file.
        system: The system message.
        tools: What the model may call.
        told: What it is told of what went wrong, by name.
    """

    id: str
    sha256: str
    system: str
    tools: tuple[dict[str, Any], ...]
    told: dict[str, str]

    def trouble(self, trouble: Trouble, report: str) -> str:
        """Return what the model is told of an answer that cannot be worked with."""
        return self.told[trouble].format(report=report).strip()

    def not_run(self, why: str) -> str:
        """Return what the model is told of a call that was not run."""
        return self.told["not_run"].format(why=why)


@cache
def prompt() -> Prompt:
    """Return the texts."""
    data = files(__package__).joinpath(_FILE).read_bytes()
    read = parse(data, file=_FILE)
    return Prompt(
        id=read["id"],
        sha256=hashlib.sha256(data).hexdigest(),
        system=read["system"].strip(),
        tools=tuple(read["tools"]),
        told=read["told"],
    )
