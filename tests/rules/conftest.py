"""The newest edition as it ships, and a maker of run records, for the tests of the rules."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from argusic.database.codec import parse_record
from argusic.records.edition import Edition
from argusic.records.run import Run

TOP = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def edition() -> Edition:
    path = TOP / "rules" / "editions" / "v1.5.yaml"
    return parse_record(path.read_bytes(), Edition, file=path)


@pytest.fixture(scope="session")
def make_run() -> Callable[..., Run]:
    def make(**fields: Any) -> Run:
        started = fields.pop("started", datetime(2026, 11, 30, 1, 45, tzinfo=UTC))
        facts: dict[str, Any] = {
            "run": started.strftime("%Y%m%dT%H%M%SZ") + "-aaaaaa",
            "cycle": "quickstart",
            "subject": "package/tinydb",
            "agent": "newcomer",
            "edition": "v1.5",
            "purpose": "board",
            "tier": "standard",
            "budget_seconds": 5400,
            "pin": {"kind": "package", "version": "4.8.2", "file": "tinydb-4.8.2.tar.gz", "sha256": "0" * 64},
            "started": started,
            "finished": started,
            "ending": {"how": "completed"},
            "phases": [],
            "commands": 0,
            "report": {
                "state": "read",
                "content": {
                    "installed": True,
                    "launched": True,
                    "errors": [],
                    "test_depth": "tier1_real",
                    "verified_how": {"command": "python check.py", "result": "3 rows"},
                    "final_state": "It stored three rows and read them back.",
                },
            },
        }
        return Run.model_validate(facts | fields)

    return make
