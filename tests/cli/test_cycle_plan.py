"""`argusic cycle plan|request|harness`: what is owed, that all of it gets the same, and what changes that lawfully."""

from __future__ import annotations

import json
import random
import shutil
from datetime import timedelta
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from argusic.cli.main import build
from argusic.database.database import Database
from argusic.database.paths import cycle_path
from argusic.errors import InputError
from argusic.records.conditions import HarnessUsed
from argusic.records.cycle import Cycle
from argusic.runs.conditions import conditions_of, keep_conditions
from tests.made_database import AGENTS, Size, make_database, make_run, write

CYCLE = "made-00"


@pytest.fixture
def base(tmp_path: Path) -> Database:
    made = make_database(tmp_path / "made", Size(cycles=1, subjects=2))
    shutil.rmtree(made.root / "runs")
    shutil.copy(Path(__file__).parents[2] / "rules/harness.yaml", made.root / "rules/harness.yaml")
    cycle = made.cycle(CYCLE).model_copy(update={"stronger_agent": AGENTS[1], "board_agents": AGENTS[2:]})
    made.write(cycle_path(CYCLE), Cycle.model_validate(cycle.model_dump()), replace=True)
    return made


def call(base: Database, *arguments: str) -> Result:
    return CliRunner().invoke(build(arguments[0]), ["--repo", str(base.root), *arguments])


def done(base: Database, *arguments: str) -> dict[str, Any]:
    result = call(base, *arguments, "--json")
    assert result.exit_code == 0, (result.output, result.exception)
    data: dict[str, Any] = json.loads(result.stdout)
    return data


def refused(base: Database, *arguments: str) -> str:
    result = call(base, *arguments)
    assert isinstance(result.exception, InputError), result.output
    return str(result.exception)


def attempt(base: Database, *, other_harness: bool) -> None:
    cycle = base.cycle(CYCLE)
    conditions = conditions_of(base, cycle)
    if other_harness:
        conditions = conditions.model_copy(update={"harness": HarnessUsed(files=3, sha256="a" * 64)})
    run = make_run(cycle, cycle.subjects[0].subject, AGENTS[0], cycle.opens + timedelta(minutes=1), random.Random(1))
    write(base.root, run.model_copy(update={"conditions_sha256": keep_conditions(base, conditions)}))


def test_a_plan_shows_that_every_cell_gets_the_same_conditions(base: Database) -> None:
    plan = done(base, "cycle", "plan", CYCLE)
    assert len({row["agent"] for row in plan["include"]}) > 1 < len({row["subject"] for row in plan["include"]})
    assert {row["conditions"] for row in plan["include"]} == {plan["conditions"]["sha256"]}
    assert plan["conditions"]["are"]["harness"]["files"] > 50
    shown = call(base, "cycle", "plan", CYCLE).output
    assert f"All {len(plan['include'])} rows get the same conditions, sha256 {plan['conditions']['sha256']}" in shown
    assert "Its first run fixes them." in shown
    attempt(base, other_harness=False)
    assert "They are those that runs of this cycle had." in call(base, "cycle", "plan", CYCLE).output


def test_a_plan_says_why_no_attempt_can_be_made_and_a_statement_makes_way(base: Database) -> None:
    attempt(base, other_harness=True)
    assert "had another harness" in done(base, "cycle", "plan", CYCLE)["conditions"]["refused"]
    assert "No attempt can be made: the runs of cycle made-00 had another harness" in call(
        base, "cycle", "harness", CYCLE
    ).output.replace("\n", " ")
    made = done(base, "cycle", "harness", CYCLE, "--no-effect", "An error in other words.", "--by", "ada")
    assert base.holds(PurePosixPath(made["written"]))
    assert made["conditions"]["refused"] is None
    shown = call(base, "cycle", "plan", CYCLE).output
    assert "A person has stated that what changed since its last runs has no effect on measurement." in shown


def test_a_statement_needs_a_change_a_reason_and_a_person(base: Database) -> None:
    assert "go together" in refused(base, "cycle", "harness", CYCLE, "--no-effect", "Why.")
    assert "nothing of cycle made-00's harness changed" in refused(
        base, "cycle", "harness", CYCLE, "--no-effect", "Why.", "--by", "ada"
    )
    assert "must not be empty" in refused(base, "cycle", "harness", CYCLE, "--no-effect", " ", "--by", "ada")


def test_a_request_is_written_once_and_says_whom_it_makes_run(base: Database) -> None:
    subject = base.cycle(CYCLE).subjects[0].subject
    words = ("cycle", "request", CYCLE, subject, "--reason", "It works for me.", "--by", "ada")
    made = done(base, *words)
    assert made == {"written": f"runs/{CYCLE}/requests/{subject}.yaml", "agent": AGENTS[1]}
    assert "somebody asked before" in refused(base, *words)
    assert "has no subject" in refused(base, "cycle", "request", CYCLE, "package/no", "--reason", "x", "--by", "ada")
