"""What a run says of its model, held against what its agent's file and its edition say."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from argusic.database.paths import MANIFEST_FILE
from argusic.github.ladder.plausible import Expected
from argusic.github.ladder.proving import expected, lawful_conditions
from argusic.records.agent import Agent
from argusic.records.configuration import KeyUsed, ModelUsed, OpenConfiguration
from argusic.records.manifest import Manifest
from argusic.records.usage import ModelUse
from tests.github.ladder.handing import Elsewhere, plan_of

pytestmark = pytest.mark.sandbox

OPEN = Agent(
    agent="oracle",
    title="Oracle",
    role="agent",
    program="shell",
    implementation="shell",
    configuration=OpenConfiguration(
        model=ModelUsed(name="m", url="https://models.example.org/v1"), key=KeyUsed(provider="openrouter")
    ),
)
SEALED = OPEN.model_copy(update={"configuration": None, "commitment": "0" * 64})
USE: dict[str, Any] = {"key": "openrouter", "calls": 2, "input_tokens": 9, "output_tokens": 9, "cap_usd": "3"}

CASES: list[tuple[Agent, str, dict[str, Any] | None, str | None]] = [
    (OPEN, "per_run", USE, None),
    (OPEN, "none", None, None),
    (SEALED, "per_run", USE, None),
    (OPEN, "shared", None, "states a shared key, and oracle gets one of its own for each run."),
    (OPEN, "per_run", {**USE, "key": "gateway"}, "states a key of gateway, and that of oracle comes from openrouter."),
    (SEALED, "per_run", {**USE, "key": "shared"}, "comes from litellm or openrouter or none."),
    (OPEN, "none", USE, "states calls of a model without a key."),
    (OPEN, "per_run", {**USE, "calls": 0}, "states tokens of a model that it never asked."),
    (OPEN, "per_run", {**USE, "cap_usd": "3.01"}, "states a key that could spend 3.01 US dollars; v1.5 allows 3."),
]


def known(elsewhere: Elsewhere, agent: Agent) -> Expected:
    database = elsewhere.database
    cycle = database.cycle("small")
    plan, now = plan_of(), datetime.now(UTC)
    made = expected(database, cycle, plan.jobs[0], lawful_conditions(database, cycle), plan.planned, now)
    return Expected(**{**vars(made), "agent": agent})


def test_the_use_of_a_model_is_what_its_agent_can_have(elsewhere: Elsewhere) -> None:
    stored = elsewhere.stored("oracle")
    manifest = elsewhere.database.read(stored.folder / MANIFEST_FILE, Manifest)
    for agent, key, use, sentence in CASES:
        run = stored.run.model_copy(update={"model_use": ModelUse(**use) if use is not None else None})
        found = list(known(elsewhere, agent).wrong(run, manifest.model_copy(update={"key": key})))
        if sentence is None:
            assert found == []
        else:
            (what,) = found
            assert what.startswith(f"run {run.run} ") and what.endswith(sentence), what


def test_a_run_that_began_before_its_job_was_planned_is_none_of_its(elsewhere: Elsewhere) -> None:
    stored = elsewhere.stored("oracle")
    manifest = elsewhere.database.read(stored.folder / MANIFEST_FILE, Manifest)
    for late, found in ((timedelta(minutes=4), []), (timedelta(minutes=6), ["began before its job was planned."])):
        asked = Expected(**{**vars(known(elsewhere, OPEN)), "planned": stored.run.started + late})
        said = [what.removeprefix(f"run {stored.run.run} ") for what in asked.wrong(stored.run, manifest)]
        assert [what for what in said if "planned" in what] == found
