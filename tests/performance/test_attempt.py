"""What an attempt costs beyond the agent's own work: `nop`, which does nothing, with the subject in the cache."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from argusic.database.database import Database
from argusic.runs.attempt import Equipment, attempt
from argusic.runs.order import order
from argusic.runs.watching import Cancellation
from argusic.sandbox.registry import provider
from tests.quiet import Quiet

pytestmark = [pytest.mark.performance, pytest.mark.sandbox]


#: Seconds a `nop` attempt may take, from its intent to its published run.
LIMIT = 1.5


def test_a_nop_attempt_with_the_subject_in_the_cache_stays_within_its_limit(
    small_database: Callable[..., Database], capsys: pytest.CaptureFixture[str]
) -> None:
    database = small_database()
    equipment = Equipment(database, provider("bubblewrap"), Quiet(), Cancellation())
    made = order(database, database.cycle("small"), "repository/greeter", "nop")
    attempt(equipment, made)
    taken = []
    for _ in range(5):
        began = time.monotonic()
        run = attempt(equipment, made)
        taken.append(time.monotonic() - began)
        assert run.ending.how == "completed"
    with capsys.disabled():
        print(f"\nnop attempt: {min(taken):.2f} s at best, {max(taken):.2f} s at worst, limit {LIMIT} s")
    assert min(taken) <= LIMIT
