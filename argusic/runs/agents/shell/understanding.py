"""What a model wants done, out of its answer: calls of the tool, or one command in a fenced block, or the end."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, replace
from typing import Any, Final

from argusic.evidence.trajectory import writable
from argusic.runs.agents.shell.answer import Answer, Called
from argusic.runs.agents.shell.prompt import Trouble

#: The tool.
TOOL: Final = "run_command"
#: The most commands of one answer that are run.
MOST_COMMANDS: Final = 16
#: The name of the call that a fenced block stands for in a trajectory.
FENCED: Final = "fenced"
_THOUGHT: Final = re.compile(r"\A\s*<(think|thinking|reasoning)>(.*?)(?:</\1>|\Z)", re.DOTALL)
_FENCE: Final = re.compile(
    r"^ {0,3}(?P<ticks>`{3,})[ \t]*(?:bash|sh|shell)[ \t]*\r?\n"
    r"(?P<body>.*?)(?:^ {0,3}(?P=ticks)`*[ \t]*$|\Z(?P<open>))",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_DONE: Final = re.compile(r"[\W_]*DONE[\W_]*", re.IGNORECASE)


@dataclass(frozen=True)
class Action:
    """One thing that the model wants done.

    Attributes:
        call: The call that asks for it; empty for a fenced block.
        command: The command; None where it cannot be told.
        timeout: How many seconds the model gives it, where it says.
        why_not: Why nothing is run, where nothing is.
    """

    call: str = ""
    command: str | None = None
    timeout: float | None = None
    why_not: str = ""


@dataclass(frozen=True)
class Understood:
    """An answer as it is understood.

    Attributes:
        answer: The answer, fit to be said again: each call has an id of its own and arguments that are JSON.
        actions: What it wants done.
        raw: The arguments of calls that could not be read, by the call's id.
        more: Whether it holds further fenced blocks, which are not run.
        done: Whether the model says that it is done.
        trouble: Why there is nothing to do, where there is not and the model is not done.
    """

    answer: Answer
    actions: tuple[Action, ...] = ()
    raw: tuple[tuple[str, str], ...] = ()
    more: bool = False
    done: bool = False
    trouble: Trouble | None = None


def understand(answer: Answer) -> Understood:
    """Return what an answer asks for."""
    answer = _thought_apart(_readable(answer))
    if answer.calls:
        return _of_calls(answer)
    blocks = [block for block in _FENCE.finditer(answer.text) if block["body"].strip()]
    cut = answer.finish == "length"
    if blocks and not (cut and blocks[0]["open"] is not None):
        command = _line_ends(blocks[0]["body"]).rstrip("\n")
        return Understood(answer, (Action(command=command, why_not=unfit(command)),), more=len(blocks) > 1)
    if cut:
        return Understood(answer, trouble="cut")
    lines = [line for line in answer.text.splitlines() if line.strip()]
    if lines and not blocks and (_DONE.fullmatch(lines[-1]) or _DONE.fullmatch(lines[0])):
        return Understood(answer, done=True)
    if answer.refusal or answer.finish == "content_filter":
        return Understood(answer, trouble="refused")
    return Understood(answer, trouble="no_command" if lines else "empty")


def unfit(command: str) -> str:
    """Return why no shell can be given a command; empty where one can."""
    if "\0" in command:
        return "the command holds a NUL character"
    return "" if command.strip() else "the command is empty"


def _of_calls(answer: Answer) -> Understood:
    calls: list[Called] = []
    actions: list[Action] = []
    raw: list[tuple[str, str]] = []
    for number, call in enumerate(answer.calls, 1):
        name = call.id if call.id and call.id not in {known.id for known in calls} else f"call_{number}"
        while name in {known.id for known in calls}:
            name += "_"
        action, arguments = _action(name, call, answer.finish == "length" and number == len(answer.calls))
        if number > MOST_COMMANDS and not action.why_not:
            action = replace(action, why_not=f"an answer may hold {MOST_COMMANDS} commands at most")
        if arguments is None:
            raw.append((name, call.arguments))
        calls.append(Called(name, call.name or TOOL, json.dumps(arguments or {}, ensure_ascii=False)))
        actions.append(action)
    return Understood(replace(answer, calls=tuple(calls)), tuple(actions), tuple(raw))


def _action(name: str, call: Called, may_be_cut: bool) -> tuple[Action, dict[str, Any] | None]:
    """Return what a call asks for, and its arguments; None where they cannot be read."""
    try:
        arguments = writable(json.loads(call.arguments or "{}"))
    except (ValueError, RecursionError):
        cut = "was cut off at its greatest length" if may_be_cut else "is no JSON"
        return Action(name, why_not=f"what the call was given {cut}"), None
    if not isinstance(arguments, dict):
        return Action(name, why_not="the call must be given an object with the field `command`"), None
    if call.name != TOOL:
        return Action(name, why_not=f"there is no tool {call.name!r}; there is {TOOL}"), arguments
    command = arguments.get("command")
    if not isinstance(command, str):
        return Action(name, why_not="the call lacks `command`, the text of the command"), arguments
    command = _line_ends(command)
    return Action(name, command, _seconds(arguments.get("timeout_seconds")), unfit(command)), arguments


def _seconds(value: Any) -> float | None:
    if not isinstance(value, int | float | str) or isinstance(value, bool):
        return None
    try:
        seconds = float(value)
    except (ValueError, OverflowError):
        return None
    return seconds if seconds > 0 and math.isfinite(seconds) else None


def _line_ends(text: str) -> str:
    return text.replace("\r\n", "\n")


def _readable(answer: Answer) -> Answer:
    """Return it without half characters, which neither a shell nor a file can be given."""
    return replace(
        answer,
        text=writable(answer.text),
        reasoning=writable(answer.reasoning),
        refusal=writable(answer.refusal),
        calls=tuple(Called(*map(writable, (call.id, call.name, call.arguments))) for call in answer.calls),
    )


def _thought_apart(answer: Answer) -> Answer:
    """Return it with what the model thought inside its text told apart, where the server does not do that."""
    thought = _THOUGHT.match(answer.text)
    if thought is None:
        return answer
    reasoning = "\n".join(filter(None, (answer.reasoning, thought[2].strip())))
    return replace(answer, text=answer.text[thought.end() :].strip(), reasoning=reasoning)
