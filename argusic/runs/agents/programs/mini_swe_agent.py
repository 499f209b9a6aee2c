"""mini-swe-agent, from PyPI: a loop around `sh -c`, its trajectory one JSON file that it writes after every step."""

from __future__ import annotations

import json
import shlex
from typing import Final

from argusic.records.configuration import Api
from argusic.runs.agents.programs.adapter import MISSION_PATH, Setting, Start, Told
from argusic.runs.agents.programs.conversation import Conversation, text_of
from argusic.sandbox.protocol import HOME_FOLDER

_FOLDER: Final = f"{HOME_FOLDER}/.mini-swe-agent"
_TRAJECTORY: Final = f"{_FOLDER}/trajectory.json"


class MiniSweAgent:
    """The adapter; implements `Adapter`."""

    apis: frozenset[Api] = frozenset(("openai_chat",))
    settings: frozenset[Setting] = frozenset(("temperature", "reasoning_effort"))
    trajectory: str | None = _TRAJECTORY

    def install(self, version: str) -> str | None:
        """Return the line that installs it into an environment of its own."""
        wanted = shlex.quote(f"mini-swe-agent=={version}")
        return f"python3 -m venv {_FOLDER} && {_FOLDER}/bin/pip install -q --no-compile {wanted}"

    def start(self, told: Told) -> Start:
        """Return how it is started: without questions, without a cost limit of its own."""
        options = ["-c mini.yaml", f"-c model.model_kwargs.max_tokens={told.model.max_tokens}"]
        if told.model.temperature is not None:
            options.append(f"-c model.model_kwargs.temperature={told.model.temperature}")
        if told.model.reasoning_effort is not None:
            options.append(f"-c model.model_kwargs.reasoning_effort={told.model.reasoning_effort}")
        task = f'-t "$(cat {MISSION_PATH})"'
        line = (
            f"{_FOLDER}/bin/mini --yolo --exit-immediately --cost-limit 0 {' '.join(options)} -o {_TRAJECTORY} {task}"
        )
        environment = {
            # Otherwise it asks the network for the prices of models before it begins.
            "LITELLM_LOCAL_MODEL_COST_MAP": "true",
            "MSWEA_CONFIGURED": "true",
            "MSWEA_COST_TRACKING": "ignore_errors",
            "MSWEA_MODEL_NAME": f"openai/{told.model.name}",
            "MSWEA_SILENT_STARTUP": "1",
            "OPENAI_API_BASE": told.url,
            "OPENAI_API_KEY": told.token,
            "OPENAI_BASE_URL": told.url,
        }
        return Start(line, environment)

    def unwrap(self, line: str) -> str:
        """Return the line: it wraps its commands in nothing."""
        return line

    def read(self, data: bytes, into: Conversation) -> None:
        """Read its trajectory: the messages of the chat, each with what it knows of it under `extra`."""
        for message in json.loads(data)["messages"]:
            extra = message.get("extra") or {}
            role, text = message["role"], text_of(message.get("content"))
            if role == "assistant":
                into.say("agent", text, at=extra.get("timestamp"))
                into.think(text_of(message.get("reasoning_content")))
                for call in message.get("tool_calls") or ():
                    into.call(call["id"], call["function"]["name"], call["function"]["arguments"])
                usage = (extra.get("response") or {}).get("usage") or {}
                cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
                into.cost(read=usage.get("prompt_tokens"), wrote=usage.get("completion_tokens"), cached=cached)
            elif role == "tool":
                into.answer(message["tool_call_id"], text, exit_status=extra.get("returncode"))
            elif role in ("system", "user"):
                into.say(role, text, at=extra.get("timestamp"))
