"""An attempt with a model that is killed or stopped at any step leaves a valid database and, once swept, no key."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator

import pytest

from argusic.database.database import Database
from argusic.database.faults import FAULT_VARIABLE
from argusic.database.paths import agent_path
from argusic.records.agent import Agent
from argusic.records.configuration import KeyUsed, ModelUsed, OpenConfiguration
from argusic.referee.check import check
from tests.model_server import Asked, ModelServer, Reply
from tests.program import variables_of
from tests.runs.agents.shell.working import DONE, run
from tests.runs.crashing import Make, assert_nothing_is_left, command, outcomes
from tests.runs.keys.key_servers import MASTER, LiteLlmServer
from tests.runs.test_modelled import PROOF, REPORT

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(600)]

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


@pytest.fixture
def database(small_database: Make, model: ModelServer, keys: LiteLlmServer) -> Database:
    database = small_database(standard_agent="agent-7", board_agents=(), controls=())
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


def variables(database: Database, **more: str) -> dict[str, str]:
    return variables_of(database, MASTER_KEY=MASTER, **more)


def stopped(database: Database, how: signal.Signals, asked: ModelServer) -> int:
    """Run the cycle, and stop it with a signal as soon as the model was asked once more."""
    before = len(asked.asked)
    process = subprocess.Popen(command(database), env=variables(database), stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while len(asked.asked) == before and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(process.pid, how)
    return process.wait(timeout=60)


def test_killed_or_stopped_at_each_step_a_cycle_ends_the_same_and_no_key_is_left(
    database: Database, model: ModelServer, keys: LiteLlmServer
) -> None:
    for step in STEPS:
        env = variables(database, **{FAULT_VARIABLE: step})
        killed = subprocess.run(command(database), env=env, capture_output=True, timeout=120, check=False)
        assert killed.returncode == -signal.SIGKILL, (step, killed.stderr)
        assert len(keys.names()) == (1 if STEPS.index(step) < STEPS.index("attempt-over") else 0), step
    for how in (signal.SIGINT, signal.SIGTERM):
        assert stopped(database, how, model) == 130
        assert keys.names() == [], how
    assert stopped(database, signal.SIGKILL, model) == -signal.SIGKILL
    assert len(keys.names()) == 1
    done = subprocess.run(command(database), env=variables(database), capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert outcomes(database) == {("repository/greeter", "agent-7"): Counter(pass_full=1)}
    assert keys.names() == [] and check(database) == []
    assert_nothing_is_left(database)
