"""Our composite actions do what the workflows rely on: their own commands, run here."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import git
from tests.workflows.repository import Repository, Step

HERE = Repository.here()


def step(action: str) -> Step:
    """Return the one step of an action."""
    (only,) = (
        one for made in HERE.actions if made.file == f".github/actions/{action}/action.yml" for one in made.steps
    )
    return only


def run(action: str, folder: Path, **environment: str) -> str:
    """Run an action's step as a runner would, and return what it printed."""
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step(action).run]
    done = subprocess.run(words, cwd=folder, env={**os.environ, **environment}, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


HOSTILE = "::set-env name=PATH::/evil\n::stop-commands::mine\n::mine::\n::error::no\r::add-mask::x\x1b[2J\nthe end\n"


def test_what_is_shown_stands_between_a_token_made_after_it(tmp_path: Path) -> None:
    (tmp_path / "output.txt").write_text(HOSTILE)
    first, second = (run("show", tmp_path, FILE="output.txt").splitlines() for _ in range(2))
    token = first[0].removeprefix("::stop-commands::")
    assert re.fullmatch("[0-9a-f]{32}", token)
    assert first[-1] == f"::{token}::"
    assert token not in "\n".join(first[1:-1])
    assert first[0] != second[0]
    assert "the end" in first
    assert not {"\r", "\x1b"} & set("\n".join(first))


def test_only_the_end_of_much_is_shown_and_nothing_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "output.txt").write_text("".join(f"line {number} {'x' * 1000}\n" for number in range(1000)))
    shown = run("show", tmp_path, FILE="output.txt").splitlines()
    assert len(shown) < 70
    assert max(map(len, shown)) <= 400
    assert run("show", tmp_path, FILE="missing.txt") == ""


def test_a_fetched_commit_is_not_laid_out_and_the_token_stays_nowhere(tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    for folder in (there, here):
        folder.mkdir()
        git(folder, "init", "-q", "-b", "main")
    (there / "evil.sh").write_text("echo evil\n")
    git(there, "add", ".")
    git(there, "commit", "-q", "-m", "Evil")
    git(here, "remote", "add", "origin", str(there))
    run("fetch", here, WHAT="main", TOKEN="a-token-of-the-job")
    assert git(here, "rev-parse", "FETCH_HEAD") == git(there, "rev-parse", "HEAD")
    assert [path.name for path in here.iterdir()] == [".git"]
    told = [path for path in here.rglob("*") if path.is_file() and b"a-token-of-the-job" in path.read_bytes()]
    assert told == []


@pytest.mark.parametrize("action", ["set-up"])
def test_the_program_is_set_up_by_the_tool_that_people_use(action: str) -> None:
    assert step(action).run == '"$FOLDER/tools/set-up"'


def test_only_machines_of_github_are_changed() -> None:
    (machine,) = (made for made in HERE.actions if made.file.endswith("/machine/action.yml"))
    assert len(machine.steps) == 4
    assert all("runner.environment == 'github-hosted'" in str(one.data["if"]) for one in machine.steps)
