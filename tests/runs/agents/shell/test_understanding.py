"""What is read out of an answer, and that whatever a model says can be said to it again."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argusic.runs.agents.shell.answer import Answer, Called, Gathering
from argusic.runs.agents.shell.conversation import Conversation, Form, Told, Turn
from argusic.runs.agents.shell.failures import failure, failure_in_stream
from argusic.runs.agents.shell.prompt import prompt
from argusic.runs.agents.shell.understanding import MOST_COMMANDS, TOOL, understand

ANY_TEXT = st.text(st.characters(), max_size=60)
CALLS = st.builds(
    Called,
    ANY_TEXT,
    st.sampled_from([TOOL, "", "other"]),
    st.one_of(ANY_TEXT, ANY_TEXT.map(lambda text: json.dumps({"command": text})), st.just('{"command": 1e999}')),
)
ANSWERS = st.builds(
    Answer,
    text=st.one_of(ANY_TEXT, ANY_TEXT.map(lambda text: f"```bash\n{text}\n```")),
    reasoning=ANY_TEXT,
    reasoning_field=st.sampled_from(["", "reasoning"]),
    calls=st.lists(CALLS, max_size=3).map(tuple),
    refusal=st.sampled_from(["", "no"]),
    finish=st.sampled_from(["", "stop", "length", "tool_calls", "content_filter"]),
)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("```bash\nls\n```", "ls"),
        ("I look.\n\n```sh\nls -l\n```\nThen I go on.", "ls -l"),
        ("```shell\r\na\r\nb\r\n```", "a\nb"),
        ("````bash\ncat > x.md << 'END'\n```\ncode\n```\nEND\n````", "cat > x.md << 'END'\n```\ncode\n```\nEND"),
        ("```bash\n# a comment\necho 1\n\necho 2\n```", "# a comment\necho 1\n\necho 2"),
        ("```bash\n\n```\n```bash\nls\n```", "ls"),
        ("  ```BASH\n  ls\n  ```", "  ls"),
        ("```bash\nls", "ls"),
        ("<think>```bash\nrm -rf ~\n```</think>```bash\nls\n```", "ls"),
    ],
)
def test_a_command_is_what_stands_in_the_first_block(text: str, command: str) -> None:
    (action,) = understand(Answer(text, finish="stop")).actions
    assert (action.command, action.why_not) == (command, "")


@pytest.mark.parametrize(
    "text",
    ["DONE", "done.", "**DONE**", "The report is in place.\n\nDONE", "DONE\n\nIt runs.", "<think>so</think>DONE"],
)
def test_done_is_understood(text: str) -> None:
    assert understand(Answer(text)).done


@pytest.mark.parametrize(
    "text", ["I have not done it.", "DONE soon", "```bash\necho DONE\n```", "```python\nDONE\n```", ""]
)
def test_what_is_not_done_is_not_taken_for_it(text: str) -> None:
    assert not understand(Answer(text)).done


def test_a_call_wins_over_done() -> None:
    found = understand(Answer("DONE", calls=(Called("c", TOOL, '{"command": "ls"}'),)))
    assert not found.done
    assert [action.command for action in found.actions] == ["ls"]


@pytest.mark.parametrize(
    ("given_", "seconds"), [(30, 30.0), ("45", 45.0), (1.5, 1.5), (0, None), (-1, None), (True, None), ("soon", None)]
)
def test_a_time_is_read_leniently(given_: object, seconds: float | None) -> None:
    arguments = json.dumps({"command": "ls", "timeout_seconds": given_})
    (action,) = understand(Answer(calls=(Called("c", TOOL, arguments),))).actions
    assert action.timeout == seconds


def test_more_calls_than_are_run_are_told_so() -> None:
    calls = tuple(Called("same", TOOL, '{"command": "ls"}') for _ in range(MOST_COMMANDS + 2))
    found = understand(Answer(calls=calls))
    assert [bool(action.why_not) for action in found.actions] == [False] * MOST_COMMANDS + [True] * 2
    assert len({call.id for call in found.answer.calls}) == len(calls)


@given(st.lists(ANSWERS, max_size=6), st.integers(800, 6000), st.booleans())
def test_whatever_a_model_says_it_can_be_told_again_and_fits(answers: list[Answer], room: int, calls: bool) -> None:
    conversation, form = Conversation(prompt(), "The mission."), Form(calls=calls)
    for answer in answers:
        found = understand(answer)
        told = [Told("[exit status 0]", "x" * 500, action.call) for action in found.actions] or [Told("Go on.")]
        commands = tuple(action.command for action in found.actions if action.command)
        conversation.add(Turn(found.answer, commands, told))
    fits = conversation.fit(room, form)
    messages = conversation.messages(form)
    json.dumps(messages, ensure_ascii=False).encode()
    assert fits == (conversation.count(form) <= room)
    open_calls: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] == open_calls.pop(0)
            continue
        assert open_calls == []
        open_calls = [call["id"] for call in message.get("tool_calls", ())]
        for call in message.get("tool_calls", ()):
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
    assert open_calls == []
    roles = [message["role"] for message in messages if message["role"] != "tool"]
    if not calls:
        assert roles == ["system"] + ["user", "assistant"] * (len(roles) // 2 - 1) + ["user"]


FIELDS = (
    *("choices", "delta", "message", "content", "tool_calls", "function", "name", "arguments", "id", "index", "type"),
    *("usage", "prompt_tokens", "prompt_tokens_details", "cached_tokens", "error", "code", "text"),
    *("finish_reason", "reasoning"),
)
ANY_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), ANY_TEXT),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(FIELDS),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(st.sampled_from(["choices", "usage"]), ANY_JSON), max_size=4))
def test_no_chunk_is_too_odd(chunks: list[dict[str, object]]) -> None:
    gathering = Gathering()
    for chunk in chunks:
        gathering.add(chunk)
    understand(gathering.answer())


@given(
    st.one_of(st.binary(max_size=200), ANY_JSON.map(lambda value: json.dumps(value).encode())), st.integers(300, 599)
)
def test_no_error_is_too_odd(body: bytes, status: int) -> None:
    assert failure(status, body, {"retry-after": "soon", "retry-after-ms": "x"}).says


@given(ANY_JSON)
def test_no_error_in_a_stream_is_too_odd(error: object) -> None:
    assert failure_in_stream(error).says
