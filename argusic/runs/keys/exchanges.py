"""Every exchange with the model as evidence: what it was sent and what it answered, one JSON line each.

A conversation is sent whole with each request, so writing requests whole would grow with its square. Each is written
from the first message on that differs from an earlier one, which it names; `read` puts them together again. No key
is ever in it.
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from argusic.evidence.livefile import LiveFile
from argusic.evidence.trajectory import writable
from argusic.records.base import format_time
from argusic.runs.keys.apis.dialect import Json

#: How many requests back an earlier one is looked for: programs hold a few conversations at a time.
_BACK: Final = 16
#: More is not kept of one run, in bytes, nor more requests that were refused.
MOST_BYTES: Final = 512 << 20
MOST_REFUSED: Final = 10_000


@dataclass(frozen=True)
class _Earlier:
    exchange: int
    digests: list[bytes]
    settings: dict[str, bytes]


class ExchangeLog:
    """The file, written as things happen. For one thread.

    Args:
        path: Where. It must not exist.
        secrets: What must not be in it, each with the words that stand in its place.
    """

    def __init__(self, path: Path, secrets: Mapping[str, str]) -> None:
        self._file = LiveFile(path)
        self._secrets = {json.dumps(secret)[1:-1]: words for secret, words in secrets.items()}
        self._earlier: deque[_Earlier] = deque(maxlen=_BACK)
        self._count = 0
        self._refused = 0

    @property
    def full(self) -> bool:
        """Whether no more is kept of the run."""
        return self._file.size > MOST_BYTES

    def request(self, route: str, body: Json, conversation: str, facts: Json) -> int:
        """Write what is about to be sent, and return the exchange's number.

        Args:
            route: Where it goes, below the version.
            body: What is sent.
            conversation: The field that holds the conversation.
            facts: What else is to be said of it.

        Raises:
            WriteFailed: The disk is full or fails.
        """
        self._count += 1
        held = body.get(conversation)
        messages = held if isinstance(held, list) else []
        settings = {name: value for name, value in body.items() if name != conversation or value is not messages}
        now = _Earlier(
            self._count,
            [_digest(message) for message in messages],
            {name: _digest(value) for name, value in settings.items()},
        )
        told: Json = {"route": route, **facts}
        same = 0
        if self._earlier:
            shared = [(_shared(now.digests, earlier.digests), earlier) for earlier in self._earlier]
            same, base = max(shared, key=lambda one: (one[0], one[1].exchange))
            told["after"] = {"exchange": base.exchange, "messages": same}
            settings = {name: settings[name] for name in settings if now.settings[name] != base.settings.get(name)}
            if gone := sorted(base.settings.keys() - now.settings.keys()):
                told["without"] = gone
        self._write({"request": {**told, "conversation": conversation, "settings": settings, "new": messages[same:]}})
        self._earlier.append(now)
        return self._count

    def answer(self, exchange: int, facts: Json) -> None:
        """Write what became of an exchange.

        Raises:
            WriteFailed: The disk is full or fails.
        """
        self._write({"answer": facts}, exchange)

    def refused(self, facts: Json) -> None:
        """Write that a request was not sent; the first ten thousand of them.

        Raises:
            WriteFailed: The disk is full or fails.
        """
        self._refused += 1
        if self._refused > MOST_REFUSED:
            return
        self._count += 1
        self._write({"refused": facts})

    def close(self) -> None:
        """Close the file. Safe to call twice."""
        self._file.close()

    def _write(self, told: Json, exchange: int | None = None) -> None:
        head = {"exchange": exchange or self._count, "at": format_time(datetime.now(UTC))}
        line = json.dumps(writable({**head, **told}), separators=(",", ":"))
        for secret, words in self._secrets.items():
            line = line.replace(secret, words)
        self._file.append(line.encode() + b"\n")


@dataclass(frozen=True)
class Exchange:
    """One exchange, put together again.

    Attributes:
        number: Its number.
        request: What was sent.
        answer: What became of it; None where it was in flight when the file ends.
    """

    number: int
    request: Json
    answer: Json | None


def read(path: Path) -> Iterator[Exchange]:
    """Yield every exchange of a file that was sent, in the order of the requests."""
    lines = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    answers = {line["exchange"]: line["answer"] for line in lines if "answer" in line}
    conversations: dict[int, list[Any]] = {}
    settings: dict[int, Json] = {}
    for line in lines:
        if (told := line.get("request")) is None:
            continue
        number = line["exchange"]
        base = told.get("after", {"exchange": 0, "messages": 0})
        conversations[number] = [*conversations.get(base["exchange"], [])[: base["messages"]], *told["new"]]
        kept = {k: v for k, v in settings.get(base["exchange"], {}).items() if k not in told.get("without", ())}
        settings[number] = {**kept, **told["settings"]}
        held = {} if told["conversation"] in settings[number] else {told["conversation"]: conversations[number]}
        yield Exchange(number, {**settings[number], **held}, answers.get(number))


def _digest(value: Any) -> bytes:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).digest()


def _shared(one: list[bytes], other: list[bytes]) -> int:
    """Return how many messages two conversations have in common from their beginning."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
