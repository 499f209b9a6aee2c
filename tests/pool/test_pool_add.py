"""`argusic pool add`, run as a person runs it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from argusic.database.database import Database

pytestmark = pytest.mark.sandbox

ROOT = Path(__file__).parents[2]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    folder = tmp_path / "referee"
    for name in ("pool", "rules"):
        shutil.copytree(ROOT / name, folder / name)
    return folder


def add(base: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = "import sys; from argusic.cli.main import run; sys.exit(run())"
    return subprocess.run(
        [sys.executable, "-c", program, "--repo", str(base), "pool", "add", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )


def test_a_folder_is_added_with_its_pin(base: Path, project: Path, git: Callable[..., str]) -> None:
    (project / "README.md").write_text("changed\n")
    done = add(base, str(project), "--licence", "MIT", "--language", "Shell", "--cycle", "quickstart", "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["subject"] == "repository/project"
    assert said["entry"]["pin"] == {"kind": "repository", "commit": git(project, "rev-parse", "HEAD")}
    assert "uncommitted changes" in done.stderr
    database = Database(base)
    assert database.subject("repository/project").licence == "MIT"
    entry = database.cycle("quickstart").entry("repository/project")
    assert entry is not None and entry.pin.model_dump() == said["entry"]["pin"]


def test_a_subject_of_the_pool_is_not_added_twice(base: Path, project: Path) -> None:
    assert add(base, str(project), "--yes").returncode == 0
    again = add(base, str(project), "--yes")
    assert again.returncode == 2
    assert "already" in again.stderr


def test_where_nobody_can_be_asked_nothing_is_written(base: Path, project: Path) -> None:
    done = add(base, str(project))
    assert done.returncode == 2
    assert "--yes" in done.stderr
    assert Database(base).subjects() == Database(ROOT).subjects()


def test_a_target_of_no_kind_ends_with_status_2_and_no_traceback(base: Path) -> None:
    done = add(base, "ftp://somewhere/x", "--yes")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr and "neither a git address" in done.stderr
