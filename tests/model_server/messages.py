"""The messages of Anthropic: answers, events and errors in their documented shape."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.model_server.asked import Asked
from tests.model_server.pieces import Event, pieces
from tests.model_server.script import Reply


def answer(asked: Asked, reply: Reply) -> dict[str, Any]:
    told = {"usage": _usage(asked, reply)} if reply.tells_usage else {}
    return {**_head(asked), "content": _blocks(asked, reply), "stop_reason": _stop(reply), **told}


def events(asked: Asked, reply: Reply) -> Iterator[Event]:
    def event(kind: str, **fields: Any) -> Event:
        return Event(kind, {"type": kind, **fields})

    usage = _usage(asked, reply)
    begun = {"usage": {**usage, "output_tokens": 1}} if reply.tells_usage else {}
    yield event("message_start", message={**_head(asked), **begun})
    yield event("ping")
    for index, block in enumerate(_blocks(asked, reply)):
        if block["type"] == "text":
            empty, kind, field, text = {**block, "text": ""}, "text_delta", "text", block["text"]
        elif block["type"] == "thinking":
            empty = {**block, "thinking": "", "signature": ""}
            kind, field, text = "thinking_delta", "thinking", block["thinking"]
        else:
            empty, kind, field = {**block, "input": {}}, "input_json_delta", "partial_json"
            text = json.dumps(block["input"])
        yield event("content_block_start", index=index, content_block=empty)
        for piece in pieces(text):
            yield event("content_block_delta", index=index, delta={"type": kind, field: piece})
        if block["type"] == "thinking":
            signature = {"type": "signature_delta", "signature": block["signature"]}
            yield event("content_block_delta", index=index, delta=signature)
        yield event("content_block_stop", index=index)
    ended = {"usage": {"output_tokens": usage["output_tokens"]}} if reply.tells_usage else {}
    yield event("message_delta", delta={"stop_reason": _stop(reply), "stop_sequence": None}, **ended)
    yield event("message_stop")


def error(status: int, message: str) -> dict[str, Any]:
    kinds = {
        401: "authentication_error",
        402: "billing_error",
        403: "permission_error",
        404: "not_found_error",
        413: "request_too_large",
        429: "rate_limit_error",
        529: "overloaded_error",
    }
    kind = kinds.get(status, "api_error" if status >= 500 else "invalid_request_error")
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_script"}


def _head(asked: Asked) -> dict[str, Any]:
    return {
        "id": f"msg_{asked.number:06}",
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }


def _stop(reply: Reply) -> str:
    if reply.finish is not None:
        return {"length": "max_tokens", "refusal": "refusal"}[reply.finish]
    return "tool_use" if reply.calls else "end_turn"


def _blocks(asked: Asked, reply: Reply) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if reply.reasoning:
        found.append({"type": "thinking", "thinking": reply.reasoning, "signature": f"signed-{asked.number}"})
    if reply.text:
        found.append({"type": "text", "text": reply.text})
    for index, call in enumerate(reply.calls):
        name = f"toolu_{asked.number:06}_{index}"
        found.append({"type": "tool_use", "id": name, "name": call.name, "input": dict(call.arguments)})
    return found


def _usage(asked: Asked, reply: Reply) -> dict[str, int]:
    usage = reply.used(asked)
    return {
        "input_tokens": usage.input - usage.cached - usage.cache_written,
        "cache_creation_input_tokens": usage.cache_written,
        "cache_read_input_tokens": usage.cached,
        "output_tokens": usage.output,
    }
