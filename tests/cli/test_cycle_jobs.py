"""`argusic cycle plan --jobs`: what one workflow run makes of what a cycle owes, and what it tells the workflow."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from argusic.database.database import Database
from argusic.database.paths import close_path, cycle_path, recipients_path
from argusic.records.cycle import Close, Cycle
from argusic.records.handing_over import Plan
from argusic.records.runners import Runners
from tests.made_database import AGENTS, Size, make_database
from tests.program import Done, argusic

TOP = Path(__file__).parents[2]
CYCLE = "made-00"


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """Return a cycle that may be run now and has no runs."""
    monkeypatch.setenv("ARGUSIC_KEYS", str(tmp_path / "keys"))
    made = make_database(tmp_path / "made", Size(cycles=1, subjects=2))
    shutil.rmtree(made.root / "runs")
    for name in ("harness.yaml", "runners.yaml"):
        shutil.copy(TOP / "rules" / name, made.root / "rules" / name)
    change(made, opens=datetime(2026, 1, 1, tzinfo=UTC), closes=datetime(2100, 1, 1, tzinfo=UTC))
    assert argusic(made, "evidence", "recipients", CYCLE).returncode == 0
    return made


def change(base: Database, **fields: object) -> None:
    cycle = base.cycle(CYCLE).model_copy(update=fields)
    base.write(cycle_path(CYCLE), Cycle.model_validate(cycle.model_dump()), replace=True)


def call(base: Database, tmp_path: Path, *words: str) -> Done:
    file = tmp_path / "plans" / "plan.json"
    return argusic(base, "cycle", "plan", CYCLE, "--jobs", str(file), *words, GITHUB_OUTPUT=str(tmp_path / "output"))


def planned(base: Database, tmp_path: Path, *words: str) -> tuple[Plan, dict[str, Any], Done]:
    """Return the plan, what the workflow is told, and what was printed."""
    (tmp_path / "output").unlink(missing_ok=True)
    done = call(base, tmp_path, *words)
    assert done.returncode == 0, done.stderr
    plan = Plan.model_validate_json((tmp_path / "plans" / "plan.json").read_bytes())
    lines = (tmp_path / "output").read_text().splitlines()
    return plan, {line.split("=", 1)[0]: json.loads(line.split("=", 1)[1]) for line in lines}, done


def test_each_cell_that_is_owed_is_a_job_with_its_machine_and_its_time(base: Database, tmp_path: Path) -> None:
    change(base, board_agents=(AGENTS[0],), standard_agent=AGENTS[0], controls=(), stronger_agent=None)
    plan, told, done = planned(base, tmp_path)
    cells = [entry.subject for entry in base.cycle(CYCLE).subjects]
    assert [(job.job, job.subject) for job in plan.jobs] == [(f"{n:03d}", cell) for n, cell in enumerate(cells, 1)]
    assert {(job.attempts, job.purpose, job.agent) for job in plan.jobs} == {(3, "board", AGENTS[0])}
    assert plan.left == 0 and plan.commit is None and "no git checkout" in done.stdout
    assert {job.runner for job in plan.jobs} == {("ubuntu-24.04",)}
    # Three attempts of 90 minutes and two more do not fit into GitHub's six hours, which is said.
    assert {job.timeout_minutes for job in plan.jobs} == {360}
    assert "could take 550 minutes with every retry, and GitHub ends it after 360" in done.stdout
    title = f"Attempt 001: {plan.jobs[0].subject} by {AGENTS[0]}"
    first = {"job": "001", "runner": ["ubuntu-24.04"], "timeout_minutes": 360, "title": title}
    assert told["matrix"]["include"][0] == first and (told["count"], told["keys"]) == (len(cells), False)


def test_a_machine_of_ones_own_has_the_time_that_all_attempts_take(base: Database, tmp_path: Path) -> None:
    own = {"labels": ("self-hosted", "gpu")}
    runners = Runners.model_validate({"standard": own, "heavy": own, "gpu": own})
    base.write(Path("rules/runners.yaml"), runners, replace=True)  # type: ignore[arg-type]
    change(base, board_agents=(AGENTS[0],), standard_agent=AGENTS[0], controls=(), stronger_agent=None)
    plan, told, done = planned(base, tmp_path)
    assert plan.jobs[0].runner == ("self-hosted", "gpu") and plan.jobs[0].timeout_minutes == 550
    assert "every retry" not in done.stdout and told["matrix"]["include"][0]["runner"] == ["self-hosted", "gpu"]
    for bad in ("[ubuntu, 'x y']", "['a\"b']", "[]", "['${{ x }}']"):
        (base.root / "rules/runners.yaml").write_text(
            f"schema: 1\nstandard: {{labels: {bad}}}\nheavy: {{labels: [a]}}\ngpu: {{labels: [a]}}\n"
        )
        assert "rules/runners.yaml" in call(base, tmp_path).stderr


def test_what_is_more_than_one_workflow_run_makes_is_left_to_the_next(base: Database, tmp_path: Path) -> None:
    all_of_it, _, _ = planned(base, tmp_path)
    plan, told, done = planned(base, tmp_path, "--limit", "1")
    assert (len(plan.jobs), plan.left, told["count"]) == (1, len(all_of_it.jobs) - 1, 1)
    assert f"{plan.left} more are owed" in done.stdout
    assert plan.jobs[0] == all_of_it.jobs[0]
    for limit in ("0", "251"):
        refused = call(base, tmp_path, "--limit", limit)
        assert (refused.returncode, "1 to 250 jobs" in refused.stderr) == (2, True)


def test_nothing_owed_is_no_error_and_a_closed_cycle_is_one_sentence(base: Database, tmp_path: Path) -> None:
    change(base, board_agents=(), standard_agent=None, stronger_agent=None, controls=())
    plan, told, done = planned(base, tmp_path)
    assert (plan.jobs, told) == ((), {"matrix": {"include": []}, "count": 0, "keys": False})
    assert "Nothing is owed." in done.stdout
    close = Close(cycle=CYCLE, closed=datetime(2026, 11, 30, tzinfo=UTC), by="a maintainer", runs=0, derived={})
    base.write(close_path(CYCLE), close)
    refused = call(base, tmp_path)
    assert (refused.returncode, refused.stderr.strip()) == (2, f"argusic: cycle {CYCLE} is closed.")


def test_without_keys_to_seal_to_or_a_list_of_machines_nothing_is_planned(base: Database, tmp_path: Path) -> None:
    (base.root / recipients_path(CYCLE)).unlink()
    refused = call(base, tmp_path)
    assert (refused.returncode, f"argusic evidence recipients {CYCLE}" in refused.stderr) == (2, True)
    assert argusic(base, "evidence", "recipients", CYCLE).returncode == 0
    assert argusic(base, "evidence", "recipients", CYCLE, "--json").returncode == 0
    (base.root / "rules/runners.yaml").unlink()
    refused = call(base, tmp_path)
    assert (refused.returncode, "rules/runners.yaml" in refused.stderr) == (2, True)
    assert not (tmp_path / "output").exists()


def test_all_jobs_begun_again_plan_nothing_because_what_was_handed_over_would_be_forgotten(
    base: Database, tmp_path: Path
) -> None:
    words = ("cycle", "plan", CYCLE, "--jobs", str(tmp_path / "plan.json"))
    refused = argusic(base, *words, GITHUB_ACTIONS="true", GITHUB_RUN_ATTEMPT="2")
    assert refused.returncode == 2 and "Run failed jobs again, never all of them" in " ".join(refused.stderr.split())
    assert not (tmp_path / "plan.json").exists()
    assert argusic(base, *words, GITHUB_ACTIONS="true", GITHUB_RUN_ATTEMPT="1").returncode == 0
