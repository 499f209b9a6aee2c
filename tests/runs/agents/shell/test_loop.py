"""The loop: commands by calls or fenced blocks, what the model is told of them, and how it ends."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from argusic import __version__
from argusic.errors import InputError
from argusic.evidence.trajectory import TrajectoryWriter
from argusic.records.configuration import ModelUsed
from argusic.runs.agents.given import Given
from argusic.runs.agents.registry import implementation, implementations
from argusic.runs.agents.shell.agent import Shell
from argusic.runs.agents.shell.prompt import prompt
from argusic.runs.keys.access import ModelAccess
from argusic.runs.session import AttemptOver
from tests.model_server import Call, Reply, Usage, by_turn
from tests.runs.agents.conftest import ShellSession
from tests.runs.agents.shell.working import DONE, Working, call, fence, run


@pytest.mark.parametrize("ask", [run, fence])
def test_a_model_works_with_calls_or_with_fenced_blocks(working: Working, session: ShellSession, ask: object) -> None:
    assert callable(ask)
    report = working.mission.report_path
    worked = working.work(by_turn(ask("ls subject"), ask(f"echo 'installed: false' > {report}"), DONE))
    assert worked.end == "done"
    assert [row.command for row in session.commands[1:]] == ["ls subject", f"echo 'installed: false' > {report}"]
    assert Path(report).read_text() == "installed: false\n"
    assert worked.told[0].startswith("[exit status 0 after ")


def test_the_mission_is_told_whole_and_the_same_to_whatever_model(working: Working) -> None:
    working.mission = replace(working.mission, instructions="The standard instructions.")
    worked = working.work(by_turn(DONE))
    system, mission = worked.sent()["messages"]
    assert (system["role"], mission["role"]) == ("system", "user")
    assert mission["content"].startswith("The standard instructions.\n")
    for part in (working.mission.task, working.mission.report_path, working.mission.subject_folder):
        assert part in mission["content"]
    assert [step.message for step in worked.trajectory.steps[:2]] == [system["content"], mission["content"]]


def test_the_trajectory_says_everything_under_the_neutral_identity(working: Working) -> None:
    price = {"input_usd": "1", "output_usd": "10", "as_of": "2026-11-01", "source": "the maker's list"}
    told = Reply(
        "Look.", calls=(call("echo out; exit 3", timeout_seconds=5),), reasoning="hm", usage=Usage(1000, 100, 900)
    )
    worked = working.work(by_turn(told, replace(DONE, usage=Usage(2000, 1))), price=price)
    trajectory = worked.trajectory
    step = trajectory.steps[2]
    assert (trajectory.agent.name, trajectory.agent.version) == ("agent-7", __version__)
    assert trajectory.agent.extra == {
        "argusic": {"program": "shell", "prompt": {"id": prompt().id, "sha256": prompt().sha256}}
    }
    assert "model-1" not in (working.folder / "trajectory.json").read_text()
    assert (step.message, step.reasoning_content) == ("Look.", "hm")
    assert step.tool_calls is not None
    assert step.tool_calls[0].arguments == {"command": "echo out; exit 3", "timeout_seconds": 5.0}
    assert step.observation is not None
    result = step.observation.results[0]
    assert result.source_call_id == step.tool_calls[0].tool_call_id
    assert (result.content or "").startswith("[exit status 3 after ")
    assert (result.content or "").endswith("\nout")
    assert result.extra == {"argusic": {"command": 2, "exit_status": 3, "cut": None}}
    assert step.metrics is not None
    assert (step.metrics.prompt_tokens, step.metrics.cached_tokens, step.metrics.cost_usd) == (1000, 900, 0.002)
    assert trajectory.final_metrics is not None
    assert trajectory.final_metrics.total_cost_usd == 0.00401


def test_what_the_model_thought_is_given_back_with_its_calls(working: Working) -> None:
    worked = working.work(by_turn(run("true", reasoning="I think"), DONE))
    said = worked.sent()["messages"][2]
    assert said["reasoning_content"] == "I think"
    assert said["tool_calls"][0]["function"]["name"] == "run_command"


def test_several_calls_of_an_answer_are_run_one_after_the_other(working: Working, session: ShellSession) -> None:
    both = Reply(calls=(call("cd subject"), call("pwd"), Call("look_up", {"q": "x"})))
    worked = working.work(by_turn(both, DONE))
    assert [row.command for row in session.commands[1:]] == ["cd subject", "pwd"]
    assert worked.told[1].endswith(f"{session.home}/subject")
    assert worked.told[2] == "[not run: there is no tool 'look_up'; there is run_command]"
    assert [message["role"] for message in worked.sent()["messages"][2:]] == ["assistant", "tool", "tool", "tool"]


def test_of_several_blocks_the_first_is_run_and_that_is_said(working: Working, session: ShellSession) -> None:
    working.work(by_turn(Reply("```bash\necho 1\n```\nthen\n```bash\necho 2\n```"), DONE))
    assert [row.command for row in session.commands[1:]] == ["echo 1"]


def test_a_command_that_takes_too_long_is_killed_and_the_model_told(working: Working) -> None:
    worked = working.work(by_turn(Reply(calls=(call("echo begun; sleep 60", timeout_seconds=1),)), DONE))
    assert worked.told[0].startswith("[killed: it took longer than 1 s;")
    assert worked.told[0].endswith("begun")


def test_a_command_that_waits_for_input_finds_its_end(working: Working) -> None:
    worked = working.work(by_turn(run("read answer; echo $?; cat; python3 -c 'input()'"), DONE))
    assert worked.told[0].startswith("[exit status 1 ")
    assert "EOFError" in worked.told[0]


def test_a_server_in_the_background_goes_on(working: Working) -> None:
    serve = "sleep 60 > server.log 2>&1 & server=$!"
    worked = working.work(by_turn(run(serve), run("kill -0 $server && echo up; kill $server"), DONE))
    assert worked.told[1].endswith("\nup")


def test_the_middle_of_a_long_output_is_left_out(working: Working) -> None:
    worked = working.work(by_turn(run("seq 1 100000"), DONE), context_tokens=4096, max_tokens=512)
    told = worked.told[0]
    assert len(told) < 2500
    assert "characters left out" in told
    assert told.endswith("\n100000")


def test_bytes_that_are_no_text_do_no_harm(working: Working) -> None:
    worked = working.work(by_turn(run(r"printf 'a\xff\xfe\x00b\n'; head -c 3000 /dev/urandom"), DONE))
    assert worked.end == "done"
    json.dumps(worked.sent()).encode()


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (Reply("I shall now install it."), "There is no command in your answer."),
        (Reply(""), "Your answer was empty."),
        (Reply("I cannot help with that.", finish="refusal"), "Nothing was run."),
        (Reply("```bash\necho 'one two", finish="length"), "Your answer was cut off"),
        (Reply("```python\nprint(1)\n```"), "There is no command in your answer."),
    ],
)
def test_an_answer_without_a_command_is_asked_again_four_times(working: Working, reply: Reply, told: str) -> None:
    worked = working.work(by_turn(reply))
    assert worked.end == "no_command"
    assert len(worked.server.asked) == 4
    assert worked.sent(1)["messages"][-1]["role"] == "user"
    assert worked.sent(1)["messages"][-1]["content"].startswith(told)
    assert [step.source for step in worked.trajectory.steps[2:]] == ["agent", "user"] * 4


def test_a_command_in_between_starts_the_count_anew(working: Working) -> None:
    idle = Reply("Hm.")
    worked = working.work(by_turn(idle, idle, idle, run("true"), idle, idle, idle, DONE))
    assert worked.end == "done"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ('{"command": "ls', "is no JSON"),
        ("[1]", "must be given an object"),
        ("{}", "lacks `command`"),
        ('{"command": 7}', "lacks `command`"),
        ('{"command": "  "}', "the command is empty"),
        ('{"command": "a\\u0000b"}', "holds a NUL"),
        ("[" * 100_000, "is no JSON"),
    ],
)
def test_a_call_that_cannot_be_run_is_told_and_kept_as_it_came(working: Working, arguments: str, why: str) -> None:
    function = {"name": "run_command", "arguments": arguments}
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c", "type": "function", "function": function}],
    }
    raw = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}).encode()
    worked = working.work(by_turn(Reply(raw=raw), DONE))
    assert worked.end == "done"
    assert why in worked.told[0]
    (sent,) = worked.sent()["messages"][2]["tool_calls"]
    json.loads(sent["function"]["arguments"])
    (call_,) = worked.trajectory.steps[2].tool_calls or ()
    if "JSON" in why:
        assert call_.extra == {"argusic": {"as_it_came": arguments}}


def test_half_a_character_in_a_command_does_not_end_the_attempt(working: Working) -> None:
    function = {"name": "run_command", "arguments": json.dumps({"command": "echo '\ud83d'"})}
    message = {"role": "assistant", "tool_calls": [{"id": "", "type": "function", "function": function}] * 2}
    raw = json.dumps({"choices": [{"message": message, "finish_reason": "tool_calls"}]}).encode()
    worked = working.work(by_turn(Reply(raw=raw), DONE))
    assert worked.end == "done"
    assert [call.tool_call_id for call in worked.trajectory.steps[2].tool_calls or ()] == ["call_1", "call_2"]


def test_nothing_but_text_is_ever_sent(working: Working, session: ShellSession) -> None:
    (session.home / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    worked = working.work(by_turn(run("cat picture.png"), fence("base64 picture.png"), DONE))
    for asked in worked.server.asked:
        for message in asked.messages:
            assert isinstance(message["content"], str | None)


def test_the_attempt_s_end_ends_it_while_the_model_thinks(working: Working, session: ShellSession) -> None:
    session._end = session._end - session.remaining + 1.5
    with pytest.raises(AttemptOver):
        working.work(by_turn(Reply("DONE", delay=30)))
    assert working.trajectory().notes == "The attempt ended before the agent did."


def test_it_is_found_by_its_name_and_needs_a_model(working: Working) -> None:
    assert "shell" in implementations()
    with pytest.raises(InputError, match="needs a model"):
        implementation("shell")
    access = ModelAccess(ModelUsed(name="m", url="http://127.0.0.1:9/v1"), "http://127.0.0.1:9/v1", "t")
    given = Given(access, TrajectoryWriter(working.folder / "lines", agent="agent-7", run="r"))
    assert isinstance(implementation("shell", given), Shell)
    assert implementation("nop", given) is not None


def test_another_protocol_is_refused_early(working: Working) -> None:
    model = ModelUsed(name="m", url="http://127.0.0.1:9/v1", api="anthropic_messages")
    with pytest.raises(InputError, match="anthropic_messages"):
        Shell(ModelAccess(model, model.url, "t"), TrajectoryWriter(working.folder / "l", agent="a", run="r"))
