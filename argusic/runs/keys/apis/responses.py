"""OpenAI's responses."""

from __future__ import annotations

from typing import Any, Final

from argusic.records.configuration import Api, ModelUsed
from argusic.runs.keys.apis.cleaning import NOTE, clean_tools, cleaned_parts, messages
from argusic.runs.keys.apis.dialect import Dropped, Heard, Json, Refusal, count, kept, limit
from argusic.runs.keys.apis.openai import OpenAi
from argusic.runs.keys.ledger import Tokens

#: What a request may say. Not among it: dearer classes of service.
_FIELDS: Final = (
    "model input instructions max_output_tokens temperature top_p stream stream_options reasoning text include "
    "truncation tools tool_choice parallel_tool_calls max_tool_calls top_logprobs user safety_identifier "
    "prompt_cache_key prompt_cache_retention metadata client_metadata"
)
#: What the server keeps or looks up by a name: how long it is, nobody here can tell.
_ELSEWHERE: Final = ("previous_response_id", "conversation", "prompt", "background")
_TEXT: Final = frozenset({"input_text", "output_text", "text", "refusal", "summary_text", "reasoning_text"})
_CALLS: Final = ("function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call")
_ITEMS: Final = frozenset({None, "message", "reasoning", *_CALLS, *(f"{call}_output" for call in _CALLS)})
_ENDS: Final = ("response.completed", "response.incomplete", "response.failed")


class Responses(OpenAi):
    """The protocol."""

    name: Api = "openai_responses"
    answers = "responses"
    counts: frozenset[str] = frozenset()
    conversation = "input"
    repeated = frozenset({"instructions", "tools"})

    def clean(self, body: Json, dropped: Dropped) -> Json:
        """Return a request of text alone, of which the server keeps nothing."""
        for name in _ELSEWHERE:
            if body.get(name):
                raise Refusal("request", f"{name} is not supported: each request holds its whole conversation.")
        made = {**kept(body, _FIELDS), "store": False}
        if not isinstance(body.get("input"), str):
            made["input"] = [_item(item, dropped) for item in messages(body, "input")]
        clean_tools(made, _runs_here, dropped)
        return made

    def bound(self, body: Json, model: ModelUsed) -> int:
        """Return the most tokens that the answer can have, what the model thinks included."""
        most = limit(body, "max_output_tokens")
        return most if most is not None else body.setdefault("max_output_tokens", model.max_tokens)

    def tokens(self, answer: Json) -> Tokens | None:
        """Return what an answer says that it took."""
        usage = answer.get("usage")
        read, written = count(usage, "input_tokens"), count(usage, "output_tokens")
        if read is None or written is None:
            return None
        cached = count(usage, "input_tokens_details", "cached_tokens") or 0
        return Tokens(max(0, read - cached), written, min(cached, read))

    def heard(self) -> Heard:
        """Begin to hear a stream."""
        return _Heard(self)

    def unasked(self, data: Json, asked: Json) -> bool:
        """Every event is for the client."""
        return False


def _runs_here(tool: Json) -> bool:
    kind = tool.get("type")
    if kind == "namespace":
        inner = tool.get("tools")
        return isinstance(inner, list) and all(isinstance(one, dict) and _runs_here(one) for one in inner)
    if kind == "shell":
        environment = tool.get("environment")
        return isinstance(environment, dict) and environment.get("type") == "local"
    return kind in ("function", "custom", "local_shell", "apply_patch")


def _item(item: Json, dropped: Dropped) -> Json:
    kind = item.get("type")
    if kind == "item_reference":
        raise Refusal("request", "item_reference is not supported: each request holds its whole conversation.")
    if kind not in _ITEMS:
        dropped.images += 1
        return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": NOTE}]}
    fields = [name for name in ("content", "output") if name in item and kind != "shell_call_output"]
    return {**item, **{name: cleaned_parts(item[name], _TEXT, "input_text", dropped) for name in fields}}


class _Heard:
    """A stream of events, whose last holds the whole answer."""

    def __init__(self, protocol: Responses) -> None:
        self._protocol = protocol
        self._response: Json = {}
        self._items: list[Any] = []
        self._text: dict[str, str] = {}
        self._ended = False

    def hear(self, data: Json) -> None:
        """Take one event."""
        kind = data.get("type")
        if isinstance(data.get("response"), dict):
            self._response = data["response"]
        if kind == "response.output_item.done":
            self._items.append(data.get("item"))
            self._text.clear()
        elif isinstance(data.get("delta"), str) and isinstance(kind, str):
            self._text[kind] = self._text.get(kind, "") + data["delta"]
        elif kind == "error":
            self._response = {**self._response, "error": data}
        self._ended = self._ended or kind in _ENDS

    def tokens(self) -> Tokens | None:
        """Return the usage of the last event."""
        return self._protocol.tokens(self._response) if self._ended else None

    def answer(self) -> Json:
        """Return the answer, or what was heard of it."""
        if self._ended:
            return self._response
        unfinished = {"unfinished": self._text} if self._text else {}
        return {**self._response, "output": self._items, **unfinished}
