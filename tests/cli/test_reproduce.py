"""`argusic reproduce`: a closed cycle run again beside it, stopped and gone on with, compared, and written down."""

from __future__ import annotations

import hashlib
import json
import signal
from pathlib import Path
from typing import Any

import pytest

from argusic.database.database import Database
from argusic.database.paths import agent_path
from argusic.records.agent import Agent
from argusic.referee.check import check
from tests.conftest import make_small
from tests.program import Done, argusic, started

pytestmark = pytest.mark.sandbox

QUIET = ("--sign", "none", "--json")


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory, greeter: tuple[Path, str]) -> Database:
    """Return a repository with a closed cycle of one subject, run by an agent that does nothing and by a control."""
    agents: dict[str, Any] = {"standard_agent": "idle", "board_agents": (), "controls": ("oracle",)}
    database = make_small(tmp_path_factory.mktemp("closed"), greeter, **agents)
    idle = Agent(agent="idle", title="Idle", role="agent", program="none", implementation="nop")
    database.write(agent_path("idle"), idle)
    ran = argusic(database, "cycle", "run", "small", *QUIET)
    assert ran.returncode == 0, ran.stderr
    ended = argusic(database, "cycle", "close", "small", "--by", "ada", *QUIET)
    assert ended.returncode == 0, ended.stderr
    return database


def reproduce(database: Database, *words: str) -> Done:
    return argusic(database, "reproduce", "small", *words)


def answer(done: Done) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def bytes_of(database: Database) -> dict[str, str]:
    files = (path for name in ("runs", "pool", "leaderboards") for path in (database.root / name).rglob("*"))
    return {
        str(path.relative_to(database.root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if path.is_file() and "reproductions" not in path.parts
    }


def test_it_can_be_stopped_goes_on_and_is_written_down_once(closed: Database) -> None:
    before, own = bytes_of(closed), closed.root / ".argusic" / "reproductions" / "small"
    # Its power goes after the first of its two attempts.
    process = started(closed, "reproduce", "small", *QUIET, ARGUSIC_FAULT="between-attempts")
    _, said = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL, said

    found = answer(reproduce(closed, *QUIET))
    (scratch,) = own.iterdir()
    assert found["repository"] == str(scratch) and len(found["runs"]) == 1 and found["owed"] == 0
    comparison = found["comparison"]
    assert comparison["cells"][0]["again"]["outcomes"] == ["fail", "fail"]
    assert (comparison["outcome_agreement"]["agreed"], comparison["verdict_agreement"]["agreed"]) == (2, 1)
    assert comparison["outcome_agreement"]["kappa"] is None and comparison["outcome_agreement"]["no_kappa"]
    # The same machine; where somebody works on the program meanwhile, its commit differs.
    assert {one["what"] for one in comparison["differences"]} <= {"program that measured"}

    written = answer(reproduce(closed, "--record", "--by", "Ada", *QUIET))
    assert written["runs"] == [] and written["written"].startswith("runs/reproductions/small/")
    assert not [one for one in check(closed) if "reproductions" in str(one)]
    assert bytes_of(closed) == before, "the cycle's own runs are never touched"

    again = reproduce(closed, "--to", str(scratch), "--record", "--by", "Ada", *QUIET)
    assert again.returncode == 2 and "is there already" in again.stderr


def test_a_control_is_run_again_on_wish_and_counts_in_nothing(closed: Database, tmp_path: Path) -> None:
    words = ("--agent", "oracle", "--to", str(tmp_path / "again"), *QUIET)
    found = answer(reproduce(closed, *words))
    assert found["comparison"] is None
    (control,) = found["controls"]
    assert (control["agent"], control["first"], control["again"]) == ("oracle", ["pass_full"], ["pass_full"])
    refused = reproduce(closed, *words, "--record", "--by", "Ada")
    assert refused.returncode == 1 and "count in nothing" in refused.stderr


def test_what_cannot_be_reproduced_is_refused_with_one_sentence(closed: Database, tmp_path: Path) -> None:
    for words, what in (
        (("--record",), "--record needs --by NAME"),
        (("--agent", "nop"), "has no runs of the agent nop"),
        (("--subject", "package/other"), "has no runs of the subject package/other"),
        (("--sandbox", "tent"), "no sandbox called 'tent'"),
        (("--parallel", "many"), "--parallel is a number"),
        (("--to", str(closed.root)), "holds something else than a reproduction"),
    ):
        done = reproduce(closed, *words)
        assert done.returncode == 2 and what in done.stderr and "Traceback" not in done.stderr, (words, done.stderr)
    (tmp_path / "note").touch()
    done = reproduce(closed, "--to", str(tmp_path))
    assert done.returncode == 2 and "holds something else" in done.stderr
    unknown = argusic(closed, "reproduce", "autumn")
    assert unknown.returncode == 2 and "autumn" in unknown.stderr


def test_without_an_engine_it_says_what_else_can_be_done(closed: Database, tmp_path: Path) -> None:
    nowhere = f"unix://{tmp_path}/none.sock"
    done = argusic(closed, "reproduce", "small", "--sandbox", "docker", DOCKER_HOST=nowhere)
    assert done.returncode == 3 and "No container engine answers" in done.stderr
    assert "--sandbox bubblewrap" not in done.stderr, "docker was asked for"
