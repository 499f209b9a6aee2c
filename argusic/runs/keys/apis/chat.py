"""OpenAI's chat completions, which most model servers speak."""

from __future__ import annotations

from typing import Any, Final

from argusic.records.configuration import Api, ModelUsed
from argusic.runs.keys.apis.cleaning import clean_tools, cleaned_parts, messages
from argusic.runs.keys.apis.dialect import Dropped, Heard, Json, count, kept, limit
from argusic.runs.keys.apis.openai import OpenAi
from argusic.runs.keys.ledger import Tokens

#: What a request may say. Not among it: other models, routes and keys, tools of the server's, dearer classes of
#: service, sound.
_FIELDS: Final = (
    "model messages max_tokens max_completion_tokens temperature top_p top_k min_p n stream stream_options stop seed "
    "presence_penalty frequency_penalty repetition_penalty logit_bias logprobs top_logprobs user tools tool_choice "
    "parallel_tool_calls functions function_call response_format reasoning_effort reasoning include_reasoning "
    "thinking enable_thinking chat_template_kwargs verbosity prompt_cache_key cache_control metadata"
)
_TEXT: Final = frozenset({"text", "refusal", "reasoning", "thinking"})


class Chat(OpenAi):
    """The protocol."""

    name: Api = "openai_chat"
    answers = "chat/completions"
    counts: frozenset[str] = frozenset()
    conversation = "messages"
    repeated: frozenset[str] = frozenset()

    def clean(self, body: Json, dropped: Dropped) -> Json:
        """Return a request of text alone, which makes a stream say its usage."""
        made = kept(body, _FIELDS)
        made["messages"] = [
            {**message, "content": cleaned_parts(message["content"], _TEXT, "text", dropped)}
            if "content" in message
            else message
            for message in messages(body, "messages")
        ]
        for message in made["messages"]:
            if message.pop("audio", None) is not None:
                dropped.images += 1
        clean_tools(made, lambda tool: tool.get("type") in ("function", "custom"), dropped)
        options = made.pop("stream_options", None)
        if made.get("stream"):
            made["stream_options"] = {**(options if isinstance(options, dict) else {}), "include_usage": True}
        return made

    def bound(self, body: Json, model: ModelUsed) -> int:
        """Return the most tokens that all answers together can have."""
        most = limit(body, "max_tokens", "max_completion_tokens")
        if most is None:
            # Servers differ in which of the two they know; those of models that think refuse the older one.
            most = model.max_tokens
            body["max_completion_tokens" if model.reasoning_effort is not None else "max_tokens"] = most
        return most * (limit(body, "n") or 1)

    def tokens(self, answer: Json) -> Tokens | None:
        """Return what an answer says that it took."""
        return _tokens(answer.get("usage"))

    def heard(self) -> Heard:
        """Begin to hear a stream."""
        return _Heard()

    def unasked(self, data: Json, asked: Json) -> bool:
        """Whether this is the chunk that says the usage, and the client did not ask for it."""
        options = asked.get("stream_options")
        wanted = isinstance(options, dict) and options.get("include_usage")
        return not wanted and data.get("choices") == [] and data.get("usage") is not None


def _tokens(usage: Any) -> Tokens | None:
    read, written = count(usage, "prompt_tokens"), count(usage, "completion_tokens")
    if read is None or written is None:
        return None
    cached = count(usage, "prompt_tokens_details", "cached_tokens") or 0
    stored = count(usage, "prompt_tokens_details", "cache_write_tokens") or 0
    return Tokens(max(0, read - cached - stored), written, min(cached, read), min(stored, read))


class _Heard:
    """A stream of chunks."""

    def __init__(self) -> None:
        self._head: Json = {}
        self._choices: dict[int, Json] = {}
        self._usage: Any = None

    def hear(self, data: Json) -> None:
        """Take one chunk."""
        self._head.update({name: data[name] for name in ("id", "created", "model", "error") if name in data})
        for choice in data.get("choices") or ():
            self._hear_choice(choice)
        # A count that runs along with the text is no last word: only one that comes with or after the end is.
        if data.get("usage") is not None and self._ended():
            self._usage = data["usage"]

    def _ended(self) -> bool:
        return bool(self._choices) and all(choice["finish_reason"] for choice in self._choices.values())

    def _hear_choice(self, choice: Json) -> None:
        index = choice.get("index", 0)
        whole = self._choices.setdefault(index, {"index": index, "message": {}, "finish_reason": None})
        if choice.get("finish_reason"):
            whole["finish_reason"] = choice["finish_reason"]
        message = whole["message"]
        for name, value in (choice.get("delta") or {}).items():
            if name == "tool_calls":
                for call in value or ():
                    _join_call(message.setdefault("tool_calls", []), call)
            elif isinstance(value, str) and name != "role":
                message[name] = (message.get(name) or "") + value
            elif value is not None:
                message[name] = value

    def tokens(self) -> Tokens | None:
        """Return the usage that came with or after the end."""
        return _tokens(self._usage)

    def answer(self) -> Json:
        """Return the answer as far as it was heard."""
        choices = [self._choices[index] for index in sorted(self._choices)]
        return {**self._head, "choices": choices, "usage": self._usage}


def _join_call(calls: list[Json], piece: Json) -> None:
    index = piece.get("index", len(calls))
    whole = next((call for call in calls if call["index"] == index), None)
    if whole is None:
        calls.append(whole := {"index": index, "function": {"name": "", "arguments": ""}})
    for name, value in piece.items():
        if name == "function" and isinstance(value, dict):
            for field in ("name", "arguments"):
                whole["function"][field] += value.get(field) or ""
        elif value is not None:
            whole[name] = value
