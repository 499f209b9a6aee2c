"""What a client asked for, in one shape for the three protocols."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from argusic.records.configuration import Api


@dataclass(frozen=True)
class Asked:
    """One request for an answer.

    Attributes:
        number: Its place among all requests, from 0.
        api: The protocol it came in.
        body: Its body, parsed.
        headers: Its headers, names in lower case.
        size: Bytes of its body.
    """

    number: int
    api: Api
    body: dict[str, Any]
    headers: dict[str, str]
    size: int

    @property
    def model(self) -> str:
        return str(self.body.get("model", ""))

    @property
    def stream(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def max_tokens(self) -> int | None:
        names = ("max_completion_tokens", "max_tokens", "max_output_tokens")
        return next((int(self.body[name]) for name in names if self.body.get(name) is not None), None)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages, or the items of a response's input."""
        if self.api != "openai_responses":
            return list(self.body["messages"])
        given = self.body["input"]
        return [{"role": "user", "content": given}] if isinstance(given, str) else list(given)

    @property
    def last(self) -> str:
        """All that the last message says, tool results included."""
        return _said(self.messages[-1]) if self.messages else ""

    @property
    def text(self) -> str:
        """All that the request says, instructions included."""
        rest = [self.body.get("system"), self.body.get("instructions")]
        return "\n".join(_said(part) for part in [*rest, *self.messages] if part)

    @property
    def tools(self) -> list[str]:
        """The names of the tools that it offers."""
        offered = [tool.get("function", tool) for tool in self.body.get("tools") or ()]
        return [str(tool.get("name", tool.get("type", ""))) for tool in offered]

    @property
    def turn(self) -> int:
        """How many answers of the model the conversation holds already; a response of several items is one."""
        turns, ours = 0, False
        for message in self.messages:
            was, ours = ours, _of_the_model(message)
            turns += ours and not was
        return turns


def _of_the_model(message: dict[str, Any]) -> bool:
    calls = ("reasoning", "function_call", "custom_tool_call", "local_shell_call")
    return message.get("role") == "assistant" or message.get("type") in calls


def _said(part: Any) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, list):
        return "\n".join(_said(item) for item in part)
    if not isinstance(part, dict):
        return ""
    for name in ("text", "content", "output"):
        if part.get(name) is not None:
            return _said(part[name])
    return json.dumps(part)
