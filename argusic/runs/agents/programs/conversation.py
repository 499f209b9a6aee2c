"""Gathers what a program wrote down of its work into steps of a trajectory, whatever order it came in."""

from __future__ import annotations

import json
import shlex
from datetime import UTC, datetime
from typing import Any, Literal

from argusic.evidence.trajectory import writable
from argusic.records.base import format_time
from argusic.records.trajectory import Metrics, Observation, ObservationResult, Step, ToolCall
from argusic.records.usage import tokens_said


class Conversation:
    """Steps in the making."""

    def __init__(self) -> None:
        self._steps: list[dict[str, Any]] = []
        self._asked: dict[str, dict[str, Any]] = {}
        """By each call's name, the step that it belongs to."""

    def say(self, source: Literal["system", "user", "agent"], text: str = "", *, at: object = None) -> None:
        """Add a step.

        Args:
            source: Who speaks; `agent` is the model.
            text: What is said.
            at: When: seconds since 1970, or a time as text.
        """
        self._steps.append({"source": source, "message": text, "timestamp": _time(at), "calls": [], "results": []})

    def add_text(self, text: object) -> None:
        """Add to what the last step says; what is no text is left out."""
        last, text = self._steps[-1], text_of(text)
        last["message"] = f"{last['message']}\n{text}" if last["message"] else text

    def think(self, text: object) -> None:
        """Add what the model thought before or in the last step; what is no text is left out."""
        if text := text_of(text):
            last = self._steps[-1]
            last["thought"] = f"{last['thought']}\n{text}" if last.get("thought") else text

    def call(self, name: str, function: str, arguments: object) -> None:
        """Add a call to the last step.

        Args:
            name: The call's own name. A second call of the same name is none.
            function: What is called.
            arguments: With what: an object, or JSON that should be one.
        """
        if name in self._asked:
            return
        step = self._steps[-1]
        self._asked[name] = step
        read = _object(arguments)
        extra = {"arguments": str(arguments)} if read is None else None
        call = ToolCall(tool_call_id=name, function_name=function, arguments=read or {}, extra=extra)
        step["calls"].append(call)

    def answer(self, name: str, text: str, **extra: object) -> None:
        """Add what came of a call, to the step that it belongs to."""
        step = self._asked.get(name)
        known = {key: value for key, value in extra.items() if value is not None}
        if step is not None:
            result = ObservationResult(source_call_id=name, content=text, extra=known or None)
            step["results"].append(result)

    def cost(self, *, read: object, wrote: object, cached: object = None) -> None:
        """Say what the last step of the model took, in tokens."""
        for step in reversed(self._steps):
            if step["source"] == "agent":
                step["metrics"] = Metrics(
                    prompt_tokens=tokens_said(read),
                    completion_tokens=tokens_said(wrote),
                    cached_tokens=tokens_said(cached),
                )
                return

    def steps(self) -> list[Step]:
        """Return the steps, numbered from 1."""
        return [
            Step(
                step_id=number,
                timestamp=step["timestamp"],
                source=step["source"],
                message=step["message"],
                reasoning_content=step.get("thought") if step["source"] == "agent" else None,
                tool_calls=tuple(step["calls"]) or None,
                observation=Observation(results=tuple(step["results"])) if step["results"] else None,
                metrics=step.get("metrics"),
            )
            for number, step in enumerate(self._steps, start=1)
        ]


def text_of(content: object) -> str:
    """Return the text of a message's content: text itself, or parts that hold some. Images have none."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(filter(None, map(text_of, content)))
    if isinstance(content, dict):
        held = content.get("text", content.get("content"))
        return text_of(held) if held is not None else ""
    return ""


def unquoted(word: str) -> str | None:
    """Return a single word of a shell without its quotes; None where it is none."""
    try:
        words = shlex.split(word)
    except ValueError:
        return None
    return words[0] if len(words) == 1 else None


def _object(arguments: object) -> dict[str, Any] | None:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return None
    return writable(arguments) if isinstance(arguments, dict) else None


def _time(at: object) -> str | None:
    try:
        if isinstance(at, int | float) and not isinstance(at, bool):
            return format_time(datetime.fromtimestamp(at, UTC))
        if isinstance(at, str):
            return format_time(datetime.fromisoformat(at.replace("Z", "+00:00")).astimezone(UTC))
    except (ValueError, OverflowError, OSError):
        pass
    return None
