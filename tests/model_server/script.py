"""What the server says: a reply, and scripts that choose one by what was asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.model_server.asked import Asked


@dataclass(frozen=True)
class Call:
    """A tool that the model calls."""

    name: str
    arguments: Mapping[str, Any]
    custom: bool = False
    """Of the responses protocol: a custom tool, whose input is the text under `input`."""


@dataclass(frozen=True)
class Usage:
    """What the server says that an exchange took, in tokens. `input` includes what was cached."""

    input: int
    output: int
    cached: int = 0
    cache_written: int = 0


@dataclass(frozen=True)
class Reply:
    """One answer.

    Attributes:
        text: What the model says.
        calls: The tools it calls.
        reasoning: What it thinks aloud.
        usage: What the exchange takes; counted by length where None. A function is told what was asked.
        tells_usage: Whether the answer says it.
        status: Another status than 200 makes it an error in the protocol's own shape.
        error: The error's message.
        headers: Headers beside the usual ones.
        delay: Seconds before the first byte.
        pause: Seconds between two pieces of a stream.
        cut_after: Cut the connection after so many pieces: events of a stream, else tenths of the body.
        finish: Why the answer ends, where it is neither its end nor a tool call.
        raw: A body to be sent as it is, with the status, whatever the protocol says.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    reasoning: str = ""
    usage: Usage | Callable[[Asked], Usage] | None = None
    tells_usage: bool = True
    status: int = 200
    error: str = "the server was told to fail"
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0
    pause: float = 0
    cut_after: int | None = None
    finish: Literal["length", "refusal"] | None = None
    raw: bytes | None = None

    def used(self, asked: Asked) -> Usage:
        """Return what the exchange takes: never more output than was asked for."""
        if callable(self.usage):
            return self.usage(asked)
        if self.usage is not None:
            return self.usage
        said = len(self.text) + len(self.reasoning) + sum(len(str(call.arguments)) + 8 for call in self.calls)
        return Usage(max(1, asked.size // 4), min(max(1, said // 4), asked.max_tokens or said))


#: Chooses the reply to what was asked. Called from many threads.
Script = Callable[[Asked], Reply]


def always(reply: Reply) -> Script:
    """Say the same, whatever is asked."""
    return lambda asked: reply


def in_order(*replies: Reply) -> Script:
    """Give the replies one after the other, whoever asks; then an error."""
    left = list(replies)
    lock = threading.Lock()

    def choose(asked: Asked) -> Reply:
        with lock:
            return left.pop(0) if left else Reply(status=500, error="the script is at its end")

    return choose


def by_turn(*replies: Reply) -> Script:
    """Give the reply that the conversation has come to: the same again to who asks the same again; then the last."""
    return lambda asked: replies[min(asked.turn, len(replies) - 1)]
