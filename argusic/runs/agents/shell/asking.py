"""Asking until there is an answer: with patience where the endpoint has none left, and in the form that it knows."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final, Literal, TypeVar

from argusic.records.configuration import ModelUsed
from argusic.runs.agents.shell.answer import Answer
from argusic.runs.agents.shell.conversation import Conversation, Form
from argusic.runs.agents.shell.endpoint import Endpoint
from argusic.runs.agents.shell.failures import Failed
from argusic.runs.agents.shell.prompt import Prompt
from argusic.runs.keys.access import ModelUnavailable
from argusic.runs.session import Session

#: How often, in seconds, it is looked whether the attempt goes on while the model is waited for.
_LOOK: Final = 0.2
#: Each time that the endpoint finds a question too long, the next is shorter by this; so often.
_SHORTER, _TIMES_SHORTER = 0.75, 10
#: Tokens that an endpoint may count in a question beside what can be seen of it.
_UNSEEN: Final = 64

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Patience:
    """How long an endpoint is waited for.

    Attributes:
        tries: How often one question is put.
        first: Seconds after the first failure; twice as long after each further one.
        longest: Seconds at most, where the endpoint names none itself.
        altogether: Seconds of waiting for one answer.
    """

    tries: int = 12
    first: float = 1.0
    longest: float = 60.0
    altogether: float = 1200.0


class Stopped(Exception):
    """No further answer is to be had, by the rules of the run or by the model's own size.

    Attributes:
        how: Which.
    """

    def __init__(self, how: Literal["cap_reached", "context_full"], says: str) -> None:
        super().__init__(says)
        self.how = how


class Asker:
    """Puts a run's questions.

    Args:
        endpoint: Where.
        model: To which model.
        prompt: Our own texts.
        patience: How long an endpoint is waited for.
        random: Spreads the waiting.

    Attributes:
        form: How the endpoint wants to be asked, as far as it has said.
    """

    def __init__(
        self, endpoint: Endpoint, model: ModelUsed, prompt: Prompt, patience: Patience, random: Random
    ) -> None:
        self.form = Form()
        self._endpoint = endpoint
        self._model = model
        self._prompt = prompt
        self._patience = patience
        self._random = random
        self._most = min(model.max_tokens, model.context_tokens // 2)
        self._room = max(1, model.context_tokens - self._most - _UNSEEN)

    def ask(self, conversation: Conversation, session: Session) -> Answer:
        """Return the answer to a conversation, which may lose its oldest parts.

        Raises:
            AttemptOver: The attempt ended meanwhile.
            Stopped: No further answer is to be had.
            ModelUnavailable: The endpoint gives none, which is no doing of the agent's.
        """
        return asyncio.run(_while_it_goes_on(self._ask(conversation, session), session))

    async def _ask(self, conversation: Conversation, session: Session) -> Answer:
        self._fit(conversation, self._room)
        shorter = 0
        tries, waited = 1, 0.0
        while True:
            began = time.monotonic()
            try:
                answer = await self._endpoint.ask(self._body(conversation))
            except Failed as failed:
                if failed.kind == "cap":
                    raise Stopped("cap_reached", failed.says) from failed
                if failed.kind == "refused":
                    answer = Answer(refusal=failed.says)
                elif failed.kind == "context" and shorter < _TIMES_SHORTER:
                    shorter += 1
                    self._room = int(min(self._room, conversation.count(self.form)) * _SHORTER)
                    self._fit(conversation, self._room)
                    continue
                elif failed.kind == "request" and self._otherwise(failed.says):
                    continue
                elif failed.kind == "again":
                    waited += await self._wait(failed, tries, waited, session)
                    tries += 1
                    continue
                else:
                    raise ModelUnavailable(f"The model's endpoint gives no answer: {failed.sentence}") from failed
            if answer.usage is not None and answer.usage.prompt_tokens:
                conversation.learn(self.form, answer.usage.prompt_tokens)
            return answer.timed(tries=tries, waited=round(waited, 3), seconds=round(time.monotonic() - began, 3))

    def _fit(self, conversation: Conversation, room: int) -> None:
        if not conversation.fit(room, self.form):
            raise Stopped("context_full", "the mission and the last answer alone are more than the model can read")

    async def _wait(self, failed: Failed, tries: int, waited: float, session: Session) -> float:
        """Wait as long as the endpoint asks for, or longer each time; return how long that was."""
        patience = self._patience
        seconds = failed.wait
        if seconds is None:
            seconds = min(patience.longest, patience.first * 2 ** (tries - 1)) * self._random.uniform(0.5, 1)
        if tries >= patience.tries or waited + seconds > patience.altogether:
            raise ModelUnavailable(
                f"The model's endpoint gave no answer, asked {tries} times in {waited:.0f} seconds: {failed.sentence}"
            ) from failed
        if seconds >= session.remaining:
            raise ModelUnavailable(
                f"The model's endpoint gave no answer, and the budget is over before it may be asked again: "
                f"{failed.sentence}"
            ) from failed
        await asyncio.sleep(seconds)
        return seconds

    def _body(self, conversation: Conversation) -> dict[str, Any]:
        form, model = self.form, self._model
        body: dict[str, Any] = {
            "model": model.name,
            "messages": conversation.messages(form),
            "stream": True,
            form.limit_name: self._most,
        }
        if form.usage_in_streams:
            body["stream_options"] = {"include_usage": True}
        if form.calls:
            body["tools"] = list(self._prompt.tools)
        if model.temperature is not None:
            body["temperature"] = model.temperature
        if model.reasoning_effort is not None:
            body["reasoning_effort"] = model.reasoning_effort
        return body

    def _otherwise(self, says: str) -> bool:
        """Take the form that an endpoint's complaint asks for; return whether there is one that was not tried."""
        form = self.form
        if re.search("max_completion_tokens", says) and form.limit_name == "max_tokens":
            self.form = replace(form, limit_name="max_completion_tokens")
        elif re.search("stream_options|include_usage", says) and form.usage_in_streams:
            self.form = replace(form, usage_in_streams=False)
        elif re.search("reasoning(_content)?", says) and form.reasoning:
            self.form = replace(form, reasoning=False)
        elif re.search(r"\btool|function.?call|jinja", says, re.IGNORECASE) and form.calls:
            self.form = replace(form, calls=False)
        return self.form != form


async def _while_it_goes_on(work: Coroutine[Any, Any, _Result], session: Session) -> _Result:
    """Return what `work` does, and break it off when the attempt ends."""
    task = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait({task}, timeout=_LOOK))[0]:
            session.check()
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=5)
