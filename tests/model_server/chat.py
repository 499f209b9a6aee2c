"""The chat completions of OpenAI: answers, chunks and errors in their documented shape."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.model_server.asked import Asked
from tests.model_server.pieces import Event, pieces
from tests.model_server.script import Reply, Usage


def answer(asked: Asked, reply: Reply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None, "refusal": None}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    if reply.calls:
        message["tool_calls"] = _calls(asked, reply)
    if reply.finish == "refusal":
        message["refusal"], message["content"] = reply.text, None
    choices = [
        {"index": index, "message": message, "logprobs": None, "finish_reason": _finish(reply)}
        for index in range(asked.body.get("n") or 1)
    ]
    told = {"usage": _usage(reply.used(asked))} if reply.tells_usage else {}
    return {**_head(asked, "chat.completion"), "choices": choices, **told}


def events(asked: Asked, reply: Reply) -> Iterator[Event]:
    head = _head(asked, "chat.completion.chunk")
    wants_usage = reply.tells_usage and (asked.body.get("stream_options") or {}).get("include_usage")
    rest: dict[str, Any] = {"usage": None} if wants_usage else {}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> Event:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return Event(None, {**head, "choices": [choice], **rest})

    yield chunk({"role": "assistant", "content": ""})
    for piece in pieces(reply.reasoning):
        yield chunk({"reasoning_content": piece})
    for piece in pieces(reply.text):
        yield chunk({"refusal" if reply.finish == "refusal" else "content": piece})
    for index, call in enumerate(_calls(asked, reply)):
        arguments = call["function"]["arguments"]
        first = {**call, "index": index, "function": {**call["function"], "arguments": ""}}
        yield chunk({"tool_calls": [first]})
        for piece in pieces(arguments):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, _finish(reply))
    if wants_usage:
        yield Event(None, {**head, "choices": [], "usage": _usage(reply.used(asked))})
    yield Event(None, "[DONE]")


def error(status: int, message: str) -> dict[str, Any]:
    kinds = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}
    kind = "server_error" if status >= 500 else "rate_limit_error" if status == 429 else "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": kinds.get(status)}}


def models(names: tuple[str, ...]) -> dict[str, Any]:
    listed = [{"id": name, "object": "model", "created": 1_700_000_000, "owned_by": "script"} for name in names]
    return {"object": "list", "data": listed}


def _head(asked: Asked, kind: str) -> dict[str, Any]:
    name = f"chatcmpl-{asked.number:06}"
    return {"id": name, "object": kind, "created": 1_700_000_000, "model": asked.model, "service_tier": "default"}


def _calls(asked: Asked, reply: Reply) -> list[dict[str, Any]]:
    return [
        {
            "id": f"call_{asked.number:06}_{index}",
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments))},
        }
        for index, call in enumerate(reply.calls)
    ]


def _finish(reply: Reply) -> str:
    if reply.finish == "length":
        return "length"
    return "tool_calls" if reply.calls else "stop"


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }
