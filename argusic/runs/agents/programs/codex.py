"""Codex CLI, from npm: `codex exec`, its trajectory one JSON line for each item of its conversation."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any, Final

from argusic.records.configuration import Api
from argusic.runs.agents.programs.adapter import MISSION_PATH, Setting, Start, Told
from argusic.runs.agents.programs.conversation import Conversation, text_of, unquoted
from argusic.sandbox.protocol import HOME_FOLDER

_HOME: Final = f"{HOME_FOLDER}/.codex"
#: Its command, quoted, at the end of a script of its own.
_WRAPPED: Final = re.compile(r"\n\n?exec \'[^\']*\' -l?c (\'.*\')\Z", re.DOTALL)
_CALLS: Final = ("function_call", "custom_tool_call", "local_shell_call")
_ANSWERS: Final = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")


class Codex:
    """The adapter; implements `Adapter`."""

    apis: frozenset[Api] = frozenset(("openai_responses",))
    settings: frozenset[Setting] = frozenset(("reasoning_effort",))
    trajectory: str | None = f"{_HOME}/sessions/*/*/*/*.jsonl"

    def install(self, version: str) -> str | None:
        """Return the line that installs it from npm."""
        return f"npm install --global --no-audit --no-fund {shlex.quote(f'@openai/codex@{version}')}"

    def start(self, told: Told) -> Start:
        """Return how it is started: without questions and without a sandbox of its own, for it is in ours."""
        effort = told.model.reasoning_effort
        settings = (
            'model = "%s"',
            'model_provider = "run"',
            *([f'model_reasoning_effort = "{effort}"'] if effort is not None else []),
            "[model_providers.run]",
            'name = "run"',
            'base_url = "%s"',
            'env_key = "ARGUSIC_KEY"',
            'wire_api = "responses"',
        )
        text = shlex.quote("\\n".join((*settings, "")))
        configure = f'mkdir -p {_HOME} && printf {text} "$ARGUSIC_MODEL" "$ARGUSIC_URL" > {_HOME}/config.toml'
        line = f"codex exec --dangerously-bypass-approvals-and-sandbox --skip-git-repo-check - < {MISSION_PATH}"
        # Its remark on a model that it does not know names it.
        drop = (
            """while IFS= read -r line; do [[ $line == "warning: Model metadata"* ]] || printf '%s\\n' "$line"; done"""
        )
        line += f" 2> >({drop} >&2)"
        environment = {"ARGUSIC_KEY": told.token, "ARGUSIC_MODEL": told.model.name, "ARGUSIC_URL": told.url}
        return Start(line, {**environment, "CODEX_HOME": _HOME}, (configure,))

    def unwrap(self, line: str) -> str:
        """Return the command that it goes over to when it has restored its shell's environment."""
        held = _WRAPPED.search(line)
        return unquoted(held[1]) or line if held is not None else line

    def read(self, data: bytes, into: Conversation) -> None:
        """Read its trajectory: what the model was told and said is in its `response_item` lines."""
        speaking = False
        for line in data.splitlines():
            entry = json.loads(line)
            item, at = entry.get("payload") or {}, entry.get("timestamp")
            if entry["type"] == "token_usage_record":
                usage = item.get("usage") or {}
                cached = usage.get("cached_input_tokens")
                into.cost(read=usage.get("input_tokens"), wrote=usage.get("output_tokens"), cached=cached)
                speaking = False
            elif entry["type"] == "response_item":
                speaking = _read_item(item, at, into, speaking)


def _read_item(item: dict[str, Any], at: object, into: Conversation, speaking: bool) -> bool:
    """Read one item; return whether the model is in the middle of an answer."""
    kind = item["type"]
    if kind in _ANSWERS:
        into.answer(str(item["call_id"]), text_of(item.get("output")))
        return False
    if kind == "message" and item["role"] != "assistant":
        into.say("user" if item["role"] == "user" else "system", text_of(item["content"]), at=at)
        return False
    if not speaking:
        into.say("agent", at=at)
    if kind == "message":
        into.add_text(text_of(item["content"]))
    elif kind == "reasoning":
        into.think(text_of(item.get("summary")) or text_of(item.get("content")))
    elif kind in _CALLS:
        given = item.get("arguments", item.get("action", item.get("input")))
        arguments = {"input": given} if kind == "custom_tool_call" else given
        into.call(str(item["call_id"]), str(item.get("name", kind)), arguments)
    return True
