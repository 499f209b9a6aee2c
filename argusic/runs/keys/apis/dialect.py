"""What the gateway must know of a protocol: its routes, what in a request costs money, and where the usage stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from argusic.records.configuration import Api, ModelUsed
from argusic.records.usage import tokens_said
from argusic.runs.keys.ledger import Tokens

#: A JSON object.
Json = dict[str, Any]
#: Why the gateway does not forward a request, or why it has no answer to it.
Reason = Literal["token", "route", "model", "request", "large", "spent", "busy", "server", "late", "ours"]


class Refusal(Exception):
    """The gateway answers by itself, with an error in the shape of the protocol.

    Args:
        reason: Its class.
        what: One sentence for whoever asked.
        after: The seconds after which asking again makes sense; None where it does not.
    """

    def __init__(self, reason: Reason, what: str, after: int | None = None) -> None:
        super().__init__(what)
        self.reason = reason
        self.what = what
        self.after = after


@dataclass
class Dropped:
    """What was taken out of a request."""

    images: int = 0
    tools: int = 0


class Heard(Protocol):
    """A streamed answer, put together as it comes."""

    def hear(self, data: Json) -> None:
        """Take one event."""

    def tokens(self) -> Tokens | None:
        """Return what the server says that the exchange took; None until it has said its last word on it."""

    def answer(self) -> Json:
        """Return the answer as it would have come unstreamed, as far as it was heard."""


class Dialect(Protocol):
    """One protocol."""

    name: Api
    answers: str
    """The route, below the version, that asks the model for an answer."""
    counts: frozenset[str]
    """Routes that ask the server to count tokens, which costs nothing."""
    conversation: str
    """The field that holds the conversation."""
    repeated: frozenset[str]
    """Fields of an answer that repeat the request, and need not be written down once more."""

    def clean(self, body: Json, dropped: Dropped) -> Json:
        """Return a request with nothing in it but text and what the gateway can account for.

        Raises:
            Refusal: It asks for something that nobody could account for.
        """

    def bound(self, body: Json, model: ModelUsed) -> int:
        """Return the most tokens that the answer can have, setting the limit where the request has none.

        Raises:
            Refusal: The limit is no number.
        """

    def headers(self, key: str | None) -> dict[str, str]:
        """Return the headers that show the server a key."""

    def error(self, refusal: Refusal) -> tuple[int, Json]:
        """Return the status and the body of an error."""

    def tokens(self, answer: Json) -> Tokens | None:
        """Return what an unstreamed answer says that the exchange took, or None where it does not say."""

    def heard(self) -> Heard:
        """Begin to hear a streamed answer."""

    def unasked(self, data: Json, asked: Json) -> bool:
        """Whether an event of a stream is there because of the gateway alone, and not for the client."""

    def entry(self, model: str) -> Json:
        """Return a model's entry in the list of models."""

    def listing(self, entries: list[Json]) -> Json:
        """Return the list of models."""


def kept(body: Json, fields: str) -> Json:
    """Return the fields of a request that are set and among the known ones, which are named in one text."""
    known = frozenset(fields.split())
    return {name: value for name, value in body.items() if name in known and value is not None}


def limit(body: Json, *names: str) -> int | None:
    """Return the largest of the limits that a request sets, or None where it sets none.

    Raises:
        Refusal: One is no whole number above zero.
    """
    given = [body[name] for name in names if body.get(name) is not None]
    for value in given:
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise Refusal("request", f"{' or '.join(names)} must be a whole number above zero.")
    return max(given, default=None)


def count(usage: Any, *names: str) -> int | None:
    """Return a number of tokens that lies in a usage below `names`, or None where it holds none there."""
    for name in names[:-1]:
        usage = usage.get(name) if isinstance(usage, dict) else None
    return tokens_said(usage.get(names[-1])) if isinstance(usage, dict) else None
