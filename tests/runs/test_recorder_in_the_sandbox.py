"""What the recorder's tests show on this machine's own processes, once more over the real sandbox."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from argusic.records.run import Ending
from argusic.runs.session import AttemptOver
from argusic.sandbox.protocol import Sandbox, SandboxSpec
from argusic.sandbox.registry import provider
from tests.runs.recording import Recording

pytestmark = pytest.mark.sandbox


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    work = tmp_path / "work"
    work.mkdir()
    started = provider("bubblewrap").start(SandboxSpec(name="recorder-test", work=work, network=False))
    yield started
    started.destroy()


@pytest.fixture
def evidence(tmp_path: Path) -> Path:
    folder = tmp_path / "evidence"
    folder.mkdir()
    return folder


def test_commands_are_recorded_in_full(sandbox: Sandbox, evidence: Path) -> None:
    recording = Recording(evidence, sandbox)
    results = [recording.session.run(command) for command in ("pwd", "tty; stty size", "exit 3", "kill -9 $$")]
    coverage = recording.end()
    assert coverage.complete, coverage.lacks
    assert [result.exit_status for result in results] == [0, 0, 3, 137]
    assert results[0].output == "/root\n"
    assert results[1].output.endswith("\n40 120\n")
    assert all(result.seconds < 1 for result in results)


def test_large_output_arrives_whole(sandbox: Sandbox, evidence: Path) -> None:
    recording = Recording(evidence, sandbox)
    recording.session.run("seq 1 300000")
    assert recording.end().complete
    assert recording.log() == "$ seq 1 300000\n" + "".join(f"{n}\n" for n in range(1, 300_001))


def test_a_command_beyond_its_time_is_dead_with_its_children_and_the_attempt_goes_on(
    sandbox: Sandbox, evidence: Path
) -> None:
    recording = Recording(evidence, sandbox)
    result = recording.session.run("trap '' TERM INT HUP; sleep 71 & sleep 71", timeout=0.5)
    assert (result.cut, result.exit_status) == ("command_time", None)
    assert recording.session.run("pgrep -c -x sleep").output == "0\n"
    assert recording.end().complete


@pytest.mark.parametrize("where", ["> /root/log 2>&1", ""])
def test_a_background_server_outlives_its_command_and_is_reached_by_the_next(
    sandbox: Sandbox, evidence: Path, where: str
) -> None:
    recording = Recording(evidence, sandbox)
    began = time.monotonic()
    assert recording.session.run(f"python3 -m http.server 8123 {where} &").ok
    assert time.monotonic() - began < 2
    reached = "for n in $(seq 50); do curl -sf localhost:8123/ >/dev/null && echo reached && exit; sleep 0.1; done"
    assert recording.session.run(reached).output == "reached\n"
    assert recording.session.run("pgrep -c -f http.server").output == "1\n"
    coverage = recording.end()
    assert coverage.complete, coverage.lacks
    assert where or "GET / HTTP/1.1" in recording.printed()


def test_the_budgets_end_kills_the_command(sandbox: Sandbox, evidence: Path) -> None:
    recording = Recording(evidence, sandbox, budget_seconds=0.5)
    with pytest.raises(AttemptOver):
        recording.session.run("sleep 72")
    assert recording.session.ended == Ending(how="time_limit")
    assert sandbox.run(["pgrep", "-c", "-x", "sleep"]).output == b"0\n"


def test_a_sandbox_destroyed_under_a_command_ends_the_attempt(sandbox: Sandbox, evidence: Path) -> None:
    recording = Recording(evidence, sandbox)
    threading.Timer(0.5, sandbox.destroy).start()
    with pytest.raises(AttemptOver):
        for _ in range(20):
            recording.session.run("sleep 0.2")
    assert recording.session.ended is not None
    recording.recorder.close()
