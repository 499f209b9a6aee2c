"""An agent's own program is one recorded command, and what it ran stands in the table, by who saw it."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from argusic.evidence.commands import CommandRow, read_table
from argusic.evidence.coverage import measure
from argusic.runs.recorded_session import RecordedSession
from argusic.runs.recorder import Recorder
from argusic.runs.session import AttemptOver
from argusic.sandbox.protocol import Sandbox, SandboxSpec
from argusic.sandbox.registry import provider

pytestmark = pytest.mark.sandbox

PROGRAM = """cat > agent.py << 'END'
import subprocess, sys
subprocess.run("echo from the program > out; exit 3", shell=True, executable="/bin/bash")
subprocess.run(["bash", "-lc", "sleep 0.2; cat out"])
subprocess.run(["bash", "-c", "bash -c 'exit 4'; true"])
END
"""
RAN = ["echo from the program > out; exit 3", "sleep 0.2; cat out", "bash -c 'exit 4'; true"]


class Attempt:
    """A recorded session in a sandbox, and what it left."""

    def __init__(self, box: Sandbox, folder: Path, budget: float = 60) -> None:
        self.folder = folder
        self.recorder = Recorder(folder)
        self.session = RecordedSession(box, self.recorder, budget_seconds=budget, cancel=threading.Event())

    def end(self) -> tuple[list[CommandRow], list[CommandRow]]:
        self.recorder.end()
        return read_table(self.folder / "commands.jsonl")


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Sandbox]:
    name = f"20261130T014500Z-{''.join(random.choices('abcdefghijklmnopqrstuvwxyz234567', k=6))}"
    (tmp_path / "work").mkdir()
    sandbox = provider("bubblewrap").start(SandboxSpec(name, tmp_path / "work"))
    yield sandbox
    sandbox.destroy()


@pytest.fixture
def attempt(box: Sandbox, tmp_path: Path) -> Attempt:
    (tmp_path / "evidence").mkdir()
    return Attempt(box, tmp_path / "evidence")


def test_what_a_program_runs_is_observed(attempt: Attempt) -> None:
    attempt.session.set_up(PROGRAM, timeout=20)
    result = attempt.session.run("python3 agent.py", observed=str)
    after = attempt.session.run("echo after")
    rows, inner = attempt.end()
    assert result.ok and after.number == 6
    assert [(row.number, row.source) for row in rows] == [(1, "set_up"), (2, "program"), (6, None)]
    assert [row.command for row in inner] == RAN
    assert [row.exit_status for row in inner] == [3, 0, 0]
    assert {row.source for row in inner} == {"observed"} and {row.recorded_by for row in inner} == {"host"}
    program = rows[1]
    for row in inner:
        assert row.ended is not None and program.ended is not None
        assert program.started <= row.started <= row.ended <= program.ended
        assert (row.offset, row.log_line) == (program.offset, program.log_line)
    assert 0.2 <= (inner[1].ended or 0) - inner[1].started < 5


def test_inner_rows_make_the_recording_neither_complete_nor_incomplete(attempt: Attempt) -> None:
    attempt.session.set_up(PROGRAM, timeout=20)
    attempt.session.run("python3 agent.py", observed=str)
    attempt.session.run("echo after")
    attempt.end()
    files = [attempt.folder / name for name in ("recording.cast", "commands.jsonl", "session.log")]
    coverage = measure(files[0], files[1], files[2], 0.5)
    assert coverage.complete, coverage.lacks
    assert (coverage.commands, coverage.inner, coverage.inner_seen) == (3, 3, "observed")


def test_where_the_host_cannot_look_shells_tell_of_themselves(
    attempt: Attempt, box: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(box), "watch", lambda self: None)
    attempt.session.set_up(PROGRAM, timeout=20)
    attempt.session.run("python3 agent.py", observed=str)
    _, inner = attempt.end()
    assert [row.command for row in inner] == RAN
    assert [row.exit_status for row in inner] == [3, 0, 0]
    assert {row.source for row in inner} == {"self_reported"} and {row.recorded_by for row in inner} == {"sandbox"}


def test_what_a_program_ran_until_the_budget_ended_is_listed(box: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "evidence").mkdir()
    attempt = Attempt(box, tmp_path / "evidence", budget=3)
    with pytest.raises(AttemptOver):
        attempt.session.run('python3 -c \'import os; os.system("echo first"); os.system("sleep 60")\'', observed=str)
    assert attempt.session.ended is not None and attempt.session.ended.how == "time_limit"
    _, inner = attempt.end()
    assert [row.command for row in inner] == ["echo first", "sleep 60"]
    assert inner[1].exit_status in (None, 129, 137)


def test_setting_up_takes_nothing_from_the_budget(attempt: Attempt) -> None:
    before = attempt.session.remaining
    attempt.session.set_up("sleep 1.5", timeout=30)
    assert before - attempt.session.remaining < 0.7


def test_setting_up_ends_in_time(attempt: Attempt) -> None:
    before = attempt.session.remaining
    result = attempt.session.set_up("sleep 60", timeout=1)
    assert result.cut == "command_time" and before - attempt.session.remaining < 1


def test_the_newest_file_of_a_pattern_is_fetched(attempt: Attempt) -> None:
    attempt.session.run("mkdir -p a b; echo old > a/x.jsonl; touch -d '1 hour ago' a/x.jsonl; echo new > b/y.jsonl")
    assert attempt.session.fetch("/root/*/*.jsonl", max_bytes=100) == b"new\n"
    assert attempt.session.fetch("/root/*/*.none", max_bytes=100) is None
    assert attempt.session.fetch("/root/*/*.jsonl", max_bytes=2) is None
