"""A cycle keeps the harness that its first run had, from the first attempt to `argusic check`."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from argusic.database.database import Database
from argusic.database.paths import HARNESS_PATH, conditions_path
from tests.program import argusic

pytestmark = pytest.mark.sandbox


def test_a_harness_that_changes_in_the_middle_of_a_cycle_stops_it_until_a_person_says_that_it_has_no_effect(
    small_database: Callable[..., Database],
) -> None:
    database = small_database(standard_agent=None, board_agents=(), controls=("oracle", "nop"))
    assert argusic(database, "cycle", "run", "small", "--agent", "nop", "--json").returncode == 0
    (first,) = database.runs("small")
    assert first.run.conditions_sha256 is not None
    assert database.holds(conditions_path("small", first.run.conditions_sha256))

    path = database.root / HARNESS_PATH
    path.write_text(path.read_text().replace("      - argusic/runs/excerpt.py\n", ""))
    for words in (("cycle", "run", "small"), ("attempt", "small", "repository/greeter", "oracle")):
        refused = argusic(database, *words)
        said = refused.stderr.splitlines()[-1]
        assert (refused.returncode, "the runs of cycle small had another harness than" in said) == (2, True), said
    assert len(list(database.runs("small"))) == 1
    assert [entry for entry in database.work.iterdir() if entry.is_dir()] == []

    stating = ("cycle", "harness", "small", "--no-effect", "The list alone changed.", "--by", "a maintainer", "--json")
    assert json.loads(argusic(database, *stating).stdout)["conditions"]["refused"] is None
    assert argusic(database, "cycle", "run", "small", "--json").returncode == 0
    assert len({stored.run.conditions_sha256 for stored in database.runs("small")}) == 2
    checked = argusic(database, "check")
    assert checked.returncode == 0, checked.stdout


def test_a_sandbox_that_there_is_not_is_refused_wherever_conditions_are_asked_for(
    small_database: Callable[..., Database],
) -> None:
    database = small_database()
    stating = ("--no-effect", "Nothing changed.", "--by", "a maintainer")
    for words in (("plan", "small"), ("harness", "small"), ("harness", "small", *stating), ("run", "small")):
        refused = argusic(database, "cycle", *words, "--sandbox", "nowhere")
        said = refused.stdout + refused.stderr
        assert "There is no sandbox called 'nowhere'" in said and "fault" not in said
        assert refused.returncode == 2
