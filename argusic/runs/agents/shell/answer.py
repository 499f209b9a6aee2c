"""An answer of a model, gathered from the chunks of a stream or from a body that came whole.

Servers differ in everything that the protocol leaves open, so nothing here takes a shape for granted: what is not as
it should be is passed over, and what an answer lacks is for the agent to see.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from argusic.records.trajectory import Metrics
from argusic.records.usage import tokens_said

#: The fields in which servers show what a model thinks.
REASONING_FIELDS: Final = ("reasoning_content", "reasoning")
#: The most characters of one answer; whoever says more is cut off.
MOST_CHARACTERS: Final = 1_000_000
#: The most calls of one answer that are looked at.
MOST_CALLS: Final = 64


@dataclass(frozen=True)
class Called:
    """A call, as the model made it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Answer:
    """An answer.

    Attributes:
        text: What the model says.
        reasoning: What it thinks aloud, where the server shows that.
        reasoning_field: In which field it did.
        calls: What it calls.
        refusal: How it refuses, where the server tells that apart.
        finish: Why it ended, as the server says.
        usage: What it took, as the server says.
        tries: How often it had to be asked for.
        waited: Seconds that went by before it was asked for the last time.
        seconds: How long it then took.
    """

    text: str = ""
    reasoning: str = ""
    reasoning_field: str = ""
    calls: tuple[Called, ...] = ()
    refusal: str = ""
    finish: str = ""
    usage: Metrics | None = None
    tries: int = 1
    waited: float = 0.0
    seconds: float = 0.0

    def timed(self, *, tries: int, waited: float, seconds: float) -> Answer:
        """Return it with how it came about."""
        return replace(self, tries=tries, waited=waited, seconds=seconds)


@dataclass
class _Call:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class Gathering:
    """An answer in the making.

    Attributes:
        full: Whether it holds as much as an answer may.
        finish: Why the answer ended; empty as long as it has not.
        has_choice: Whether anything came that could be an answer.
    """

    def __init__(self) -> None:
        self.full = False
        self.finish = ""
        self.has_choice = False
        self._room = MOST_CHARACTERS
        self._said: dict[str, list[str]] = {}
        self._calls: dict[int, _Call] = {}
        self._usage: Metrics | None = None

    def add(self, data: Mapping[str, Any]) -> None:
        """Take a chunk, or a whole body."""
        self._usage = usage_of(data.get("usage")) or self._usage
        choices = data.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return
        self.has_choice = True
        said = choice.get("delta") or choice.get("message")
        if isinstance(said, dict):
            self._add_said(said)
        if isinstance(finish := choice.get("finish_reason"), str):
            self.finish = finish

    def answer(self) -> Answer:
        """Return what was gathered."""
        thought = next((name for name in REASONING_FIELDS if self._said.get(name)), "")
        return Answer(
            text=self._whole("content"),
            reasoning=self._whole(thought),
            reasoning_field=thought,
            calls=tuple(Called(call.id, call.name, "".join(call.arguments)) for _, call in sorted(self._calls.items())),
            refusal=self._whole("refusal"),
            finish="length" if self.full else self.finish,
            usage=self._usage,
        )

    def _whole(self, name: str) -> str:
        return "".join(self._said.get(name, ()))

    def _add_said(self, said: Mapping[str, Any]) -> None:
        for name in ("content", "refusal", *REASONING_FIELDS):
            if text := _text(said.get(name)):
                self._said.setdefault(name, []).append(self._fitting(text))
        calls = said.get("tool_calls")
        for number, call in enumerate(calls if isinstance(calls, list) else ()):
            if isinstance(call, dict):
                self._add_call(number, call)

    def _add_call(self, number: int, call: Mapping[str, Any]) -> None:
        at = call.get("index", number)
        if not isinstance(at, int) or (at not in self._calls and len(self._calls) >= MOST_CALLS):
            return
        known = self._calls.setdefault(at, _Call())
        if isinstance(name := call.get("id"), str):
            known.id = known.id or name
        function = call.get("function")
        if not isinstance(function, dict):
            return
        if isinstance(name := function.get("name"), str) and name != known.name:
            known.name += self._fitting(name)
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            known.arguments.append(self._fitting(arguments))

    def _fitting(self, text: str) -> str:
        fits = text[: self._room]
        self._room -= len(fits)
        self.full = self.full or len(fits) < len(text)
        return fits


def _text(value: Any) -> str:
    """Return text that some servers give in parts. A part that is no text is none of ours."""
    if isinstance(value, list):
        return "".join(_text(part.get("text")) for part in value if isinstance(part, dict))
    return value if isinstance(value, str) else ""


def usage_of(value: Any) -> Metrics | None:
    """Return what a server says that an exchange took, or None where it does not say."""
    if not isinstance(value, dict):
        return None
    details = value.get("prompt_tokens_details")
    read, written = tokens_said(value.get("prompt_tokens")), tokens_said(value.get("completion_tokens"))
    if read is None and written is None:
        return None
    cached = tokens_said(details.get("cached_tokens")) if isinstance(details, dict) else None
    return Metrics(prompt_tokens=read, completion_tokens=written, cached_tokens=cached)
