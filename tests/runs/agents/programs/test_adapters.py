"""What is known of each program: its start, its wrapping, and its trajectory; whatever else comes is borne."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argusic.errors import InputError
from argusic.evidence.trajectory import TrajectoryWriter
from argusic.records.configuration import Api, ModelUsed, ProgramUsed
from argusic.runs.agents.given import Given
from argusic.runs.agents.programs import ADAPTERS, agent_program
from argusic.runs.agents.programs.adapter import Adapter, Told
from argusic.runs.agents.programs.conversation import Conversation
from argusic.runs.agents.programs.show_events import show
from argusic.runs.keys.access import ModelAccess

TOKEN = "sk-run-of-the-test"
NAMES = sorted(ADAPTERS)


def model(api: Api, **fields: object) -> ModelUsed:
    return ModelUsed.model_validate(
        {"name": "maker/secret-model", "api": api, "url": "http://127.0.0.1:9/v1", **fields}
    )


def used(name: str) -> ProgramUsed:
    return ProgramUsed(adapter=name, version="1.2.3", command="run-it" if name == "command" else None)


def adapter(name: str) -> Adapter:
    return ADAPTERS[name](used(name))


def an_api(one: Adapter) -> Api:
    return sorted(one.apis)[0]


@pytest.mark.parametrize("name", NAMES)
def test_key_and_model_come_in_by_variables_alone(name: str) -> None:
    one = adapter(name)
    told = Told(model(an_api(one)), "http://127.0.0.1:61185/v1", TOKEN)
    start = one.start(told)
    for line in (start.command, *start.prepare, one.install("1.2.3") or ""):
        assert TOKEN not in line and "secret-model" not in line
    assert TOKEN in start.environment.values()
    assert any("secret-model" in value for value in start.environment.values())
    assert TOKEN not in repr(start) and TOKEN not in repr(told)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "command"])
def test_the_version_is_pinned(name: str) -> None:
    line = adapter(name).install("1.2.3; rm -rf x")
    assert line is not None and "1.2.3; rm -rf x'" in line


def program(used: ProgramUsed, used_model: ModelUsed, folder: Path) -> None:
    access = ModelAccess(used_model, used_model.url, TOKEN)
    agent_program(used, Given(access, TrajectoryWriter(folder / "lines", agent="heron", run="x"), used))


def test_what_a_program_cannot_do_is_refused_in_a_sentence(tmp_path: Path) -> None:
    for one, how in (
        (used("nothing-known"), model("openai_chat")),
        (used("codex"), model("openai_chat")),
        (used("codex"), model("openai_responses", temperature=0.5)),
        (ProgramUsed(adapter="command", version="1"), model("openai_chat")),
    ):
        with pytest.raises(InputError) as refused:
            program(one, how, tmp_path)
        assert str(refused.value).count(".") >= 1


CLAUDE_LINE = (
    "source /root/.claude/shell-snapshots/s.sh 2>/dev/null || true && \\builtin shopt -u extglob 2>/dev/null || true "
    "&& { \\builtin unset -f -- 'which'; } >/dev/null 2>&1 || true && eval %s && pwd -P >| /tmp/claude-252f-cwd"
)
CODEX_LINE = "if [ -n \"${PATH:-}\" ]; then export PATH='/x':\"$PATH\"; fi\n\nexec '/bin/bash' -c %s"


@pytest.mark.parametrize(
    ("name", "line", "command"),
    [
        ("claude-code", CLAUDE_LINE % "'cd subject && ls' < /dev/null", "cd subject && ls"),
        ("claude-code", CLAUDE_LINE % "'echo '\"'\"'a b'\"'\"''", "echo 'a b'"),
        (
            "claude-code",
            CLAUDE_LINE % "'cat > x << '\"'\"'END'\"'\"'\n1 && pwd\nEND'",
            "cat > x << 'END'\n1 && pwd\nEND",
        ),
        ("claude-code", CLAUDE_LINE % "ls \\< /dev/null", "ls"),
        ("codex", CODEX_LINE % "'ls -l'", "ls -l"),
        ("codex", CODEX_LINE % "'echo '\"'\"'a'\"'\"'\nexit 3'", "echo 'a'\nexit 3"),
    ],
)
def test_what_a_program_wraps_a_command_in_is_taken_off(name: str, line: str, command: str) -> None:
    assert adapter(name).unwrap(line) == command


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "line", ["ls", "eval 'a' 'b'", "exec '/bin/bash' -c 'x'", "eval 'unfinished", "git log && pwd", ""]
)
def test_a_line_that_is_not_wrapped_stays_as_it_is(name: str, line: str) -> None:
    assert adapter(name).unwrap(line) == line


@pytest.mark.parametrize("name", NAMES)
@given(
    data=st.binary(max_size=200)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(
                    ["type", "payload", "message", "messages", "content", "role", "id", "call_id", "usage", "text"]
                ),
                inner | st.sampled_from(["assistant", "user", "response_item", "tool_use", "tool_result", "message"]),
                max_size=6,
            )
        ),
        max_leaves=12,
    ).map(lambda value: json.dumps(value).encode())
)
@settings(max_examples=120)
def test_whatever_a_trajectory_holds_its_steps_are_steps(name: str, data: bytes) -> None:
    conversation = Conversation()
    with suppress(Exception):  # As whoever reads it bears it.
        adapter(name).read(data, conversation)
    assert [step.step_id for step in conversation.steps()] == list(range(1, len(conversation.steps()) + 1))


def test_a_trajectory_that_breaks_off_counts_as_far_as_it_goes() -> None:
    line = {"type": "assistant", "message": {"id": "1", "content": [{"type": "text", "text": "so far"}]}}
    conversation = Conversation()
    with pytest.raises(ValueError):
        adapter("claude-code").read(json.dumps(line).encode() + b'\n{"type": "assis', conversation)
    assert [step.message for step in conversation.steps()] == ["so far"]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ('{"type": "system", "model": "secret-model"}', ""),
        (
            '{"type": "assistant", "message": {"model": "secret-model", "content": [{"type": "text", "text": "hi"}]}}',
            "hi",
        ),
        (
            '{"type": "assistant", "message": {"content": '
            '[{"type": "tool_use", "name": "Bash", "input": {"command": "ls"}}]}}',
            "> Bash: ls",
        ),
        ('{"type": "user", "message": {"content": [{"type": "tool_result", "content": "one\\ntwo"}]}}', "one\ntwo"),
        ('{"type": "result", "subtype": "success"}', ""),
        ('{"type": "result", "subtype": "error_max_turns"}', "(ended: error_max_turns)"),
        ('[claude-code:unrecognized_model] {"model": "secret-model"}', ""),
        ("It says something else.\n", "It says something else."),
        ('{"type": "assistant", "message": 3}', "(an event that is not known)"),
        ("{broken", "(an event that is not known)"),
    ],
)
def test_events_are_shown_without_the_model(line: str, shown: str) -> None:
    assert show(line) == shown
