"""A trajectory survives a kill at any moment, is written once, and is a document of the interchange format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from argusic.evidence.redaction.known import KnownSecret
from argusic.evidence.redaction.redact import redact
from argusic.evidence.trajectory import CUT_SHORT, TrajectoryWriter, assemble, writable
from argusic.records.trajectory import Metrics, ObservationResult, Step, ToolCall, Trajectory

CALL = {"tool_call_id": "c", "function_name": "f", "arguments": {}}
RUN = "20261130T014500Z-k3x9q2"


def written(path: Path, output: str = "ok", *, ended: bool = True) -> Path:
    writer = TrajectoryWriter(path, agent="agent-7", run=RUN)
    writer.begin("0.1.0", tools=[{"type": "function"}], extra={"prompt": "shell-1"})
    writer.step("system", "Work.")
    writer.step("user", "The task.")
    number = writer.step(
        "agent",
        "Let me look.",
        reasoning="hm",
        calls=[ToolCall(tool_call_id="c1", function_name="run_command", arguments={"command": "ls"})],
        metrics=Metrics(prompt_tokens=10, completion_tokens=2, cost_usd=0.1),
    )
    writer.result(number, ObservationResult(source_call_id="c1", content=output, extra={"command": 1}))
    writer.step("agent", "DONE", metrics=Metrics(prompt_tokens=20, completion_tokens=1, cost_usd=0.2))
    if ended:
        writer.end({"how": "done"})
    writer.close()
    return path


def assembled(lines: Path) -> dict[str, Any]:
    target = lines.with_name("trajectory.json")
    assert assemble(lines, target)
    data: dict[str, Any] = json.loads(target.read_bytes())
    target.unlink()
    return data


def test_a_document_holds_every_step_with_what_came_of_it(tmp_path: Path) -> None:
    found = assembled(written(tmp_path / "lines"))
    assert (found["schema_version"], found["session_id"], found["agent"]["name"]) == ("ATIF-v1.7", RUN, "agent-7")
    assert "model_name" not in found["agent"]
    assert [step["source"] for step in found["steps"]] == ["system", "user", "agent", "agent"]
    assert found["steps"][2]["observation"]["results"] == [
        {"source_call_id": "c1", "content": "ok", "extra": {"command": 1}}
    ]
    assert found["final_metrics"] == {
        "total_prompt_tokens": 30, "total_completion_tokens": 3, "total_cost_usd": 0.3, "total_steps": 4
    }  # fmt: skip
    assert found["extra"] == {"argusic": {"end": {"how": "done"}}}
    assert "notes" not in found


def test_a_kill_at_any_byte_leaves_a_document_or_nothing(tmp_path: Path) -> None:
    whole = written(tmp_path / "lines").read_bytes()
    steps = []
    ends = [at for at, byte in enumerate(whole) if byte == ord("\n")]
    for size in sorted(
        {*range(0, len(whole), 53), *(at + more for at in ends for more in (0, 1, 2))} - {len(whole) + 1}
    ):
        lines = tmp_path / "cut"
        lines.write_bytes(whole[:size])
        target = tmp_path / "cut.json"
        if assemble(lines, target):
            data = json.loads(target.read_bytes())
            steps.append(len(data["steps"]))
            assert (data.get("notes") == CUT_SHORT) == (size < len(whole))
            target.unlink()
    assert steps == sorted(steps)
    assert set(steps) == {1, 2, 3, 4}
    assert len(steps) > 20


def test_nothing_is_written_of_an_agent_that_said_nothing(tmp_path: Path) -> None:
    assert not assemble(tmp_path / "lines", tmp_path / "document")
    TrajectoryWriter(tmp_path / "lines", agent="agent-7", run=RUN).begin("1")
    assert not assemble(tmp_path / "lines", tmp_path / "document")
    assert not (tmp_path / "document").exists()


def test_a_document_that_is_there_is_kept(tmp_path: Path) -> None:
    lines = written(tmp_path / "lines")
    (tmp_path / "document").write_text("{}")
    assert assemble(lines, tmp_path / "document")
    assert (tmp_path / "document").read_text() == "{}"


def test_lines_grow_by_what_a_step_adds(tmp_path: Path) -> None:
    """Hundred steps take a hundred times the room of one, not its square."""
    writer = TrajectoryWriter(tmp_path / "lines", agent="agent-7", run=RUN)
    writer.begin("1")
    sizes = []
    for _ in range(100):
        writer.step("user", "x" * 1000)
        sizes.append((tmp_path / "lines").stat().st_size)
    assert sizes[-1] < 101 * sizes[0]


def test_half_characters_and_nan_do_not_spoil_the_document(tmp_path: Path) -> None:
    found = assembled(written(tmp_path / "lines", "half \ud800 \U0001f42e"))
    assert found["steps"][2]["observation"]["results"][0]["content"] == "half � \U0001f42e"
    assert writable({"a": [float("nan"), "\ud83d\udc2e"]}) == {"a": [None, "\U0001f42e"]}


@given(st.text(st.characters(), max_size=200))
def test_any_text_is_written(text: str) -> None:
    assert json.loads(json.dumps(writable(text), ensure_ascii=False).encode()) == writable(text)


def test_a_secret_in_it_is_masked_and_it_stays_a_document(tmp_path: Path) -> None:
    token = "argusic-run-" + "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA"
    raw, served = tmp_path / "raw", tmp_path / "served"
    raw.mkdir()
    served.mkdir()
    assemble(written(tmp_path / "lines", f'"token": "{token}"\n'), raw / "trajectory.json")
    result = redact(raw, served, [KnownSecret("the run's key", token)])
    assert result.withheld is None
    data = (served / "trajectory.json").read_text()
    assert token not in data
    assert Trajectory.model_validate_json(data).steps[2].observation is not None


@pytest.mark.parametrize(
    "fields",
    [
        {"source": "user", "message": "x", "reasoning_content": "y"},
        {"source": "agent", "message": "x", "observation": {"results": [{"source_call_id": "c", "content": "y"}]}},
        {"source": "agent", "message": "x", "tool_calls": [CALL, CALL]},
    ],
)
def test_what_the_format_forbids_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Step.model_validate({"step_id": 1, **fields})
