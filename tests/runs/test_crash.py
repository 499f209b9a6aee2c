"""Killed at any moment and started again, a cycle ends as if nothing had happened."""

from __future__ import annotations

import signal
import subprocess
import time
from collections import Counter

import pytest

from argusic.database.database import Database
from argusic.database.faults import ATTEMPT_POINTS, FAULT_VARIABLE
from tests.program import variables_of
from tests.runs.crashing import (
    Make,
    assert_nothing_is_left,
    command,
    expected,
    killed_at_random_moments,
    outcomes,
    played,
    run_to_the_end,
)

pytestmark = [pytest.mark.sandbox, pytest.mark.endurance, pytest.mark.timeout(600)]


def killed_at(database: Database, fault: str) -> subprocess.CompletedProcess[bytes]:
    variables = variables_of(database, **{FAULT_VARIABLE: fault})
    return subprocess.run(command(database), env=variables, capture_output=True, timeout=300, check=False)


def test_an_undisturbed_cycle_ends_as_expected_and_leaves_nothing(small_database: Make) -> None:
    database = small_database()
    run_to_the_end(database)
    assert outcomes(database) == expected(database)
    assert_nothing_is_left(database)


def test_killed_at_each_fault_point_a_cycle_still_ends_the_same(small_database: Make) -> None:
    database = played(small_database)()
    for fault in ATTEMPT_POINTS:
        done = killed_at(database, fault)
        assert done.returncode in (-signal.SIGKILL, 0), (fault, done.stderr)
    run_to_the_end(database)
    assert outcomes(database) == expected(database)
    assert_nothing_is_left(database)


@pytest.mark.parametrize("fault", ATTEMPT_POINTS)
def test_every_fault_point_is_passed_by_a_cycle(small_database: Make, fault: str) -> None:
    database = small_database(standard_agent=None, board_agents=(), controls=("nop",))
    done = killed_at(database, fault)
    assert done.returncode == -signal.SIGKILL, f"{fault} was not passed"
    run_to_the_end(database)
    assert outcomes(database) == {("repository/greeter", "nop"): Counter(fail=1)}
    assert_nothing_is_left(database)


def test_killed_at_twenty_random_moments_a_cycle_still_ends_the_same(small_database: Make) -> None:
    database = killed_at_random_moments(played(small_database), 20, seed=20261130, longest=2.5)
    time.sleep(0.5)
    assert_nothing_is_left(database)
