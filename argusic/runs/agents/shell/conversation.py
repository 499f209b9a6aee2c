"""What was said so far, as the model is told it again with every question; and what is left out when it is too much.

The oldest outputs go first, with what the model thought then; then what is long is shortened; then whole answers go
with what came of them. Each says in its place that it went. The mission stays.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from argusic.runs.agents.shell.answer import Answer, Called
from argusic.runs.agents.shell.prompt import Prompt

#: Tokens a character, before the endpoint has said how many it counts.
FIRST_RATIO: Final = 0.3
_RATIOS: Final = (0.1, 2.0)
#: When something must go, so much goes that this share of the room is used: caches are not spoilt at every step.
_AFTER: Final = 0.75
#: The latest answers, of which nothing goes as long as anything else can.
_LATEST: Final = 2
#: What is left of each end of an output that alone is too long.
_ENDS: Final = 400


@dataclass
class Told:
    """What the model is told of one of its calls.

    Attributes:
        head: What became of it, in one line.
        output: What it printed; None once that was dropped.
        call: Which call; empty where it made none.
    """

    head: str
    output: str | None = ""
    call: str = ""

    def text(self, dropped: str) -> str:
        """Return it as the model reads it."""
        rest = dropped if self.output is None else self.output
        return f"{self.head}\n{rest}" if rest else self.head


@dataclass
class Turn:
    """An answer, and what came of it.

    Attributes:
        answer: The answer; its calls have ids of their own and arguments that are JSON.
        commands: The commands that the calls stand for, for servers that know no calls.
        told: What the model is told then.
        thinks: Whether what it thought is still told to it.
        short: Whether everything long in it was shortened.
    """

    answer: Answer
    commands: tuple[str, ...] = ()
    told: list[Told] = field(default_factory=list)
    thinks: bool = True
    short: bool = False

    def shorten(self) -> None:
        """Shorten whatever in it is long, and drop what the model thought."""
        self.short, self.thinks = True, False
        for told in self.told:
            told.output = clipped(told.output, 2 * _ENDS) if told.output else told.output
        calls = tuple(map(_shortened, self.answer.calls))
        self.answer = replace(self.answer, text=clipped(self.answer.text, 2 * _ENDS), calls=calls)
        self.commands = tuple(clipped(command, 2 * _ENDS) for command in self.commands)


@dataclass(frozen=True)
class Form:
    """How an endpoint wants to be asked, as far as it has said.

    Attributes:
        calls: Whether it knows calls.
        reasoning: Whether it takes back what the model thought.
        usage_in_streams: Whether it can be asked for usage in a stream.
        limit_name: What it calls the most tokens of an answer.
    """

    calls: bool = True
    reasoning: bool = True
    usage_in_streams: bool = True
    limit_name: str = "max_tokens"


class Conversation:
    """The conversation of one run.

    Args:
        prompt: Our own texts.
        mission: The mission as text.

    Attributes:
        outputs_dropped: Of how many commands the output was dropped so far.
        turns_dropped: How many whole answers were.
    """

    def __init__(self, prompt: Prompt, mission: str) -> None:
        self._prompt = prompt
        self._mission = mission
        self._turns: list[Turn] = []
        self._ratio = FIRST_RATIO
        self.outputs_dropped = 0
        self.turns_dropped = 0

    @property
    def dropped(self) -> dict[str, int]:
        """What was dropped so far."""
        return {"outputs": self.outputs_dropped, "answers": self.turns_dropped}

    def add(self, turn: Turn) -> None:
        """Add an answer with what came of it."""
        self._turns.append(turn)

    def messages(self, form: Form) -> list[dict[str, Any]]:
        """Return the messages of the next question."""
        mission = self._mission
        if self.turns_dropped:
            mission += "\n" + self._prompt.told["turns_dropped"].format(count=self.turns_dropped)
        messages: list[dict[str, Any]] = [
            {"role": "system", "content": self._prompt.system},
            {"role": "user", "content": mission},
        ]
        for turn in self._turns:
            messages += self._said(turn, form)
        return messages

    def count(self, form: Form) -> int:
        """Return about how many tokens the next question takes."""
        return int(_characters(self.messages(form), self._tools(form)) * self._ratio) + 1

    def learn(self, form: Form, tokens: int) -> None:
        """Learn from an endpoint how many tokens it counted for the question as it stands."""
        characters = _characters(self.messages(form), self._tools(form))
        self._ratio = min(max(tokens / max(1, characters), _RATIOS[0]), _RATIOS[1])

    def fit(self, room: int, form: Form) -> bool:
        """Drop what must go so that the next question takes at most `room` tokens; return whether it then does."""
        if self.count(form) > room:
            for drop, aim in (
                (self._drop_output, int(room * _AFTER)),
                (self._shorten_older, room),
                (self._drop_turn, room),
                (self._shorten_last, room),
            ):
                while self.count(form) > aim and drop():
                    pass
        return self.count(form) <= room

    def _drop_output(self) -> bool:
        for turn in self._turns[:-_LATEST]:
            kept = [told for told in turn.told if told.output]
            if kept or (turn.thinks and turn.answer.reasoning):
                for told in kept:
                    told.output = None
                self.outputs_dropped += len(kept)
                turn.thinks = False
                return True
        return False

    def _drop_turn(self) -> bool:
        if len(self._turns) <= 1:
            return False
        del self._turns[0]
        self.turns_dropped += 1
        return True

    def _shorten_older(self) -> bool:
        return _shorten_first(self._turns[:-1])

    def _shorten_last(self) -> bool:
        return _shorten_first(self._turns[-1:])

    def _tools(self, form: Form) -> Sequence[dict[str, Any]]:
        return self._prompt.tools if form.calls else ()

    def _said(self, turn: Turn, form: Form) -> Iterable[dict[str, Any]]:
        answer = turn.answer
        dropped = self._prompt.told["output_dropped"]
        said: dict[str, Any] = {"role": "assistant", "content": answer.text or answer.refusal or None}
        if form.reasoning and turn.thinks and answer.reasoning_field and answer.calls:
            said[answer.reasoning_field] = answer.reasoning
        if answer.calls and form.calls:
            said["tool_calls"] = [_as_call(call) for call in answer.calls]
            yield said
            for told in turn.told:
                yield {"role": "tool", "tool_call_id": told.call, "content": told.text(dropped)}
            return
        blocks = "".join(f"\n\n```bash\n{command}\n```" for command in turn.commands) if answer.calls else ""
        said["content"] = ((answer.text or answer.refusal) + blocks).strip() or "(nothing)"
        yield said
        yield {"role": "user", "content": "\n\n".join(told.text(dropped) for told in turn.told)}


def _shorten_first(turns: Sequence[Turn]) -> bool:
    """Shorten the first turn that was not shortened yet; return whether there was one."""
    turn = next((turn for turn in turns if not turn.short), None)
    if turn is None:
        return False
    turn.shorten()
    return True


def clipped(text: str, most: int) -> str:
    """Return text of at most about `most` characters: both ends, with a line that says what is left out."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half:,} characters left out ...]\n{text[-half:]}"


def _shortened(call: Called) -> Called:
    if len(call.arguments) <= 3 * _ENDS:
        return call
    command = clipped(str(json.loads(call.arguments).get("command", "")), 2 * _ENDS)
    return replace(call, arguments=json.dumps({"command": command}, ensure_ascii=False))


def _as_call(call: Called) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _characters(messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> int:
    return len(json.dumps([*messages, *tools], ensure_ascii=False))
