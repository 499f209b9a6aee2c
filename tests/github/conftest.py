"""A database with one run, and the events that GitHub would state of issues about it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.github.disputes import FORM_PATH
from argusic.records.run import Run
from tests.site.fixture_database import CYCLE, PASS, FixtureDatabase

TOP = Path(__file__).parents[2]
BODY = """\
### Link to the run

https://example.org/subjects/package/first.html#run-{RUN}

### What is wrong

It never started.

### What should be different

A failure.

### Evidence

_No response_
"""
#: Takes a body, and the issue's number; returns the file of the event.
Event = Callable[..., Path]


def with_form(root: Path) -> None:
    """Give a database the form of this repository."""
    (root / FORM_PATH).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(TOP / FORM_PATH, root / FORM_PATH)


@pytest.fixture
def disputed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Database, Run]:
    """Make the database, and a run whose report the recording bears out."""
    monkeypatch.delenv("ARGUSIC_EVIDENCE", raising=False)
    made = FixtureDatabase(tmp_path / "referee")
    run = made.run(made.subject("first", "First"), PASS)
    with_form(made.root)
    return made.finish(), run


@pytest.fixture
def event(tmp_path: Path) -> Event:
    """Return what writes events."""

    def write(body: str | None, /, number: int = 7, **issue: object) -> Path:
        facts: dict[str, object] = {
            "number": number,
            "user": {"login": "kim"},
            "created_at": "2026-11-02T08:00:00Z",
            "html_url": f"https://github.example/o/r/issues/{number}",
            "body": body,
        }
        path = tmp_path / f"event-{number}.json"
        path.write_text(json.dumps({"action": "opened", "issue": facts | issue, "sender": {"login": "other"}}))
        return path

    return write


__all__ = ["BODY", "CYCLE", "Event"]
