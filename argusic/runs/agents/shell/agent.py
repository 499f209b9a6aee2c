"""The loop: the model asks for a command, gets what came of it, and so on until it is done or nothing helps."""

from __future__ import annotations

from random import Random
from typing import Any, Final, Literal

from argusic import __version__
from argusic.errors import InputError
from argusic.evidence.trajectory import TrajectoryWriter
from argusic.records.configuration import ModelUsed, Price
from argusic.records.trajectory import Metrics, ObservationResult, ToolCall
from argusic.runs.agents.briefing import briefing
from argusic.runs.agents.shell.answer import Answer
from argusic.runs.agents.shell.asking import Asker, Patience, Stopped
from argusic.runs.agents.shell.carried import ENVIRONMENT, SET_UP
from argusic.runs.agents.shell.conversation import Conversation, Told, Turn, clipped
from argusic.runs.agents.shell.endpoint import Endpoint
from argusic.runs.agents.shell.prompt import prompt
from argusic.runs.agents.shell.understanding import FENCED, TOOL, Action, Understood, understand
from argusic.runs.keys.access import ModelAccess
from argusic.runs.session import CommandResult, Mission, Session

#: The patience of an attempt.
PATIENT: Final = Patience()
#: Seconds for a command of which the model says nothing, and the most that it may say.
USUAL_SECONDS, MOST_SECONDS = 600.0, 5400.0
#: Answers in a row that cannot be worked with, before nothing more is asked.
MOST_TROUBLES: Final = 4
#: The most characters of an output that the model reads; fewer where it can read little.
_MOST_OUTPUT, _LEAST_OUTPUT = 16_000, 1_500
_KILLED: Final = 128

#: How the agent ended: the model said that it is done; several answers in a row could not be worked with; the run's
#: money is spent; or the mission alone is more than the model can read.
How = Literal["done", "no_command", "cap_reached", "context_full"]
_SENTENCES: Final[dict[How, str]] = {
    "done": "The model said that it is done.",
    "no_command": f"{MOST_TROUBLES} answers of the model in a row held nothing that could be run.",
    "cap_reached": "The key of the run had nothing left to spend.",
    "context_full": "What the model must be told is more than it can read.",
}


