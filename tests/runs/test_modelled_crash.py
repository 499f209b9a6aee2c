"""An attempt with a model that is killed or stopped at any step leaves a valid database and, once swept, no key."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Mapping

import pytest

from argusic.database.database import Database
from argusic.database.faults import FAULT_VARIABLE
from argusic.database.paths import agent_path
from argusic.records.agent import Agent
from argusic.records.configuration import KeyUsed, ModelUsed, OpenConfiguration
from argusic.referee.check import check
from argusic.sandbox.docker.engine import Engine
from argusic.sandbox.docker.image import found, made_ready
from tests.docker_image import a_small_image
from tests.model_server import Asked, ModelServer, Reply
from tests.own_engine import an_own_engine
from tests.program import variables_of
from tests.runs.agents.shell.working import DONE, run
from tests.runs.crashing import Make, assert_nothing_is_left, command, outcomes
from tests.runs.keys.key_servers import MASTER, LiteLlmServer
from tests.runs.test_modelled import PROOF, REPORT

pytestmark = pytest.mark.timeout(600)

#: The steps of an attempt at which its key is held, being deleted, or gone, in their order.
STEPS = ("key-held", "intent-written", "sandbox-started", "agent-done", "sandbox-destroyed", "attempt-over")


@pytest.fixture
def model() -> Iterator[ModelServer]:
    steps = [run("sleep 1"), run(PROOF), run(REPORT), DONE]

    def script(asked: Asked) -> Reply:
        return steps[min(asked.turn, len(steps) - 1)]

    with ModelServer(script) as served:
        yield served


@pytest.fixture
def keys() -> Iterator[LiteLlmServer]:
    with LiteLlmServer() as server:
        yield server


def small(make: Make, model: ModelServer, keys: LiteLlmServer, **fields: object) -> Database:
    """Return a small cycle whose one agent has a model, and a key from a service."""
    database = make(standard_agent="agent-7", board_agents=(), controls=(), **fields)
    configuration = OpenConfiguration(
        model=ModelUsed(name="pebble-7", url=model.url),
        key=KeyUsed(provider="litellm", variable="MASTER_KEY", url=keys.url),
    )
    agent = Agent(
        agent="agent-7",
        title="Agent 7",
        role="agent",
        program="shell",
        implementation="shell",
        configuration=configuration,
    )
    database.write(agent_path("agent-7"), agent)
    return database


def stopped(database: Database, how: signal.Signals, asked: ModelServer, env: Mapping[str, str]) -> int:
    """Run the cycle, and stop it with a signal as soon as the model was asked once more."""
    before = len(asked.asked)
    process = subprocess.Popen(command(database), env=env, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while len(asked.asked) == before and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(process.pid, how)
    return process.wait(timeout=60)


def killed_and_stopped_at_each_step(database: Database, model: ModelServer, keys: LiteLlmServer, **others: str) -> None:
    """Kill the cycle at each step and while the model is asked, interrupt and end it, and let it end: it ends the same.

    Args:
        database: It.
        model: The model's server.
        keys: The service that its keys come from, where none is left.
        others: Environment variables.
    """
    env = variables_of(database, MASTER_KEY=MASTER, **others)
    for step in STEPS:
        at = {**env, FAULT_VARIABLE: step}
        killed = subprocess.run(command(database), env=at, capture_output=True, timeout=120, check=False)
        assert killed.returncode == -signal.SIGKILL, (step, killed.stderr)
        assert len(keys.names()) == (1 if STEPS.index(step) < STEPS.index("attempt-over") else 0), step
    for how in (signal.SIGINT, signal.SIGTERM):
        assert stopped(database, how, model, env) == 130
        assert keys.names() == [], how
    assert stopped(database, signal.SIGKILL, model, env) == -signal.SIGKILL
    assert len(keys.names()) == 1
    done = subprocess.run(command(database), env=env, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert outcomes(database) == {("repository/greeter", "agent-7"): Counter(pass_full=1)}
    assert keys.names() == [] and check(database) == []
    assert_nothing_is_left(database)


@pytest.mark.sandbox
@pytest.mark.endurance
def test_killed_or_stopped_at_each_step_a_cycle_ends_the_same_and_no_key_is_left(
    small_database: Make, model: ModelServer, keys: LiteLlmServer
) -> None:
    killed_and_stopped_at_each_step(small(small_database, model, keys), model, keys)


@pytest.mark.docker
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start an engine of its own")
@pytest.mark.xdist_group("own engine")
def test_in_docker_no_container_is_left_either(small_database: Make, model: ModelServer, keys: LiteLlmServer) -> None:
    with an_own_engine() as engine:
        with Engine(engine.at) as asked:
            image = found(asked, [a_small_image()])
            made_ready(asked, image)  # Kept for all attempts to come.
        before = engine.keeps()
        database = small(small_database, model, keys, sandbox="docker")
        killed_and_stopped_at_each_step(database, model, keys, DOCKER_HOST=engine.at, ARGUSIC_IMAGE=image.id)
        time.sleep(0.5)
        assert engine.keeps() == before
