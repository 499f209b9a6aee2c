"""`argusic request`: what was asked for is listed with what gives it, and a sealed run can be asked for on a laptop."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argusic.database.database import Database
from argusic.database.paths import agent_path
from argusic.records.agent import Agent
from argusic.records.run import Run
from tests.program import argusic
from tests.site.fixture_database import FAIL, FixtureDatabase

SEALED: dict[str, Any] = {
    "agent": "newcomer",
    "title": "Quiet",
    "role": "agent",
    "program": "shell",
    "implementation": "shell",
    "commitment": "1" * 64,
    "sealed": {
        "sealed_size": 1,
        "sealed_sha256": "1" * 64,
        "recipients": [f"age1{'q' * 58}", f"age1{'p' * 58}"],
    },
}


@pytest.fixture
def sealed(tmp_path: Path) -> tuple[Database, Run]:
    made = FixtureDatabase(tmp_path / "referee")
    run = made.run(made.subject("first", "First"), FAIL)
    base = made.finish()
    base.write(agent_path("newcomer"), Agent.model_validate(SEALED), replace=True)
    return base, run


def test_a_sealed_run_is_asked_for_and_listed_with_what_gives_it(sealed: tuple[Database, Run]) -> None:
    base, run = sealed
    assert argusic(base, "request", "list").stdout == "There is none.\n"
    words = ("request", "reproduction", run.run, "--reason", "Once\nmore.", "--by", "kim", "--issue", "9")
    done = argusic(base, *words)
    assert done.returncode == 0 and f"written: runs/first/requests/reproductions/{run.run}.yaml" in done.stdout
    listed = argusic(base, "request", "list", "--open").stdout
    assert listed.startswith(f"open   run {run.run} again, by kim, issue 9: Once\n      | more.\n")
    assert f"argusic reproduce first --subject {run.subject} --agent newcomer --record --by NAME" in listed
    (only,) = json.loads(argusic(base, "request", "list", "--cycle", "first", "--json").stdout)["requests"]
    assert (only["wanted"], only["state"], only["request"]["run"]) == ("reproduction", "open", run.run)
    again = argusic(base, *words)
    assert again.returncode == 2 and "somebody asked before" in again.stderr
