"""Small real databases and the records in them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.database.paths import RUN_FILE, run_folder
from argusic.records.report import Report
from argusic.records.run import Ending, Phase, Run, RunReport
from argusic.records.sources.package import Pin

START = datetime(2026, 11, 30, 1, 45, tzinfo=UTC)


@pytest.fixture
def make_run() -> Callable[..., Run]:
    """A maker of valid runs; each number is another run, and any field can be given."""

    def make(number: int = 0, **fields: object) -> Run:
        started = START + timedelta(seconds=number)
        report = Report(installed=True, launched=True, errors=(), test_depth="tier1_real", final_state="It runs.")
        values: dict[str, object] = {
            "run": f"{started:%Y%m%dT%H%M%SZ}-kax7q2",
            "cycle": "spring",
            "subject": "package/tinydb",
            "agent": "newcomer",
            "edition": "v1.5",
            "purpose": "board",
            "tier": "standard",
            "budget_seconds": 3600,
            "pin": Pin(version="4.8.2", file="tinydb-4.8.2-py3-none-any.whl", sha256="a" * 64),
            "started": started,
            "finished": started + timedelta(seconds=30),
            "ending": Ending(how="completed"),
            "phases": (Phase(name="agent", started=started, seconds=12.5),),
            "commands": 3,
            "report": RunReport(state="read", content=report),
        }
        return Run.model_validate(values | fields)

    return make


@pytest.fixture
def put_run() -> Callable[[Path, Run], Path]:
    """Write a run where it belongs below a top folder; returns its file."""

    def put(root: Path, run: Run) -> Path:
        path = root / run_folder(run.cycle, run.subject, run.agent, run.run) / RUN_FILE
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(dump(run))
        return path

    return put


@pytest.fixture
def git() -> Callable[..., str]:
    """Run git in a folder, free of the configuration of whoever runs the tests."""

    def run(folder: Path, *arguments: str) -> str:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        identity = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org", "-c", "init.defaultBranch=main")
        return subprocess.run(
            ["git", *identity, *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True
        ).stdout.strip()

    return run


@pytest.fixture
def plain_database(tmp_path: Path, make_run: Callable[..., Run], put_run: Callable[[Path, Run], Path]) -> Database:
    """A database of three runs in two cycles, in a plain folder."""
    root = tmp_path / "top"
    for folder in ("pool", "rules", "runs"):
        (root / folder).mkdir(parents=True)
    put_run(root, make_run(0))
    put_run(root, make_run(1))
    put_run(root, make_run(2, cycle="autumn"))
    return Database(root)


@pytest.fixture(params=["plain folder", "git checkout"])
def database(request: pytest.FixtureRequest, plain_database: Database, git: Callable[..., str]) -> Database:
    """The same database, once as a plain folder and once as a git checkout."""
    if request.param == "plain folder":
        return plain_database
    root = plain_database.root
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Three runs")
    return Database(root)