class Shell:
    """An agent made of a model and a shell.

    Args:
        access: How the model is reached.
        trajectory: Where everything goes that is said to it and by it. It is closed at the end.
        patience: How long the endpoint is waited for.
        random: Spreads the waiting.

    Raises:
        InputError: The model's endpoint speaks another protocol than OpenAI's chat.
    """

    def __init__(
        self,
        access: ModelAccess,
        trajectory: TrajectoryWriter,
        patience: Patience = PATIENT,
        random: Random | None = None,
    ) -> None:
        if access.model.api != "openai_chat":
            raise InputError(
                f"The shell agent speaks OpenAI's chat, and its model's endpoint {access.model.api}.",
                advice="Give the model's `api` as openai_chat, with the address of such an endpoint.",
            )
        self._model = access.model
        self._trajectory = trajectory
        self._prompt = prompt()
        self._asker = Asker(Endpoint(access), access.model, self._prompt, patience, random or Random())
        self._troubles = 0

    def run(self, session: Session, mission: Mission) -> None:
        """Work to the model's end, the run's, or until the key has nothing left.

        Raises:
            AttemptOver: The attempt ended meanwhile.
            ModelUnavailable: The model could not be reached, which is no doing of the agent's.
            WriteFailed: The trajectory cannot be written.
        """
        extra = {"argusic": {"program": "shell", "prompt": {"id": self._prompt.id, "sha256": self._prompt.sha256}}}
        try:
            self._trajectory.begin(__version__, tools=self._prompt.tools, extra=extra)
            how = self._work(session, mission)
            self._trajectory.end({"how": how, "says": _SENTENCES[how]})
            session.note(f"shell: {_SENTENCES[how]}")
        finally:
            self._trajectory.close()

    def _work(self, session: Session, mission: Mission) -> How:
        text = briefing(mission)
        self._trajectory.step("system", self._prompt.system)
        self._trajectory.step("user", text)
        conversation = Conversation(self._prompt, text)
        session.run(SET_UP, timeout=60)
        while True:
            dropped = conversation.dropped
            try:
                answer = self._asker.ask(conversation, session)
            except Stopped as stopped:
                return stopped.how
            understood = understand(answer)
            step = self._write(understood, conversation.dropped if conversation.dropped != dropped else {})
            if understood.done:
                return "done"
            conversation.add(self._turn(session, mission, understood, step))
            if self._troubles == MOST_TROUBLES:
                return "no_command"

    def _turn(self, session: Session, mission: Mission, understood: Understood, step: int) -> Turn:
        """Do what an answer asks for, and return what the model is told of it."""
        if understood.trouble is not None:
            self._troubles += 1
            text = self._prompt.trouble(understood.trouble, mission.report_path)
            self._trajectory.step("user", text)
            return Turn(understood.answer, (), [Told(text)])
        told = []
        for action in understood.actions:
            done, extra = self._do(session, action)
            told.append(done)
            self._trajectory.result(
                step, ObservationResult(source_call_id=action.call or FENCED, content=done.text(""), extra=extra)
            )
        ran = any(action.command and not action.why_not for action in understood.actions)
        self._troubles = 0 if ran else self._troubles + 1
        if understood.more:
            told[-1].head = f"{self._prompt.told['only_first']}\n{told[-1].head}"
        commands = tuple(action.command for action in understood.actions if action.command)
        return Turn(understood.answer, commands, told)

    def _do(self, session: Session, action: Action) -> tuple[Told, dict[str, Any] | None]:
        if action.why_not or action.command is None:
            return Told(self._prompt.not_run(action.why_not), call=action.call), None
        seconds = min(action.timeout or USUAL_SECONDS, MOST_SECONDS)
        result = session.run(action.command, timeout=seconds, environment=ENVIRONMENT)
        head = f"[{_status(result, seconds)}; {session.remaining / 60:.0f} minutes left]"
        output = clipped(result.output.rstrip("\n"), _readable_output(self._model)) or "(no output)"
        facts = {"command": result.number, "exit_status": result.exit_status, "cut": result.cut}
        return Told(head, output, action.call), {"argusic": facts}

    def _write(self, understood: Understood, dropped: dict[str, int]) -> int:
        answer = understood.answer
        raw = dict(understood.raw)
        calls = [
            ToolCall(
                tool_call_id=action.call or FENCED,
                function_name=call.name if call is not None else TOOL,
                arguments=_arguments(action),
                extra={"argusic": {"as_it_came": raw[action.call]}} if action.call in raw else None,
            )
            for action, call in zip(understood.actions, answer.calls or (None,) * len(understood.actions), strict=True)
        ]
        ours: dict[str, Any] = {"finish": answer.finish or None, "tries": answer.tries, "waited": answer.waited}
        if answer.refusal:
            ours["refusal"] = answer.refusal
        if dropped:
            ours["dropped"] = dropped
        return self._trajectory.step(
            "agent",
            answer.text,
            reasoning=answer.reasoning or None,
            calls=calls,
            metrics=_metrics(answer, self._model.price),
            extra={"argusic": ours},
        )


def _arguments(action: Action) -> dict[str, Any]:
    if action.command is None:
        return {}
    return {"command": action.command} | ({"timeout_seconds": action.timeout} if action.timeout else {})


def _status(result: CommandResult, seconds: float) -> str:
    if result.cut == "command_time":
        return f"killed: it took longer than {seconds:.0f} s"
    if result.cut is not None:
        return "killed: it printed more than a command may"
    status = f"exit status {result.exit_status}"
    if (result.exit_status or 0) > _KILLED:
        status += f", which may stand for signal {(result.exit_status or 0) - _KILLED}"
    return f"{status} after {result.seconds:.1f} s"


def _readable_output(model: ModelUsed) -> int:
    return max(_LEAST_OUTPUT, min(_MOST_OUTPUT, model.context_tokens // 2))


def _metrics(answer: Answer, price: Price | None) -> Metrics:
    used = answer.usage or Metrics()
    cost = None
    if price is not None and answer.usage is not None:
        read, written = used.prompt_tokens or 0, used.completion_tokens or 0
        cost = (read * float(price.input_usd) + written * float(price.output_usd)) / 1_000_000
    return used.model_copy(update={"cost_usd": cost, "extra": {"argusic": {"seconds": answer.seconds}}})
