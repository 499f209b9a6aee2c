"""Claude Code, from npm: `claude -p`, its trajectory one JSON line for each part of a message.

Without a terminal to draw on it says nothing until its end, unless it is asked for its events. These are shown by the
small viewer beside this file, which leaves out what names the model.
"""

from __future__ import annotations

import json
import re
import shlex
from importlib.resources import files
from typing import Any, Final

from argusic.records.configuration import Api
from argusic.runs.agents.programs.adapter import MISSION_PATH, Setting, Start, Told
from argusic.runs.agents.programs.conversation import Conversation, text_of, unquoted
from argusic.runs.agents.reporting import write_file
from argusic.sandbox.protocol import HOME_FOLDER

_HOME: Final = f"{HOME_FOLDER}/.claude"
#: Its command, quoted, at the end of a line.
_WRAPPED: Final = re.compile(r"\beval ('.*'|\S+)(?: \\?< /dev/null)?(?: && pwd -P >\| \S+)?\Z", re.DOTALL)
_VIEWER: Final = f"{HOME_FOLDER}/.local/bin/show-events"


class ClaudeCode:
    """The adapter; implements `Adapter`."""

    apis: frozenset[Api] = frozenset(("anthropic_messages",))
    settings: frozenset[Setting] = frozenset(("reasoning_effort",))
    trajectory: str | None = f"{_HOME}/projects/*/*.jsonl"

    def install(self, version: str) -> str | None:
        """Return the line that installs it from npm."""
        return f"npm install --global --no-audit --no-fund {shlex.quote(f'@anthropic-ai/claude-code@{version}')}"

    def start(self, told: Told) -> Start:
        """Return how it is started: without questions, with one model for whatever it asks."""
        asked = "claude -p --dangerously-skip-permissions --verbose --output-format stream-json"
        line = f"set -o pipefail; {asked} < {MISSION_PATH} 2>&1 | python3 {_VIEWER}"
        environment = {
            "ANTHROPIC_API_KEY": told.token,
            "ANTHROPIC_BASE_URL": told.server,
            "ANTHROPIC_MODEL": told.model.name,
            "ANTHROPIC_DEFAULT_HAIKU_MODEL": told.model.name,
            "ANTHROPIC_DEFAULT_OPUS_MODEL": told.model.name,
            "ANTHROPIC_DEFAULT_SONNET_MODEL": told.model.name,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(told.model.max_tokens),
            "CLAUDE_CODE_SUBAGENT_MODEL": told.model.name,
            "CLAUDE_CONFIG_DIR": _HOME,
            "DISABLE_AUTOUPDATER": "1",
            "IS_SANDBOX": "1",
        }
        if told.model.reasoning_effort is not None:
            environment["CLAUDE_CODE_EFFORT_LEVEL"] = told.model.reasoning_effort
        viewer = files("argusic.runs.agents.programs").joinpath("show_events.py").read_text(encoding="utf-8")
        return Start(line, environment, (write_file(_VIEWER, viewer),))

    def unwrap(self, line: str) -> str:
        """Return the command that it evaluates between restoring its shell's state and noting down the folder."""
        held = _WRAPPED.search(line)
        return unquoted(held[1]) or line if held is not None else line

    def read(self, data: bytes, into: Conversation) -> None:
        """Read its trajectory. A message of the model is as many lines as it has parts, under one id."""
        current: object = None
        for line in data.splitlines():
            entry = json.loads(line)
            message = entry.get("message")
            if entry.get("type") not in ("user", "assistant") or not isinstance(message, dict):
                continue
            if entry["type"] == "assistant":
                if message.get("id") != current:
                    current = message.get("id")
                    into.say("agent", at=entry.get("timestamp"))
                _read_answer(message, into)
            elif not _read_results(message["content"], into):
                current = None
                into.say("user", text_of(message["content"]), at=entry.get("timestamp"))


def _read_answer(message: dict[str, Any], into: Conversation) -> None:
    for part in message["content"]:
        if part["type"] == "text":
            into.add_text(part["text"])
        elif part["type"] == "thinking":
            into.think(part["thinking"])
        elif part["type"] == "tool_use":
            into.call(str(part["id"]), str(part["name"]), part["input"])
    usage = message.get("usage") or {}
    read = [usage.get(name) for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")]
    known = sum(value for value in read if isinstance(value, int))
    cached = usage.get("cache_read_input_tokens")
    into.cost(read=known if usage else None, wrote=usage.get("output_tokens"), cached=cached)


def _read_results(content: object, into: Conversation) -> bool:
    """Read what came of calls; return whether that was all there was."""
    if not isinstance(content, list):
        return False
    results = [part for part in content if isinstance(part, dict) and part.get("type") == "tool_result"]
    for part in results:
        failed = True if part.get("is_error") else None
        into.answer(str(part["tool_use_id"]), text_of(part.get("content")), failed=failed)
    return bool(results)
