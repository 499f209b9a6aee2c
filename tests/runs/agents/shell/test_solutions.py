"""A model that knows a subject's solution earns with our shell agent what the subject declares."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.evidence.commands import CommandRow
from argusic.evidence.layout import COMMANDS_NAME, RECORDING_NAME, TRAJECTORY_NAME
from argusic.evidence.verify import verify
from argusic.pool.scratch import make_scratch
from tests.runs.agents.shell.solving import ROOT, solvable, solve

pytestmark = [pytest.mark.sandbox, pytest.mark.network]


def test_a_known_solution_earns_with_the_shell_agent_what_it_declares(tmp_path: Path) -> None:
    database = make_scratch(Database(ROOT), tmp_path / "scratch", pool=True)
    found = solve(database, "quickstart", "package/cowsay", "bubblewrap")
    assert found.run.ending.how == "completed"
    assert (found.score.outcome, found.score.total) == ("pass_full", Fraction(100))
    assert found.run.audit is None or found.run.audit.contradicted == ()
    rows = [CommandRow.model_validate_json(line) for line in found.file(COMMANDS_NAME).splitlines()]
    trajectory = found.trajectory
    ran = [
        result.extra["argusic"]["command"]
        for step in trajectory.steps
        for result in (step.observation.results if step.observation else ())
        if result.extra is not None
    ]
    assert ran == [row.number for row in rows][1:]
    assert {file.name for file in found.manifest.files} >= {TRAJECTORY_NAME, RECORDING_NAME, COMMANDS_NAME}
    assert verify(database).findings == []


def test_the_pool_has_subjects_that_can_be_solved() -> None:
    assert len(solvable(Database(ROOT), "pilot")) >= 10
