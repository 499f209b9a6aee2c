"""Reads what the probe wrote down: the server, its tools, and what the calls came to; and judges what that proves."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

#: Names that a sentence gives, at most.
_NAMED = 4
_NETWORK = re.compile(
    r"(?i)fetch failed|getaddrinfo|name resolution|network|unreachable|connect(ion)? (error|refused|reset|timed)|proxy"
)


@dataclass(frozen=True)
class Tool:
    """A tool that a server advertises.

    Attributes:
        name: Its name.
        about: What it says of itself.
        input: The schema of its arguments.
        declares: Whether it declares the schema of its answers.
        task: Whether it can only be called as a task.
    """

    name: str
    about: str
    input: Mapping[str, Any]
    declares: bool
    task: bool


@dataclass(frozen=True)
class Shown:
    """What a server showed when it was asked for its tools.

    Attributes:
        server: Its name and version.
        protocol: The version of the protocol that was agreed on.
        tools: Its tools.
        left_out: How many more it advertises.
    """

    server: str
    protocol: str
    tools: tuple[Tool, ...]
    left_out: int


@dataclass(frozen=True)
class Answer:
    """What one call came to.

    Attributes:
        tool: The tool's name.
        end: `answered`, `error` (the tool's own), `refused` (by the protocol), `contradicts`, `silent`, `gone` or
            `unfit`.
        valid: Whether the answer is what the tool's schema declares.
        came_out: What went into this call and came out of it.
        came_back: What went into earlier calls and came out of this one.
        says: What it says.
    """

    tool: str
    end: str
    valid: bool = False
    came_out: tuple[str, ...] = ()
    came_back: tuple[str, ...] = ()
    says: str = ""

    @property
    def decoded(self) -> bool:
        """Whether it was compared with something and agreed."""
        return self.end == "answered" and bool(self.valid or self.came_out or self.came_back)


@dataclass(frozen=True)
class Judged:
    """What all the answers come to.

    Attributes:
        answers: The answers.
        uncalled: Tools that were not called, as a sentence says why.
    """

    answers: tuple[Answer, ...]
    uncalled: tuple[str, ...] = field(default=())

    @property
    def verified(self) -> bool:
        """Whether answers were decoded and none contradicts what its tool declares."""
        return any(one.decoded for one in self.answers) and not any(one.end == "contradicts" for one in self.answers)

    @property
    def sentence(self) -> str:
        """What came of the calls."""
        answered = [one for one in self.answers if one.end == "answered"]
        said = [f"{len(answered)} of {len(self.answers)} tools that were called answered"]
        valid = sum(one.valid for one in answered)
        back = next((one for one in answered if one.came_back), None)
        out = next((one for one in answered if one.came_out), None)
        if valid:
            said.append(f"{valid} as the schemas that they declare say")
        if back:
            what = clean(max(back.came_back, key=len), 60)
            said.append(f"{named(back.tool)} gave back “{what}”, which went into an earlier call")
        elif out:
            said.append(f"{named(out.tool)} held “{clean(max(out.came_out, key=len), 60)}”, which went in")
        return "; ".join(said) + "." + "".join(f" {one}" for one in (*self._missing(), *self.uncalled))

    def _missing(self) -> Iterator[str]:
        network = [one for one in self.answers if one.end in ("error", "refused") and _NETWORK.search(one.says)]
        refused = [one for one in self.answers if one.end in ("error", "refused") and one not in network]
        unfit = [one for one in self.answers if one.end == "unfit"]
        if network:
            yield f"What {_listed(network)} asked for on the network could not be reached."
        if refused:
            yield f"{_listed(refused)} answered with an error to what was made up: {clean(refused[0].says, 100)}."
        if unfit:
            yield f"No arguments that fit could be made for {_listed(unfit)}."


def shown(output: str) -> Shown | None:
    """Return what the probe was shown; None where it was shown nothing."""
    server = next(_lines("server", output), None)
    if server is None:
        return None
    tools = tuple(
        Tool(
            name=str(one.get("name", "")),
            about=str(one.get("about", "")),
            input=one["input"] if isinstance(one.get("input"), dict) else {},
            declares=bool(one.get("output")),
            task=bool(one.get("task")),
        )
        for one in _lines("tool", output)
    )
    more = re.search(r"^left out: (\d{1,9})$", output, re.MULTILINE)
    name = f"{clean(str(server.get('name', '')), 60)} {clean(str(server.get('version', '')), 30)}".strip()
    return Shown(
        name or "a server without a name", clean(str(server.get("protocol")), 20), tools, int(more[1]) if more else 0
    )


def answers(output: str) -> tuple[Answer, ...]:
    """Return what the calls came to, in order."""
    return tuple(
        Answer(
            tool=str(one.get("tool", "")),
            end=str(one.get("end", "")),
            valid=bool(one.get("valid")),
            came_out=_texts(one.get("came_out")),
            came_back=_texts(one.get("came_back")),
            says=str(one.get("says", "")),
        )
        for one in _lines("answer", output)
    )


def named(tool: str) -> str:
    """Return a tool's name as a sentence quotes it. What is no letter, digit or plain sign becomes a question mark."""
    plain = re.sub(r"[^\w./:-]", "?", tool, flags=re.ASCII)
    return f"`{plain if len(plain) <= 60 else plain[:59] + '…'}`"


def clean(text: str, limit: int) -> str:
    """Return a server's words as one line of plain text."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return plain if len(plain) <= limit else f"{plain[: limit - 1]}…"


def _listed(answers: list[Answer]) -> str:
    names = [named(one.tool) for one in answers[:_NAMED]]
    more = len(answers) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(one) for one in value) if isinstance(value, list) else ()


def _lines(word: str, output: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects that the probe wrote after `word`."""
    for line in output.splitlines():
        if line.startswith(f"{word}: "):
            try:
                says = json.loads(line.partition(": ")[2])
            except (ValueError, RecursionError):
                continue
            if isinstance(says, dict):
                yield says
