"""Nothing in a workflow goes unrun: a step that no test runs could hold any typo."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from argusic.database.codec import parse
from tests.workflows.act.running import TOP

pytestmark = pytest.mark.act

#: It runs every test, these among them.
ITSELF = "ci.yml"


def test_every_step_of_every_workflow_ran_in_these_tests(
    seen: set[tuple[str, str, str]], request: pytest.FixtureRequest
) -> None:
    here = Path(__file__).parent
    if "PYTEST_XDIST_WORKER" in os.environ:
        pytest.skip("each process sees its own tests alone")
    if {item.path for item in request.session.items} < set(here.glob("test_*.py")):
        pytest.skip("it judges all tests of this folder together")
    every = {
        (file.name, job, step["name"])
        for file in (TOP / ".github/workflows").glob("*.yml")
        if file.name != ITSELF
        for job, what in parse(file.read_bytes(), file=file)["jobs"].items()
        for step in what["steps"]
    }
    assert every <= seen, f"never run: {sorted(every - seen)}"
