"""A statement that a change of rules or harness has no effect is written for the very files, and refused otherwise."""

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

import pytest

from argusic.database.database import Database
from argusic.database.paths import what_is
from argusic.errors import InputError
from argusic.records.rule_change import ChangedFile, RuleChange
from argusic.referee.changelog.bearing import matches
from argusic.referee.changelog.stating import state_no_effect
from argusic.referee.checks.changelog import check_changelog
from argusic.referee.recompute import recompute
from tests.changed_rules import HARNESS, KIND, RECORDER, RUBRIC, commit_all, edit, edition, instructions, state
from tests.made_database import Size, commit, make_database, write
from tests.program import argusic

TOP = Path(__file__).parents[2]
AT = datetime(2026, 12, 1, tzinfo=UTC)


@pytest.fixture
def base(tmp_path: Path) -> Database:
    made = make_database(tmp_path / "made", Size(cycles=1, subjects=1))
    shutil.copy(TOP / HARNESS, made.root / HARNESS)
    edit(RECORDER)(made)
    (made.root / ".gitignore").write_text(".argusic/\n")
    recompute(made)
    commit(made.root)
    return made


def statements(base: Database) -> list[Path]:
    return sorted((base.root / "rules/changes").glob("*.yaml"))


def test_a_statement_names_each_file_with_its_digest_and_gives_way_to_the_next(base: Database) -> None:
    edit(RECORDER)(base)
    edit(HARNESS)(base)
    state(base)
    edit(RECORDER)(base)
    path, statement = state_no_effect(base, "HEAD", reason="A comment.", by="ada", at=AT)
    assert [entry.file for entry in statement.files] == [RECORDER, HARNESS]
    assert statements(base) == [base.root / path]
    assert base.read(path, RuleChange) == statement
    assert (holding := what_is(path)) is not None and holding.row.name == "rule change"


def test_what_is_undone_and_done_again_is_stated_each_time(base: Database) -> None:
    before = (base.root / RECORDER).read_bytes()
    for number in range(3):
        edit(RECORDER)(base) if number != 1 else (base.root / RECORDER).write_bytes(before)
        state_no_effect(base, "HEAD", reason="A comment.", by="ada", at=AT.replace(day=1 + number))
        assert list(check_changelog(base, "HEAD")) == []
        commit_all(base)
    assert len(statements(base)) == 3


def test_a_removed_file_of_the_harness_is_stated_too(base: Database) -> None:
    (base.root / RECORDER).unlink()
    assert [str(one.place.file) for one in check_changelog(base, "HEAD")] == [RECORDER]
    state(base)
    assert list(check_changelog(base, "HEAD")) == []


def test_nothing_is_stated_where_nothing_has_to_be_or_nothing_can_be(base: Database) -> None:
    with pytest.raises(InputError, match="nothing changed since HEAD that would have to be explained"):
        state(base)
    instructions(base)
    with pytest.raises(InputError, match=r"no statement covers .*standard-2\.md, .*: add an edition"):
        state(base)
    edit(RECORDER)(base)
    with pytest.raises(InputError, match="the reason must not be empty"):
        state_no_effect(base, "HEAD", reason=" ", by="ada", at=AT)


def test_a_statement_that_was_written_by_hand_covers_no_more_than_it_may(base: Database) -> None:
    edit(KIND)(base)
    edit(RECORDER)(base)
    entry = ChangedFile(file="x", sha256="0" * 64)
    for name, what in ((KIND, "cannot cover rules/kinds/package.yaml"), ("README.md", "names README.md, of which no")):
        files = (entry.model_copy(update={"file": name}),)
        path = write(base.root, RuleChange(files=files, no_effect="A comment.", by="ada", at=AT))
        said = {one.what: one.place for one in check_changelog(base, "HEAD")}
        assert any(one.startswith("is the declaration of a kind") for one in said)
        (place,) = [place for one, place in said.items() if one.startswith(what)]
        assert (place.file, place.line) == (path.relative_to(base.root), 2)
        path.unlink()


def test_code_that_is_no_harness_is_changed_freely(base: Database) -> None:
    for name in ("argusic/site/pages.py", "argusic/cli/new.py", "tests/test_new.py", "docs/page.md", "tools/lock"):
        edit(name)(base)
    assert list(check_changelog(base, "HEAD")) == []


def test_a_stated_change_of_the_rubric_is_recomputed(base: Database) -> None:
    board = base.root / "leaderboards/boards/made-00/package.yaml"
    board.write_text(board.read_text().replace("runs_per_set: 3", "runs_per_set: 4"))
    commit_all(base)
    edit(RUBRIC)(base)
    state(base)
    (said,) = check_changelog(base, "HEAD")
    assert str(said).startswith("leaderboards/boards/made-00/package.yaml:") and "runs_per_set" in str(said)


def test_nothing_is_asked_for_before_the_first_run(base: Database) -> None:
    shutil.rmtree(base.root / "runs")
    shutil.rmtree(base.root / "leaderboards")
    commit_all(base)
    for change in (edit(RECORDER), edit(KIND), instructions, edition("v3.7", planned="null")):
        change(base)
    assert list(check_changelog(base, "HEAD")) == []


def test_patterns_stand_for_the_files_that_the_list_of_the_harness_stands_for() -> None:
    listed = Database(TOP)
    patterns = [pattern for line in (TOP / HARNESS).read_text().split('"') if (pattern := line).startswith("argusic/")]
    assert patterns
    every = [path.relative_to(listed.root) for path in (TOP / "argusic").rglob("*") if path.is_file()]
    for pattern in patterns:
        named = {path.relative_to(TOP) for path in TOP.glob(pattern) if path.is_file()}
        assert {path for path in every if matches(PurePosixPath(path), [pattern])} == named


def test_a_pull_request_is_checked_and_stated_from_the_command_line(base: Database) -> None:
    subprocess.run(["git", "checkout", "-q", "-b", "mine"], cwd=base.root, check=True)
    edit(RECORDER)(base)
    commit_all(base)

    def named() -> list[str]:
        done = argusic(base, "check", "--base", "HEAD~1", "--json")
        return [one["what"] for one in json.loads(done.stdout)["findings"] if one["file"] == RECORDER]

    (said,) = named()
    assert said.startswith("is code of the harness, which changes between cycles only, and cycle made-00 is under way.")
    done = argusic(base, "rules", "state", "--base", "HEAD~1", "--no-effect", "A comment.", "--by", "Ada")
    assert done.returncode == 0 and f"covers: {RECORDER}" in done.stdout
    assert named() == []
    again = argusic(base, "rules", "state", "--base", "HEAD", "--no-effect", "A comment.", "--by", "Ada")
    assert again.returncode == 2 and "nothing changed since HEAD" in again.stderr
