"""The lines of an image's description, in order: what prepares, what runs the image, and what asks it something."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from argusic.runs.agents.newcomer.arranging import is_probe
from argusic.runs.agents.newcomer.blocks import Block
from argusic.runs.agents.newcomer.documented import commands
from argusic.runs.agents.newcomer.knowledge import Samples
from argusic.runs.agents.newcomer.pages import local_urls

#: What a line does: makes something, fetches the image, runs it to its end, keeps it running, or asks what runs.
Does = Literal["prepare", "pull", "run", "keep", "ask"]

_ENGINE = re.compile(r"^(?:sudo )?(?:docker|podman)(?: container| image)? (?P<what>[a-z]+)\b")
_DETACHED = re.compile(r"(?<!\S)(?:-[a-zA-Z]*d[a-zA-Z]*|--detach)(?!\S)")
_PUBLISHES = re.compile(r"(?<!\S)(?:-p\s*|-[a-oq-zA-Z]+p\s+|--publish[= ])(?P<port>\S+)")
_PREPARES = re.compile(r"^(?:mkdir|echo|printf|cat|touch|cp)\b")
_ASKS = re.compile(r"^(?:curl|wget)\b")
_FILE = re.compile(r"`(?P<name>[\w-]+(?:/[\w-]+)*\.\w{1,8}|[A-Z][a-z]+file)`")
_SHELL = frozenset({"sh", "bash", "shell", "console", "shell-session", "zsh"})
_PLACE = re.compile(r"(?<![\w.])/?(?:some|your|path/to|my)(?:/path)?/(?=[\w.-]+:/)")
_VALUES = re.compile(r"(?:-e|--env)[ =]+(?:\"[^\"]*\"|'[^']*'|\S+)")


@dataclass(frozen=True)
class Line:
    """One command line.

    Attributes:
        line: As it is typed.
        does: What it does.
        shown: What the description shows that it prints.
        addresses: Ports and paths of this machine that the description names around it, and in it.
    """

    line: str
    does: Does
    shown: str = ""
    addresses: tuple[tuple[int, str], ...] = ()

    @property
    def port(self) -> int | None:
        """The port of this machine that what runs is reached at, as far as the line says."""
        match = _PUBLISHES.search(self.line)
        parts = match["port"].strip("\"'").partition("/")[0].split(":") if match else []
        if len(parts) > 1 and parts[-2].isdigit():
            return int(parts[-2])
        return next((port for port, _ in self.addresses), None)

    @property
    def name(self) -> str | None:
        """The name that it gives the container."""
        match = re.search(r"--name[= ](\S+)", self.line)
        return match[1] if match else None


def lines_of(told: Iterable[Block], samples: Samples) -> tuple[Line, ...]:
    """Return the lines that a newcomer types, in order, each once."""
    found: dict[str, Line] = {}
    for block in told:
        around = local_urls("\n".join((block.before, block.text, block.after)))
        for command in commands(block):
            line = _PLACE.sub("$PWD/", re.sub(r"^(?:sudo )?(?:docker|podman)\b", "docker", command.line))
            does = _does(line)
            if does is None or _is_beyond(line, samples):
                continue
            found.setdefault(line, Line(line, does, command.shown, around))
    return tuple(found.values())


def files_of(told: Iterable[Block]) -> dict[str, str]:
    """Return the files that a description has its reader write, by name: those that it names right before the block."""
    found: dict[str, str] = {}
    for block in told:
        last = re.split(r"(?<=[.!?])\s+(?=[A-Z])", block.before)[-1]
        names = _FILE.findall(last)
        if names and block.language not in _SHELL and not _ENGINE.match(block.text):
            found.setdefault(names[-1], block.text)
    return found


def folders_shown(line: str) -> tuple[str, ...]:
    """Return the folders of this machine that a line shows in the image, as it writes them, without the current one."""
    said = re.findall(r"(?:-v|--volume)[ =]+(\"[^\"]*\"|'[^']*'|\S+)", line)
    outside = [one.strip("\"'").partition(":")[0] for one in said]
    return tuple(one for one in outside if re.match(r"(?:\.|\$PWD|\$\(pwd\)|\$\{PWD\})/[\w./-]+$", one))


def texts_in(text: str) -> tuple[str, ...]:
    """Return what in a text is telling enough to be known again, the longest first: phrases, then words and numbers."""
    pieces = re.split(r"[\n\"'`;={}()\[\]]+", re.sub(r"<[^>]*>", "\n", text))
    phrases = [one.strip() for one in pieces if re.fullmatch(r"\s*\w+[ ,.:]+[\w ,.!?:@-]{4,60}", one)]
    words = re.findall(r"[A-Za-z][\w@.-]{4,40}(?<!\.)|\d{3,}", " ".join(pieces))
    return tuple(dict.fromkeys([*sorted(phrases, key=len, reverse=True), *sorted(words, key=len, reverse=True)]))


def written_by(line: str) -> tuple[str, ...]:
    """Return what a line puts into a file: what is telling in its longer arguments."""
    try:
        words = shlex.split(line)[1:]
    except ValueError:
        return ()
    return tuple(text for word in words if " " in word for text in texts_in(word))


def given_by(line: str) -> tuple[str, ...]:
    """Return what a line that runs an image hands to it: values of variables, then its arguments."""
    values = [one.partition("=")[2].strip("\"'") for said in _VALUES.findall(line) for one in [said[2:].lstrip(" =")]]
    try:
        words = shlex.split(line)
    except ValueError:
        words = []
    phrases = [word for word in words if " " in word]
    return tuple(dict.fromkeys(one for one in [*phrases, *values] if len(one) >= 4))


def is_question(line: str) -> bool:
    """Return whether a line that runs an image only asks it for help or its version."""
    return is_probe(re.sub(r"(?<!\S)-v(?= \S)", "--volume", line))


def _does(line: str) -> Does | None:
    engine = _ENGINE.match(line)
    if engine:
        if engine["what"] == "run":
            keeps = _DETACHED.search(line.partition(" run ")[2]) or _PUBLISHES.search(line)
            return "keep" if keeps else "run"
        return {"pull": "pull", "exec": "ask", "logs": "ask"}.get(engine["what"])  # type: ignore[return-value]
    if _ASKS.match(line):
        return "ask" if local_urls(line) else None
    return "prepare" if _PREPARES.match(line) else None


def _is_beyond(line: str, samples: Samples) -> bool:
    """Return whether a line wants what a newcomer has not, the engine itself aside."""
    plain = re.sub(r"\b(docker|podman)\b|--publish\b|(?<=:)/dev/shm", " ", line)
    return any(re.search(expression, plain) for expression in samples.beyond)
