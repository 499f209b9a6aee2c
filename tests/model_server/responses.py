"""The responses of OpenAI: answers, events and errors in their documented shape."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.model_server.asked import Asked
from tests.model_server.pieces import Event, pieces
from tests.model_server.script import Reply


def answer(asked: Asked, reply: Reply) -> dict[str, Any]:
    status = "incomplete" if reply.finish == "length" else "completed"
    return _response(asked, reply, status, _items(asked, reply))


def events(asked: Asked, reply: Reply) -> Iterator[Event]:
    number = iter(range(1_000_000))

    def event(kind: str, **fields: Any) -> Event:
        return Event(kind, {"type": kind, "sequence_number": next(number), **fields})

    begun = _response(asked, reply, "in_progress", [])
    yield event("response.created", response=begun)
    yield event("response.in_progress", response=begun)
    items = _items(asked, reply)
    for index, item in enumerate(items):
        place = {"output_index": index, "item_id": item["id"]}
        yield event("response.output_item.added", output_index=index, item=_empty(item))
        if item["type"] == "message":
            part = item["content"][0]
            name = "refusal" if part["type"] == "refusal" else "output_text"
            place["content_index"] = 0
            empty = {**part, ("refusal" if name == "refusal" else "text"): ""}
            yield event("response.content_part.added", **place, part=empty)
            for piece in pieces(reply.text):
                yield event(f"response.{name}.delta", **place, delta=piece, **_no_logprobs(name))
            said = {"refusal": reply.text} if name == "refusal" else {"text": reply.text}
            yield event(f"response.{name}.done", **place, **said, **_no_logprobs(name))
            yield event("response.content_part.done", **place, part=part)
        elif item["type"] == "reasoning":
            place["summary_index"] = 0
            for piece in pieces(reply.reasoning):
                yield event("response.reasoning_summary_text.delta", **place, delta=piece)
            yield event("response.reasoning_summary_text.done", **place, text=reply.reasoning)
        else:
            kind, field = _arguments(item)
            for piece in pieces(item[field]):
                yield event(f"response.{kind}.delta", **place, delta=piece)
            yield event(f"response.{kind}.done", **place, **{field: item[field]})
        yield event("response.output_item.done", output_index=index, item=item)
    whole = answer(asked, reply)
    yield event(f"response.{whole['status']}", response=whole)


def _no_logprobs(name: str) -> dict[str, Any]:
    return {"logprobs": []} if name == "output_text" else {}


def _arguments(item: dict[str, Any]) -> tuple[str, str]:
    if item["type"] == "custom_tool_call":
        return "custom_tool_call_input", "input"
    return "function_call_arguments", "arguments"


def _empty(item: dict[str, Any]) -> dict[str, Any]:
    blank = {"content": [], "summary": [], "arguments": "", "input": "", "status": "in_progress"}
    return {name: blank.get(name, value) for name, value in item.items()}


def _items(asked: Asked, reply: Reply) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if reply.reasoning:
        summary = [{"type": "summary_text", "text": reply.reasoning}]
        found.append({"id": f"rs_{asked.number:06}", "type": "reasoning", "summary": summary})
    if reply.text:
        part: dict[str, Any] = {"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}
        if reply.finish == "refusal":
            part = {"type": "refusal", "refusal": reply.text}
        message = {"id": f"msg_{asked.number:06}", "type": "message", "status": "completed", "role": "assistant"}
        found.append({**message, "content": [part]})
    for index, call in enumerate(reply.calls):
        name = f"{asked.number:06}_{index}"
        made: dict[str, Any] = {"call_id": f"call_{name}", "name": call.name, "status": "completed"}
        if call.custom:
            made = {"id": f"ctc_{name}", "type": "custom_tool_call", **made, "input": str(call.arguments["input"])}
        else:
            made = {"id": f"fc_{name}", "type": "function_call", **made, "arguments": json.dumps(dict(call.arguments))}
        found.append(made)
    return found


def _response(asked: Asked, reply: Reply, status: str, output: list[dict[str, Any]]) -> dict[str, Any]:
    usage = reply.used(asked)
    told = {
        "input_tokens": usage.input,
        "input_tokens_details": {"cached_tokens": usage.cached},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.input + usage.output,
    }
    return {
        "id": f"resp_{asked.number:06}",
        "object": "response",
        "created_at": 1_700_000_000,
        "status": status,
        "error": None,
        "incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None,
        "instructions": asked.body.get("instructions"),
        "max_output_tokens": asked.max_tokens,
        "model": asked.model,
        "output": output,
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "store": bool(asked.body.get("store", True)),
        "temperature": 1.0,
        "tool_choice": asked.body.get("tool_choice", "auto"),
        "tools": asked.body.get("tools", []),
        "top_p": 1.0,
        "usage": told if status != "in_progress" and reply.tells_usage else None,
        "metadata": {},
    }
