"""`argusic try`: a target looked up, tried in a scratch cycle, and answered in one sentence or one document."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from argusic.database.database import Database
from tests.program import Done, argusic

pytestmark = pytest.mark.sandbox

HERE = Path(__file__).parents[2]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A database with this repository's rules and agents, and nothing else."""
    for folder in ("rules", "pool/agents"):
        shutil.copytree(HERE / folder, tmp_path / "repo" / folder)
    return tmp_path / "repo"


@pytest.fixture
def tried(repo: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """Call the command beside the database."""
    monkeypatch.chdir(repo.parent)
    return partial(argusic, Database(repo, cache_folder=repo.parent / "cache"), "try")


def test_a_folder_is_answered_with_one_document_on_standard_output(repo: Path, tried: Callable[..., Done]) -> None:
    folder = repo.parent / "adder"
    folder.mkdir()
    (folder / "README.md").write_text("# Adder\n\nAdds two numbers.\n\n```\n$ python3 adder.py 2 3\n5\n```\n")
    (folder / "adder.py").write_text("import sys\nprint(sum(map(int, sys.argv[1:])))\n")
    done = tried("./adder", "--json")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["target"], answer["kind"]) == (0, "adder", "repository")
    assert answer["verdict"] in ("runs", "could_not_verify")
    assert answer["runs"] and all(Path(run["evidence"]).is_dir() for run in answer["runs"])
    assert not (repo / "runs").exists(), "a trial touches nothing but its scratch database"


def test_a_file_is_refused(repo: Path, tried: Callable[..., Done]) -> None:
    (repo.parent / "README.md").touch()
    done = tried("README.md")
    assert (done.returncode, done.stdout) == (2, "")
    assert "README.md is a file" in done.stderr


def test_a_control_decides_no_verdict(tried: Callable[..., Done]) -> None:
    done = tried(".", "--agent", "nop")
    assert (done.returncode, done.stdout) == (2, "")
    assert "nop is a control" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_application_with_windows_is_tried_where_it_can_be_shown_and_filmed(
    repo: Path, tried: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo.parent / "adder").mkdir()
    (repo.parent / "adder" / "README.md").write_text("# Adder\n")
    monkeypatch.setattr("argusic.evidence.reel.video.lack", lambda: "ffmpeg is not installed")
    done = tried("./adder", "--desktop")
    assert (done.returncode, done.stdout) == (3, "")
    assert "is a desktop application and needs a display" in " ".join(done.stderr.split())
