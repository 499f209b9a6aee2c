"""The newcomer's day with a real MCP server of the pool, from its registry, in a real sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.records.sources.mcp_server import Pin
from tests.runs.agents.test_newcomer_for_real import TOP, Day

pytestmark = [pytest.mark.endurance, pytest.mark.sandbox, pytest.mark.network]

SQLITE = Pin(
    version="2025.4.25",
    file="mcp_server_sqlite-2025.4.25-py3-none-any.whl",
    sha256="5ba5706aa29d249a3cde8226577e021c07792d3198e9db40fd005578d2a0801d",
)


@pytest.fixture
def real(tmp_path: Path) -> Iterator[Day]:
    one = Day(tmp_path)
    yield one
    one.end()


def test_a_server_that_fails_as_documented_is_repaired_and_its_answers_are_decoded(real: Day) -> None:
    real.fetch(Database(TOP).subject("mcp-server/mcp-server-sqlite"), SQLITE)
    report = real.live("mcp-server-sqlite", kind="mcp-server")
    assert (report.installed, report.launched, report.test_depth) == (True, True, "tier1_real"), report
    assert [(error.fixed, error.fix) for error in report.errors or ()] == [(True, "installed mcp before 2")], report
    assert "6 of 6 tools that were called answered" in report.final_state
    assert real.bears_out(report, "wandering albatross")
