"""Collecting takes what jobs handed over whole or not at all, and counts it against the plan."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.github.ladder.artifacts import found_in
from argusic.github.ladder.collecting import Collecting, Gathering
from argusic.records.handing_over import Plan
from tests.github.ladder.handing import Elsewhere, plan_of

pytestmark = pytest.mark.sandbox


def gathered(database: Database, given: Path, plan: Plan | None = None) -> Gathering:
    """Collect what lies in a folder."""
    planned = plan or plan_of()
    scratch = Path(tempfile.mkdtemp(dir=given.parent))
    return Collecting(database, planned, scratch, datetime.now(UTC)).gather(found_in(given, planned))


def test_what_jobs_handed_over_is_collected_as_folders_and_as_zip_files(elsewhere: Elsewhere, tmp_path: Path) -> None:
    given = tmp_path / "given"
    elsewhere.hand_over(given, 1)
    elsewhere.hand_over(given, 2).zipped()
    made = gathered(elsewhere.here(tmp_path), given)
    assert made.collected.refused == ()
    assert set(made.collected.runs) == {elsewhere.stored(agent).run.run for agent in ("oracle", "nop")}
    assert made.collected.missing == ()
