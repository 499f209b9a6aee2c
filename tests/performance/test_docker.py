"""What an attempt in a container costs beyond an empty container of the same image: `nop`, subject in the cache.

Set-up and tear-down are printed beside what the field publishes of its own: in the stamps of Terminal-Bench's 2,371
published trials on Docker, 6.6 s before the agent and 12.6 s after the tests, at the median.
"""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Callable

import pytest

from argusic.database.database import Database
from argusic.records.run import Run
from argusic.runs.attempt import Equipment, attempt
from argusic.runs.order import order
from argusic.runs.watching import Cancellation
from argusic.sandbox.docker import Docker
from tests.docker_image import a_small_image
from tests.quiet import Quiet

pytestmark = [pytest.mark.performance, pytest.mark.docker]

#: Seconds that a `nop` attempt may take beyond an empty container.
LIMIT = 4.0
FIELD_BEFORE, FIELD_AFTER = 6.6, 12.6
ROUNDS = 5


def empty_container(image: str) -> float:
    """Return how long an empty container takes, by the engine's own client."""
    began = time.monotonic()
    subprocess.run(["docker", "run", "--rm", "--network=none", image, "true"], check=True, capture_output=True)
    return time.monotonic() - began


def phases(run: Run, *names: str) -> float:
    return sum(phase.seconds for phase in run.phases if phase.name in names)


def test_a_nop_attempt_costs_little_more_than_an_empty_container(
    small_database: Callable[..., Database], capsys: pytest.CaptureFixture[str]
) -> None:
    image = a_small_image()
    database = small_database()
    equipment = Equipment(database, Docker([image]), Quiet(), Cancellation())
    made = order(database, database.cycle("small"), "repository/greeter", "nop")
    attempt(equipment, made)
    empty_container(image)
    empty, whole, before, after = [], [], [], []
    for _ in range(ROUNDS):
        empty.append(empty_container(image))
        began = time.monotonic()
        run = attempt(equipment, made)
        whole.append(time.monotonic() - began)
        assert run.ending.how == "completed"
        before.append(phases(run, "prepare", "start"))
        after.append(phases(run, "collect", "destroy"))
    extra = statistics.median(whole) - statistics.median(empty)
    with capsys.disabled():
        print(
            f"\nnop attempt in Docker: {statistics.median(whole):.2f} s at the median, {extra:.2f} s above an empty "
            f"`docker run` of {statistics.median(empty):.2f} s, limit {LIMIT} s"
            f"\n  set-up {statistics.median(before):.2f} s (the field {FIELD_BEFORE} s), "
            f"tear-down {statistics.median(after):.2f} s (the field {FIELD_AFTER} s), at the median of {ROUNDS}"
        )
    assert extra <= LIMIT
