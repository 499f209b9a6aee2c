"""Anthropic's messages."""

from __future__ import annotations

import json
from typing import Any, Final

from argusic.records.configuration import Api, ModelUsed
from argusic.runs.keys.apis.cleaning import clean_tools, cleaned_parts, messages
from argusic.runs.keys.apis.dialect import Dropped, Heard, Json, Reason, Refusal, count, kept, limit
from argusic.runs.keys.ledger import Tokens

#: The version of the protocol, where a client does not say it.
VERSION: Final = "2023-06-01"
#: What a request may say. Not among it: dearer classes of service, speeds and places, servers of tools, containers.
_FIELDS: Final = (
    "model messages system max_tokens stop_sequences stream temperature top_p top_k tools tool_choice thinking "
    "metadata output_config output_format cache_control context_management"
)
_TEXT: Final = frozenset({"text", "thinking", "redacted_thinking", "tool_use", "tool_result", "search_result"})
#: Kinds of tools that are the maker's in name alone: the agent runs them.
_HERE: Final = ("bash_", "text_editor_", "memory_")
_ERRORS: Final[dict[Reason, tuple[int, str]]] = {
    "token": (401, "authentication_error"),
    "route": (404, "not_found_error"),
    "model": (404, "not_found_error"),
    "request": (400, "invalid_request_error"),
    "large": (413, "request_too_large"),
    "spent": (402, "billing_error"),
    "busy": (429, "rate_limit_error"),
    "server": (502, "api_error"),
    "late": (504, "timeout_error"),
    "ours": (500, "api_error"),
}


class Anthropic:
    """The protocol."""

    name: Api = "anthropic_messages"
    answers = "messages"
    counts = frozenset({"messages/count_tokens"})
    conversation = "messages"
    repeated: frozenset[str] = frozenset()

    def clean(self, body: Json, dropped: Dropped) -> Json:
        """Return a request of text alone."""
        made = kept(body, _FIELDS)
        made["messages"] = [
            {**message, "content": cleaned_parts(message.get("content"), _TEXT, "text", dropped)}
            for message in messages(body, "messages")
        ]
        if "system" in made:
            made["system"] = cleaned_parts(made["system"], _TEXT, "text", dropped)
        clean_tools(made, _runs_here, dropped)
        _clean_edits(made)
        return made

    def bound(self, body: Json, model: ModelUsed) -> int:
        """Return the most tokens that the answer can have, what the model thinks included."""
        most = limit(body, "max_tokens")
        return most if most is not None else body.setdefault("max_tokens", model.max_tokens)

    def headers(self, key: str | None) -> dict[str, str]:
        """Return the header that shows a key."""
        return {"x-api-key": key} if key is not None else {}

    def error(self, refusal: Refusal) -> tuple[int, Json]:
        """Return the status and the body of an error."""
        status, kind = _ERRORS[refusal.reason]
        return status, {"type": "error", "error": {"type": kind, "message": refusal.what}}

    def tokens(self, answer: Json) -> Tokens | None:
        """Return what an answer says that it took."""
        usage = answer.get("usage")
        read, written = count(usage, "input_tokens"), count(usage, "output_tokens")
        if read is None or written is None:
            return None
        cached = count(usage, "cache_read_input_tokens") or 0
        return Tokens(read, written, cached, count(usage, "cache_creation_input_tokens") or 0)

    def heard(self) -> Heard:
        """Begin to hear a stream."""
        return _Heard(self)

    def unasked(self, data: Json, asked: Json) -> bool:
        """Every event is for the client."""
        return False

    def entry(self, model: str) -> Json:
        """Return a model's entry in the list."""
        return {"type": "model", "id": model, "display_name": model, "created_at": "1970-01-01T00:00:00Z"}

    def listing(self, entries: list[Json]) -> Json:
        """Return the list of models."""
        ends = {"first_id": entries[0]["id"], "last_id": entries[-1]["id"]} if entries else {}
        return {"data": entries, "has_more": False, **ends}


def _runs_here(tool: Json) -> bool:
    kind = tool.get("type")
    return kind in (None, "custom") or (isinstance(kind, str) and kind.startswith(_HERE))


def _clean_edits(body: Json) -> None:
    """Leave those edits of the conversation that take something away; others ask the model once more, unsaid."""
    management = body.pop("context_management", None)
    edits = management.get("edits") if isinstance(management, dict) else None
    if isinstance(edits, list):
        left = [edit for edit in edits if isinstance(edit, dict) and str(edit.get("type")).startswith("clear_")]
        if left:
            body["context_management"] = {"edits": left}


class _Heard:
    """A stream of events."""

    def __init__(self, protocol: Anthropic) -> None:
        self._protocol = protocol
        self._message: Json = {}
        self._blocks: dict[int, Json] = {}
        self._usage: dict[str, Any] = {}
        self._ended = False

    def hear(self, data: Json) -> None:
        """Take one event."""
        kind = data.get("type")
        if kind == "message_start" and isinstance(data.get("message"), dict):
            self._message = dict(data["message"])
            self._count(self._message.get("usage"))
        elif kind == "content_block_start" and isinstance(data.get("content_block"), dict):
            self._blocks[data.get("index", 0)] = dict(data["content_block"])
        elif kind == "content_block_delta" and isinstance(data.get("delta"), dict):
            _join(self._blocks.setdefault(data.get("index", 0), {}), data["delta"])
        elif kind == "message_delta":
            self._count(data.get("usage"))
            delta = data.get("delta")
            if isinstance(delta, dict):
                self._message.update(delta)
            self._ended = count(data.get("usage"), "output_tokens") is not None and bool(
                self._message.get("stop_reason")
            )
        elif kind == "error":
            self._message["error"] = data.get("error")

    def _count(self, usage: Any) -> None:
        if isinstance(usage, dict):
            self._usage.update({name: value for name, value in usage.items() if value is not None})

    def tokens(self) -> Tokens | None:
        """Return the usage that came with the reason why the answer ends."""
        return self._protocol.tokens({"usage": self._usage}) if self._ended else None

    def answer(self) -> Json:
        """Return the answer as far as it was heard."""
        content = [_whole(self._blocks[index]) for index in sorted(self._blocks)]
        return {**self._message, "content": content, "usage": self._usage}


def _join(block: Json, delta: Json) -> None:
    for name in ("text", "thinking", "signature", "partial_json"):
        if isinstance(delta.get(name), str):
            block[name] = block.get(name, "") + delta[name]


def _whole(block: Json) -> Json:
    """Return a block with the input of its tool as JSON, where it came whole."""
    text = block.get("partial_json")
    if text is None:
        return block
    rest = {name: value for name, value in block.items() if name != "partial_json"}
    try:
        return {**rest, "input": json.loads(text or "{}")}
    except ValueError:
        return block
