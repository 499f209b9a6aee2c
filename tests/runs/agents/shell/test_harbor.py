"""Harbor reads our trajectories: its own validator, from its published package."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from argusic.runs.keys.access import ModelUnavailable
from tests.harbor import complaints
from tests.model_server import Call, Reply, Usage, by_turn, in_order
from tests.runs.agents.shell.working import DONE, Working, call, fence, run

pytestmark = pytest.mark.network

EVERYTHING = (
    run("echo out; exit 3", text="Look.", reasoning="hm", usage=Usage(1000, 10, 900)),
    fence("printf '\\xff\\x00'"),
    Reply(calls=(call("true", timeout_seconds=3), Call("look_up", {"q": "x"}), Call("run_command", {}))),
    Reply("Hm."),
    Reply(""),
    fence("true"),
    Reply("No.", finish="refusal"),
    Reply("```bash\nca", finish="length"),
    run("seq 1 20000"),
    Reply(status=503),
    DONE,
)


def test_harbor_reads_whatever_the_agent_went_through(working: Working) -> None:
    price = {"input_usd": "1", "output_usd": "10", "as_of": "2026-11-01", "source": "the maker's list"}
    worked = working.work(in_order(*EVERYTHING), price=price, context_tokens=6000, max_tokens=500)
    assert worked.end == "done"
    assert complaints(working.folder / "trajectory.json") == ""


def test_harbor_reads_what_a_broken_off_attempt_left(working: Working) -> None:
    with pytest.raises(ModelUnavailable):
        working.work(in_order(run("true"), Reply(status=401)))
    working.trajectory()
    assert complaints(working.folder / "trajectory.json") == ""


def test_harbor_refuses_what_is_none(working: Working, tmp_path: Path) -> None:
    working.work(by_turn(replace(DONE, delay=0)))
    whole = json.loads((working.folder / "trajectory.json").read_text())
    whole["steps"][0]["argusic"] = "not under extra"
    (tmp_path / "other.json").write_text(json.dumps(whole))
    assert "unexpected field" in complaints(tmp_path / "other.json")
