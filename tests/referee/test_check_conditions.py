"""`argusic check` compares the conditions of a cycle's runs."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.database.paths import conditions_path
from argusic.records.conditions import CycleConditions, HarnessChange, HarnessUsed
from argusic.records.cycle import Conditions, Cycle
from argusic.referee.checks.conditions import check_conditions
from argusic.referee.checks.survey import survey
from argusic.runs.conditions import conditions_of, digest, keep_conditions
from tests.made_database import Size, make_database, make_run, write

AT = datetime(2026, 12, 1, tzinfo=UTC)


@pytest.fixture
def base(tmp_path: Path) -> Database:
    made = make_database(tmp_path / "made", Size(cycles=2, subjects=1))
    shutil.rmtree(made.root / "runs")
    return made


def run_under(base: Database, cycle: Cycle, conditions: CycleConditions | None, minute: int) -> None:
    started = cycle.opens + timedelta(minutes=minute)
    run = make_run(cycle, cycle.subjects[0].subject, cycle.board_agents[0], started, random.Random(minute))
    sha256 = keep_conditions(base, conditions) if conditions is not None else None
    write(base.root, run.model_copy(update={"conditions_sha256": sha256}))


def harness(conditions: CycleConditions, letter: str) -> CycleConditions:
    return conditions.model_copy(update={"harness": HarnessUsed(files=3, sha256=letter * 64)})


def found(base: Database) -> Iterator[str]:
    surveyed = survey(base)
    assert not surveyed.findings
    return (str(finding) for finding in check_conditions(surveyed))


def test_runs_of_one_harness_and_runs_from_before_it_was_written_down_are_well(base: Database) -> None:
    cycle = base.cycle("made-00")
    run_under(base, cycle, None, 1)
    for minute in (2, 3):
        run_under(base, cycle, harness(conditions_of(base, cycle), "a"), minute)
    assert list(found(base)) == []


def test_a_run_under_another_harness_is_named_unless_a_statement_covers_it(base: Database) -> None:
    cycle = base.cycle("made-00")
    old, new = (harness(conditions_of(base, cycle), letter) for letter in "ab")
    run_under(base, cycle, old, 1)
    run_under(base, cycle, new, 2)
    run_under(base, cycle, new, 3)
    (only,) = found(base)
    assert "conditions_sha256: was made under other conditions: the runs of cycle made-00 had another harness" in only
    stated = {"cycle": cycle.cycle, "no_effect": "It says an error in other words.", "by": "ada", "at": AT}
    change = {"conditions": digest(new), "replaces": digest(old), "changed": ("harness",)}
    path = write(base.root, HarnessChange.model_validate({**stated, **change}))
    assert list(found(base)) == []
    path.unlink()
    write(base.root, HarnessChange.model_validate({**stated, **change, "changed": ("image",)}))
    assert [what for what in found(base) if "changed: is not what changed: harness." in what]


def test_a_run_that_names_none_after_others_did_is_named(base: Database) -> None:
    cycle = base.cycle("made-00")
    run_under(base, cycle, conditions_of(base, cycle), 1)
    run_under(base, cycle, None, 2)
    (only,) = found(base)
    assert "names no conditions, though earlier runs of its cycle do" in only


def test_conditions_that_are_missing_or_edited_are_named(base: Database) -> None:
    cycle = base.cycle("made-00")
    conditions = conditions_of(base, cycle)
    run_under(base, cycle, conditions, 1)
    path = base.root / conditions_path(cycle.cycle, digest(conditions))
    path.write_text(path.read_text().replace("memory_mb: 4096", "memory_mb: 9999"))
    assert "holds what belongs at" in survey(base).findings[0].what
    path.unlink()
    (only,) = found(base)
    assert "which does not exist" in only


def test_conditions_that_the_cycle_or_its_edition_does_not_state_are_named(base: Database) -> None:
    cycle = base.cycle("made-00")
    conditions = conditions_of(base, cycle)
    budgets = conditions.budgets_minutes.model_copy(update={"standard": 999})
    wrong = {"resources": Conditions(memory_mb=64), "budgets_minutes": budgets, "network": "restricted"}
    run_under(base, cycle, conditions.model_copy(update=wrong), 1)
    text = "\n".join(found(base))
    for field in wrong:
        assert f"{field}: " in text


def test_a_harness_that_changed_between_cycles_of_one_edition_is_named(base: Database) -> None:
    for number, letter in (("made-00", "a"), ("made-01", "b")):
        cycle = base.cycle(number)
        run_under(base, cycle, harness(conditions_of(base, cycle), letter), 1)
    (only,) = found(base)
    assert "made-01" in only and "the harness changed since cycle made-00" in only


def test_conditions_that_are_there_and_are_not_what_their_name_says_are_named_once(base: Database) -> None:
    cycle = base.cycle("made-00")
    conditions = conditions_of(base, cycle)
    for minute in (1, 2):
        run_under(base, cycle, conditions, minute)
    path = conditions_path(cycle.cycle, digest(conditions))
    held = base.root / path
    held.write_text(held.read_text().replace("heavy: ", "heavy: 9"))
    surveyed = survey(base)
    assert [str(finding.place.file) for finding in surveyed.findings] == [str(path)]
    assert list(check_conditions(surveyed)) == []
    held.unlink()
    assert [said.split(": ", 1)[1] for said in found(base)] == [
        f"conditions_sha256: names {path}, which does not exist."
    ] * 2
