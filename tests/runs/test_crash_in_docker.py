"""Killed at any moment and started again, a cycle in Docker ends as ever, and the engine keeps nothing of it.

The engine is the test's own: nothing else makes or removes anything there, so that everything it has can be compared.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import partial

import pytest

from argusic.sandbox.docker.engine import Engine
from argusic.sandbox.docker.image import found, made_ready
from tests.docker_image import a_small_image
from tests.own_engine import OwnEngine, an_own_engine
from tests.runs.crashing import Make, assert_nothing_is_left, killed_at_random_moments

pytestmark = [
    pytest.mark.docker,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can start an engine of its own"),
    pytest.mark.xdist_group("own engine"),
]


@pytest.fixture
def engine() -> Iterator[OwnEngine]:
    with an_own_engine() as engine:
        yield engine


def test_killed_ten_times_a_cycle_leaves_nothing_with_the_engine_and_nothing_in_the_kernel(
    small_database: Make, engine: OwnEngine
) -> None:
    with Engine(engine.at) as asked:
        image = found(asked, [a_small_image()])
        made_ready(asked, image)  # Kept for all attempts to come.
    before = engine.keeps()
    make = partial(small_database, sandbox="docker")
    database = killed_at_random_moments(make, 10, seed=20261130, DOCKER_HOST=engine.at, ARGUSIC_IMAGE=image.id)
    time.sleep(0.5)
    assert_nothing_is_left(database)
    assert engine.keeps() == before
