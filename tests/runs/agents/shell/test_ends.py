"""How whole attempts end for reasons of the model's."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from argusic.database.database import Database
from argusic.evidence.layout import TRAJECTORY_NAME
from argusic.evidence.verify import verify
from argusic.records.configuration import Price
from tests.model_server import ModelServer, Reply, Usage, in_order
from tests.runs.agents.shell.attempts import add_agent, attempted
from tests.runs.agents.shell.working import run

pytestmark = pytest.mark.sandbox

PRICE = Price(input_usd="1", output_usd="10", as_of="2026-11-30", source="made up for this test")


def test_a_model_that_cannot_be_reached_makes_no_complete_attempt(small_database: Callable[..., Database]) -> None:
    database = small_database()
    with ModelServer(in_order(run("true"), Reply(status=503, headers={"retry-after": "600"}))) as server:
        add_agent(database, "small", server.url)
        found = attempted(database, "small", "repository/greeter", seconds=60)
    assert found.run.ending.how == "model_unavailable"
    assert found.score.outcome == "invalid"
    assert TRAJECTORY_NAME in {file.name for file in found.manifest.files}
    assert verify(database).findings == []


def test_a_spent_cap_is_the_agent_s_own_end(small_database: Callable[..., Database]) -> None:
    database = small_database()
    with ModelServer(in_order(run("true", usage=Usage(2_990_000, 1)), run("true"))) as server:
        add_agent(database, "small", server.url, PRICE)
        found = attempted(database, "small", "repository/greeter", seconds=60)
    assert (found.run.ending.how, found.score.outcome) == ("completed", "fail")
    assert (found.trajectory.extra or {})["argusic"]["end"]["how"] == "cap_reached"
    assert found.run.model_use is not None and float(found.run.model_use.billed_usd or 0) <= 3
    assert verify(database).findings == []
