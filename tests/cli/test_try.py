"""`argusic try`: a target looked up, tried in a scratch cycle, and answered in one sentence or one document."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.sandbox

HERE = Path(__file__).parents[2]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A database with this repository's rules and agents, and nothing else."""
    for folder in ("rules", "pool/agents"):
        shutil.copytree(HERE / folder, tmp_path / "repo" / folder)
    return tmp_path / "repo"


def tried(repo: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "argusic", "--repo", str(repo), "try", *words],
        cwd=repo.parent,
        env=os.environ | {"ARGUSIC_CACHE": str(repo.parent / "cache")},
        capture_output=True,
        text=True,
        timeout=240,
    )


def test_a_folder_is_answered_with_one_document_on_standard_output(repo: Path) -> None:
    folder = repo.parent / "adder"
    folder.mkdir()
    (folder / "README.md").write_text("# Adder\n\nAdds two numbers.\n\n```\n$ python3 adder.py 2 3\n5\n```\n")
    (folder / "adder.py").write_text("import sys\nprint(sum(map(int, sys.argv[1:])))\n")
    done = tried(repo, "./adder", "--json")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["target"], answer["kind"]) == (0, "adder", "repository")
    assert answer["verdict"] in ("runs", "could_not_verify")
    assert answer["runs"] and all(Path(run["evidence"]).is_dir() for run in answer["runs"])
    assert not (repo / "runs").exists(), "a trial touches nothing but its scratch database"


def test_a_file_is_refused(repo: Path) -> None:
    (repo.parent / "README.md").touch()
    done = tried(repo, "README.md")
    assert (done.returncode, done.stdout) == (2, "")
    assert "README.md is a file" in done.stderr


def test_a_control_decides_no_verdict(repo: Path) -> None:
    done = tried(repo, ".", "--agent", "nop")
    assert (done.returncode, done.stdout) == (2, "")
    assert "nop is a control" in done.stderr
    assert "Traceback" not in done.stderr
