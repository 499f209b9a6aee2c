"""Reads a Dockerfile: its instructions, continuation lines joined, in the order in which they are followed."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass

_INSTRUCTION = re.compile(r"^\s*([A-Za-z]+)\s+(.*)$", re.DOTALL)
_HERE = re.compile(r"<<-?\s*[\"']?(\w+)[\"']?")
#: No Dockerfile that a person wrote has more.
MAX_INSTRUCTIONS = 300


@dataclass(frozen=True)
class Instruction:
    """One instruction.

    Attributes:
        name: Its name, in capitals.
        rest: What follows it.
    """

    name: str
    rest: str

    @property
    def words(self) -> tuple[str, ...]:
        """Its words: of the JSON form where it is written so, and otherwise as a shell splits them."""
        listed = self.listed
        if listed is not None:
            return listed
        try:
            return tuple(shlex.split(self.rest))
        except ValueError:
            return tuple(self.rest.split())

    @property
    def listed(self) -> tuple[str, ...] | None:
        """The words of its JSON form; None where it is not written so."""
        text = self.rest.strip()
        if not text.startswith("["):
            return None
        try:
            said = json.loads(text)
        except (ValueError, RecursionError):
            return None
        return tuple(said) if isinstance(said, list) and all(isinstance(one, str) for one in said) else None


def instructions(text: str) -> tuple[Instruction, ...]:
    """Return the instructions of a Dockerfile. What is none is passed over."""
    found: list[Instruction] = []
    lines = iter(text.splitlines())
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        whole = line
        while whole.rstrip().endswith("\\"):
            following = next((one for one in lines if not one.lstrip().startswith("#")), "")
            whole = f"{whole.rstrip()[:-1]} {following.strip()}"
        match = _INSTRUCTION.match(whole)
        if match is None:
            continue
        here = _HERE.search(match[2]) if match[1].upper() in ("RUN", "COPY", "ADD") else None
        body: list[str] = []
        if here is not None:
            for inside in lines:
                body.append(inside)
                if inside.strip() == here[1]:
                    break
        found.append(Instruction(match[1].upper(), "\n".join([match[2].strip(), *body])))
        if len(found) == MAX_INSTRUCTIONS:
            break
    return tuple(found)
