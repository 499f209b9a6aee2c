"""A request made ready to be forwarded: read, cleaned, and with the most that it can take."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from argusic.records.configuration import ModelUsed
from argusic.runs.keys.apis.dialect import Dialect, Dropped, Json, Refusal

#: Tokens that servers add to a prompt of their own: how tools are described to the model, marks between messages.
ADDED: Final = 4096
#: Levels of lists and objects that a request may have: what is deeper could not be written down.
DEEPEST: Final = 64


@dataclass(frozen=True)
class Prepared:
    """A request that may be forwarded.

    Attributes:
        route: Below the version.
        asked: What the client sent.
        body: What is forwarded.
        data: The same, as bytes.
        dropped: What was taken out.
        answer: The most tokens that the answer can have; 0 where none is asked for.
        prompt: The most tokens that the prompt can have.
        keeps: Whether the prompt may be put into a cache.
    """

    route: str
    asked: Json
    body: Json
    data: bytes
    dropped: Dropped
    answer: int
    prompt: int
    keeps: bool


def prepare(dialect: Dialect, model: ModelUsed, route: str, data: bytes) -> Prepared:
    """Return a request as it may be forwarded.

    Raises:
        Refusal: It is none of the protocol, for another model, or asks for what nobody could account for.
    """
    asked = _read(data)
    if asked.get("model") != model.name:
        raise Refusal("model", f"This key is for the model {model.name} alone.")
    dropped = Dropped()
    body = dialect.clean(asked, dropped)
    answer = dialect.bound(body, model) if route == dialect.answers else 0
    written = _write(body)
    return Prepared(
        route=route,
        asked=asked,
        body=body,
        data=written,
        dropped=dropped,
        answer=answer,
        # No tokenizer makes more tokens of a text than it has bytes, and no model reads more than it has room for.
        prompt=min(len(written) + ADDED, model.context_tokens),
        keeps=b'"cache_control"' in written,
    )


def _read(data: bytes) -> Json:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise Refusal("request", "The body is no JSON.") from None
    if not isinstance(found, dict):
        raise Refusal("request", "The body is no JSON object.")
    if _deeper(found, DEEPEST):
        raise Refusal("request", f"The body is nested more than {DEEPEST} levels deep.")
    return found


def _deeper(value: Any, levels: int) -> bool:
    """Return whether JSON data has more levels of lists and objects."""
    if not isinstance(value, dict | list):
        return False
    items = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_deeper(item, levels - 1) for item in items)


def _write(body: Json) -> bytes:
    try:
        try:
            return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        except UnicodeEncodeError:  # Half of a character; JSON can say it, UTF-8 cannot.
            return json.dumps(body, allow_nan=False, separators=(",", ":")).encode()
    except (ValueError, RecursionError):
        raise Refusal("request", "The body holds something that JSON does not know.") from None
