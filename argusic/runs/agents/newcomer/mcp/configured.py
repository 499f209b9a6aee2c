"""Reads from documentation how an MCP server is started: configurations of its clients, and commands to type."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from argusic.runs.agents.newcomer.blocks import Block
from argusic.runs.agents.newcomer.documented import commands

#: Lines that documents put into JSON and that are none.
_ASIDE = re.compile(r"(?m)^\s*(#|//).*$")
#: Values of JSON that one reading looks at, at most.
_MOST = 5_000
#: Words that say which transport a command is of.
_STREAMABLE = re.compile(r"(?i)^(--transport[= ]?)?streamable[-_]?http$|^(--)?http$|^--transport=http$")
_EVENTS = re.compile(r"(?i)^(--transport[= ]?)?sse$|^--sse$")


@dataclass(frozen=True)
class Entry:
    """One way to start a server, as the documentation writes it.

    Attributes:
        words: The command and its arguments.
        env: The environment variables that it names.
        inputs: What a user is asked for, by the name that the arguments call it: its default, or its description.
    """

    words: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)

    @property
    def transport(self) -> str:
        """Which transport its words ask for; `stdio` where none does."""
        if any(_STREAMABLE.search(word) for word in self.words):
            return "streamable-http"
        return "sse" if any(_EVENTS.search(word) for word in self.words) else "stdio"


def entries(blocks: tuple[Block, ...]) -> tuple[Entry, ...]:
    """Return every way to start a server that the blocks show, in order."""
    found: list[Entry] = []
    for block in blocks:
        says = loosely(block.text)
        if says is not None:
            found += _configured(says)
            continue
        for command in commands(block):
            try:
                words = tuple(shlex.split(command.line))
            except ValueError:
                continue
            found += [Entry(words)] if words else []
    return tuple(found)


def loosely(text: str) -> Any:
    """Return what a block of JSON says, forgiving comments, lacking braces and superfluous commas.

    None where it is no JSON.
    """
    plain = _ASIDE.sub("", text).strip()
    if plain.startswith('"'):
        plain = f"{{{plain.rstrip(',')}}}"
    if not plain.startswith(("{", "[")):
        return None
    try:
        return json.loads(re.sub(r",(\s*[}\]])", r"\1", plain))
    except (ValueError, RecursionError):
        return None


def objects(says: Any) -> Iterator[dict[str, Any]]:
    """Return every object in what a block of JSON says, in order, up to a bound."""
    waiting, seen = [says], 0
    while waiting and seen < _MOST:
        one = waiting.pop(0)
        seen += 1
        if isinstance(one, dict):
            yield one
            waiting[:0] = list(one.values())
        elif isinstance(one, list):
            waiting[:0] = one


def _configured(says: Any) -> list[Entry]:
    found = []
    inputs = {
        one["id"]: str(one.get("default") or f"<{one['id']} {one.get('description', '')}>")
        for one in objects(says)
        if isinstance(one.get("id"), str) and one.get("type") in ("promptString", "pickString")
    }
    for one in objects(says):
        told = one["command"] if isinstance(one.get("command"), dict) else one
        command = told.get("command") or told.get("path")
        args, env = told.get("args", []), told.get("env", {})
        if not isinstance(command, str) or not command or ("args" not in told and "command" not in told):
            continue
        words = tuple(str(word) for word in args) if isinstance(args, list) else ()
        named = {k: str(v) for k, v in env.items() if isinstance(k, str)} if isinstance(env, dict) else {}
        found.append(Entry((*command.split(), *words), named, inputs))
    return found
