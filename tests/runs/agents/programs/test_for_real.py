"""The published programs, unmodified, in a sandbox, against the scripted model server: recorded, seen, understood."""

from __future__ import annotations

from pathlib import Path

import pytest

from argusic.evidence.redaction.banners import banners
from argusic.evidence.redaction.redact import redact
from argusic.rules.endings import ENDINGS
from argusic.sandbox.registry import provider
from tests.agent_programs import PROGRAMS
from tests.model_server import Reply
from tests.runs.agents.programs.attempts import MODEL, REAL_KEY, REPORT, WORK, Made, attempt, working

pytestmark = [pytest.mark.sandbox, pytest.mark.programs, pytest.mark.timeout(1500)]

COMMANDS = list(WORK)


@pytest.fixture(scope="module", params=sorted(PROGRAMS))
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Made]:
    name: str = request.param
    used, api = PROGRAMS[name]
    folder = tmp_path_factory.mktemp(name)
    return name, attempt(provider("bubblewrap"), folder, used, api, working(COMMANDS, thinks=_thoughts(name)))


def _thoughts(name: str) -> str:
    return "I think first." if name != "claude-code" else ""


def test_the_program_works_to_its_own_end_and_leaves_a_report(made: tuple[str, Made]) -> None:
    _, run = made
    assert run.ended == "completed"
    assert run.report == REPORT.encode()


def test_the_program_as_a_whole_is_one_command_behind_those_that_put_it_in_place(made: tuple[str, Made]) -> None:
    _, run = made
    assert [row.source for row in run.rows] == ["set_up"] * (len(run.rows) - 1) + ["program"]
    assert all(row.exit_status == 0 for row in run.rows)
    assert run.coverage.complete, run.coverage.lacks


def test_the_command_table_shows_its_work_as_seen_from_outside(made: tuple[str, Made]) -> None:
    _, run = made
    assert run.coverage.inner_seen == "observed"
    ended = {row.command: row.exit_status for row in run.inner}
    for command, status in WORK.items():
        assert ended.get(command) == status, (command, sorted(ended))
    program = run.rows[-1]
    for row in run.inner:
        assert row.ended is not None and program.ended is not None
        assert program.started <= row.started <= row.ended


def test_the_trajectory_tells_each_step(made: tuple[str, Made]) -> None:
    name, run = made
    steps = run.trajectory.steps
    agents = [step for step in steps if step.source == "agent"]
    said = [step.message for step in agents]
    assert said[: len(COMMANDS)] == [f"Step {number}." for number in range(1, len(COMMANDS) + 1)]
    called = [
        str(call.arguments.get("command", call.arguments.get("cmd")))
        for step in agents
        for call in step.tool_calls or ()
    ]
    assert called[: len(COMMANDS)] == COMMANDS
    told = [
        result.content or "" for step in agents for result in (step.observation.results if step.observation else ())
    ]
    assert "greet.py" in told[0] and "Hello, World!" in told[1]
    assert all(step.timestamp is not None for step in agents)
    assert any("Find out whether greeter runs." in step.message for step in steps if step.source == "user")
    if name != "claude-code":
        assert agents[0].reasoning_content == _thoughts(name)
    sums = run.trajectory.final_metrics
    assert sums is not None and sums.total_prompt_tokens and sums.total_completion_tokens


def test_its_sums_are_what_the_gateway_counted(made: tuple[str, Made]) -> None:
    _, run = made
    sums = run.trajectory.final_metrics
    assert sums is not None
    assert (sums.total_prompt_tokens, sums.total_completion_tokens) == (run.use.input_tokens, run.use.output_tokens)


def test_the_recording_shows_what_it_does(made: tuple[str, Made]) -> None:
    _, run = made
    for text in ("Step 1.", "Step 2.", "Hello, World!", "exit 7"):
        assert text in run.log


def test_the_real_key_is_nowhere_and_the_runs_token_in_no_evidence(made: tuple[str, Made]) -> None:
    _, run = made
    files = [path.read_bytes() for path in run.folder.iterdir()]
    files.append(run.trajectory.model_dump_json().encode())
    for data in files:
        assert REAL_KEY.encode() not in data and run.token.encode() not in data
    assert run.inside == b""


def test_the_model_is_named_in_no_command_and_in_nothing_that_is_served(made: tuple[str, Made], tmp_path: Path) -> None:
    name, run = made
    assert not [row.command for row in (*run.rows, *run.inner) if MODEL in row.command]
    assert name in banners()
    served = redact(run.folder, tmp_path, program=name)
    assert served.withheld is None
    for file in ("recording.cast", "session.log"):
        assert MODEL not in (tmp_path / file).read_text()
    assert MODEL not in run.trajectory.model_dump_json()


def test_a_budget_that_ends_keeps_what_the_program_did_so_far(tmp_path: Path) -> None:
    used, api = PROGRAMS["codex"]
    script = working(["echo begun", "sleep 600"], last=Reply("I wait.", delay=60))
    run = attempt(provider("bubblewrap"), tmp_path, used, api, script, budget=20)
    assert run.ended == "time_limit"
    assert [row.command for row in run.inner][-2:] == ["echo begun", "sleep 600"]
    assert [step.message for step in run.trajectory.steps if step.source == "agent"] == ["Step 1.", "Step 2."]
    assert run.trajectory.notes is not None
    assert run.rows[-1].exit_status is None and run.rows[0].source == "set_up"


def test_a_program_that_cannot_be_put_in_place_is_no_fault_of_the_agent(tmp_path: Path) -> None:
    used, api = PROGRAMS["codex"]
    absent = used.model_copy(update={"version": "0.0.0-none"})
    run = attempt(provider("bubblewrap"), tmp_path, absent, api, working(COMMANDS))
    assert (run.ended, ENDINGS["program_not_installed"].valid) == ("program_not_installed", False)
    assert [row.source for row in run.rows] == ["set_up"] and run.asked == []
