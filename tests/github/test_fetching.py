"""The runs that wait for review are brought beside those that are there, which stay as they are."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from argusic.database.database import Database
from argusic.github.remotes import authorised
from tests.made_database import Size, make_database
from tests.program import Done, argusic

CYCLE = "made-00"


def git(folder: Path, *words: str) -> str:
    settings = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_DATE": "2026-11-30T00:00:00Z"}
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    done = subprocess.run(
        ["git", *who, *words], cwd=folder, capture_output=True, text=True, check=True, env={**os.environ, **settings}
    )
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Database:
    """Return a checkout without runs, of a remote whose branch of results holds some."""
    made = make_database(tmp_path / "made", Size(cycles=1, subjects=2))
    for run in (made.root / "runs").rglob("run.yaml"):
        (run.parent / "evidence.yaml").write_text(f"of {run.parent.name}\n")
    git(made.root, "init", "--quiet", "--initial-branch=main")
    git(made.root, "add", "pool", "rules")
    git(made.root, "commit", "--quiet", "-m", "Without runs")
    git(made.root, "switch", "--quiet", "-c", f"results/{CYCLE}")
    git(made.root, "add", "runs")
    git(made.root, "commit", "--quiet", "-m", "Runs")
    git(made.root, "switch", "--quiet", "main")
    git(tmp_path, "clone", "--quiet", str(made.root), "checkout")
    return Database(tmp_path / "checkout", cache_folder=tmp_path / "cache")


def fetched(base: Database, *words: str) -> dict[str, Any]:
    done = argusic(base, "cycle", "fetch", CYCLE, "--json", *words)
    assert done.returncode == 0, done.stderr
    data: dict[str, Any] = json.loads(done.stdout)
    return data


def said(done: Done, status: int) -> str:
    assert done.returncode == status, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    return done.stderr.strip()


def change_branch(base: Database, change: Callable[[Path], None]) -> None:
    """Commit something on the remote's branch of results."""
    remote = base.root.parent / "made"
    git(remote, "switch", "--quiet", f"results/{CYCLE}")
    change(remote)
    git(remote, "add", "--all", "runs")
    git(remote, "commit", "--quiet", "-m", "Changed")
    git(remote, "switch", "--quiet", "main")


def test_runs_are_brought_once_and_none_that_is_here_is_changed(checkout: Database) -> None:
    assert list(checkout.runs(CYCLE)) == []
    first = fetched(checkout)
    held = {stored.run.run for stored in checkout.runs(CYCLE)}
    assert held and set(first["runs"]) == held and first["commit"] is not None
    stored = next(iter(checkout.runs(CYCLE)))
    mine = checkout.root / stored.folder / "evidence.yaml"
    mine.write_text("mine\n")
    again = fetched(checkout)
    assert (again["runs"], again["files"], mine.read_text()) == ([], 0, "mine\n")
    shutil.rmtree(checkout.root / stored.folder)
    assert fetched(checkout)["runs"] == [stored.run.run]
    assert not list((checkout.root / ".argusic").glob("fetching-*"))
    assert git(checkout.root, "status", "--porcelain", "--untracked-files=no") == ""


def test_without_a_branch_or_a_checkout_it_says_so_in_one_sentence(checkout: Database, tmp_path: Path) -> None:
    git(tmp_path / "made", "branch", "--quiet", "-D", f"results/{CYCLE}")
    done = argusic(checkout, "cycle", "fetch", CYCLE)
    assert (done.returncode, done.stdout.strip()) == (
        0, f"No run of {CYCLE} waits for review: origin has no branch results/{CYCLE}.",
    )  # fmt: skip
    assert "has no remote 'upstream'" in said(argusic(checkout, "cycle", "fetch", CYCLE, "--remote", "upstream"), 2)
    assert "no name of a remote" in said(argusic(checkout, "cycle", "fetch", CYCLE, "--remote=--all"), 2)
    git(checkout.root, "remote", "set-url", "origin", str(tmp_path / "gone"))
    assert "did not answer" in said(argusic(checkout, "cycle", "fetch", CYCLE), 3)
    shutil.rmtree(checkout.root / ".git")
    assert "no git checkout" in said(argusic(checkout, "cycle", "fetch", CYCLE), 2)


def test_what_may_not_lie_on_the_branch_is_refused_and_nothing_is_brought(checkout: Database) -> None:
    for name, mode in (("link", 0), ("strange.txt", 0o644), ("run.yaml", 0o755)):

        def change(remote: Path, name: str = name, mode: int = mode) -> None:
            folder = next((remote / "runs" / CYCLE).rglob("run.yaml")).parent
            (folder / "link").unlink(missing_ok=True)
            (remote / "runs" / CYCLE / "strange.txt").unlink(missing_ok=True)
            if not mode:
                (folder / name).symlink_to("/etc/passwd")
            elif name == "run.yaml":
                (folder / name).chmod(mode)
            else:
                (remote / "runs" / CYCLE / name).write_text("What is this?")

        change_branch(checkout, change)
        refused = said(argusic(checkout, "cycle", "fetch", CYCLE), 2)
        assert name in refused and "which may not lie there" in refused
        assert list(checkout.runs(CYCLE)) == []


def test_a_file_beside_the_runs_that_is_here_otherwise_is_named_and_left(checkout: Database) -> None:
    def change(remote: Path) -> None:
        (remote / "runs" / CYCLE / "README.md").write_text("theirs\n")

    change_branch(checkout, change)
    mine = checkout.root / "runs" / CYCLE / "README.md"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine\n")
    assert fetched(checkout)["other"] == [f"runs/{CYCLE}/README.md"] and mine.read_text() == "mine\n"


def test_a_token_is_for_github_alone_and_travels_in_the_environment() -> None:
    given = {"GITHUB_TOKEN": "ghs_0123456789"}
    told = authorised("https://github.com/o/r", given)
    assert told["GIT_CONFIG_KEY_0"] == "http.https://github.com/.extraheader" and "ghs_" not in str(told)
    for other in ("https://example.org/o/r", "https://github.com.example.org/o/r", "http://github.com/o/r", "/srv/r"):
        assert authorised(other, given) == {}
