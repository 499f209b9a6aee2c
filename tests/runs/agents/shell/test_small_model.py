"""A real model behind a real server, through the run's gateway: the whole path, whatever it earns."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.evidence.layout import RECORDING_NAME, TRAJECTORY_NAME
from argusic.evidence.verify import verify
from argusic.pool.scratch import make_scratch
from argusic.records.configuration import Price
from tests.runs.agents.shell.attempts import add_agent, attempted
from tests.runs.agents.shell.solving import ROOT
from tests.small_model import CONTEXT, NAME, SmallModel

pytestmark = [pytest.mark.model, pytest.mark.sandbox, pytest.mark.network]

#: No real price: so that there is money to count.
PRICE = Price(input_usd="0.1", output_usd="0.4", as_of="2026-11-30", source="made up for this test")


@pytest.mark.timeout(1200)
def test_a_real_model_makes_a_whole_attempt(tmp_path: Path) -> None:
    database = make_scratch(Database(ROOT), tmp_path / "scratch", pool=True)
    with SmallModel(tmp_path) as server:
        settings = {"max_tokens": 96, "context_tokens": CONTEXT, "temperature": 0.0}
        add_agent(database, "quickstart", server.url, PRICE, name=NAME, **settings)
        found = attempted(database, "quickstart", "package/cowsay", seconds=900)
    use = found.run.model_use
    assert use is not None
    assert found.run.ending.how in ("completed", "time_limit")
    assert found.score.total is not None
    assert found.manifest.coverage.complete
    assert {file.name for file in found.manifest.files} >= {TRAJECTORY_NAME, RECORDING_NAME}
    answers = [step for step in found.trajectory.steps if step.source == "agent"]
    assert len(answers) == use.calls > 0
    assert use.failed == use.refused == 0
    assert all(answer.message or answer.tool_calls for answer in answers)
    metrics = found.trajectory.final_metrics
    assert metrics is not None
    assert (metrics.total_prompt_tokens, metrics.total_completion_tokens) == (use.input_tokens, use.output_tokens)
    assert use.billed_usd is not None and 0 < Decimal(use.billed_usd) < 3
    assert use.cap_usd == "3" or Decimal(use.cap_usd or 0) == 3
    assert found.manifest.key == "per_run"
    assert verify(database).findings == []
