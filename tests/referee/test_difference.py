"""`argusic recompute --difference`: what would come out otherwise, and nothing else, and nothing written."""

from __future__ import annotations

import json
import random
from datetime import timedelta
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.database.paths import cycle_path
from argusic.records.cycle import Cycle
from argusic.records.difference import Changed
from argusic.records.run import Run
from argusic.referee.difference import difference
from argusic.referee.recompute import recompute
from tests.github.proposing import git, made_base
from tests.made_database import invalidate, make_run, write
from tests.program import argusic


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Database:
    return made_base(tmp_path_factory.mktemp("difference").resolve() / "base")


@pytest.fixture
def base(committed: Database) -> Database:
    git(committed.root, "checkout", "-q", "--force", "main")
    git(committed.root, "clean", "-fdq")
    return committed


def changed(base: Database) -> list[tuple[str, str | None, str | None, str | None, str | None]]:
    found = difference(base, "HEAD").changed
    return [(one.aspect, one.agent, one.subject, one.before, one.after) for one in found]


def of_agent(base: Database, agent: str) -> list[Run]:
    return [one.run for one in base.runs() if one.run.agent == agent and one.run.subject.startswith("package/")]


def test_where_nothing_is_derived_otherwise_nothing_is_named(base: Database) -> None:
    assert changed(base) == []
    write(base.root, base.agent("first").model_copy(update={"title": "Another title"}))
    assert changed(base) == []


def test_it_is_what_recomputing_changes_and_nothing_is_written(base: Database) -> None:
    for run in of_agent(base, "first"):
        invalidate(base.root, run)
    before = git(base.root, "status", "--porcelain", "-uall")
    found = difference(base, "HEAD")
    assert git(base.root, "status", "--porcelain", "-uall") == before
    named = {(one.aspect, one.agent) for one in found.changed}
    assert ("pass rate", "first") in named
    assert all(one.kind == "package" and one.cycle == "made-00" for one in found.changed)
    assert sum(found.counts.values()) == len(found.changed)
    recompute(base)
    git(base.root, "add", "-A")
    git(base.root, "commit", "-q", "-m", "Next")
    assert changed(base) == []
    git(base.root, "reset", "-q", "--hard", "HEAD^")


def test_runs_of_a_subject_that_nobody_had_tried_are_counted_as_tried(base: Database) -> None:
    cycle = base.cycle("made-00")
    new = cycle.model_copy(update={"cycle": "new"})
    base.write(cycle_path("new"), Cycle.model_validate(new.model_dump()))
    run = make_run(new, "package/a-made0000", "newcomer", cycle.opens + timedelta(days=9), random.Random(3), ease=1)
    write(base.root, run)
    found = [one for one in difference(base, "HEAD").changed if one.aspect in ("verdict", "tested")]
    assert [(one.cycle, one.aspect, one.before, one.after is not None) for one in found] == [
        ("new", "verdict", None, True)
    ]


def test_the_command_writes_markdown_and_json(base: Database, tmp_path: Path) -> None:
    for run in of_agent(base, "second"):
        invalidate(base.root, run)
    summary = tmp_path / "summary.md"
    words = ("recompute", "--difference", "HEAD", "--markdown", str(tmp_path / "it.md"), "--json")
    told = json.loads(argusic(base, *words, GITHUB_STEP_SUMMARY=str(summary)).stdout)
    assert told["counts"] == dict(difference(base, "HEAD").counts)
    assert [Changed.model_validate(one) for one in told["changed"]] == list(difference(base, "HEAD").changed)
    markdown = (tmp_path / "it.md").read_text()
    assert markdown in summary.read_text()
    assert markdown.startswith(f"{len(told['changed'])} figures would change: ")


@pytest.mark.parametrize(
    "words",
    [("--check", "--difference", "HEAD"), ("--push", "--check"), ("--markdown", "x.md"), ("--difference", "nowhere")],
)
def test_what_does_not_go_together_is_said(base: Database, words: tuple[str, ...]) -> None:
    done = argusic(base, "recompute", *words)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
