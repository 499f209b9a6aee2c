"""Recomputing and checking over whole databases: the bytes, what a change touches, what a closed cycle allows."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from argusic.database.codec import dump, parse
from argusic.database.database import Database
from argusic.database.locating import field_name, line_of
from argusic.database.paths import board_path, close_path, verdicts_path
from argusic.errors import InputError
from argusic.records.board import Board
from argusic.records.findings import Screening
from argusic.records.run import Run
from argusic.records.verdicts import Verdicts
from argusic.referee.close import close_cycle
from argusic.referee.differing import differences
from argusic.referee.recompute import check_derived, recompute
from tests.made_database import CONTROLS, KINDS, Size, commit, invalidate, make_database, make_run, write

CYCLE = "made-00"


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("made") / "database"
    recompute(make_database(root, Size(cycles=2, subjects=4)))
    return root


@pytest.fixture
def database(made: Path, tmp_path: Path) -> Database:
    return Database(shutil.copytree(made, tmp_path / "database"))


def derived(database: Database) -> dict[str, bytes]:
    top = database.root / "leaderboards"
    return {str(path.relative_to(top)): path.read_bytes() for path in sorted(top.rglob("*.yaml"))}


def forget(database: Database) -> None:
    shutil.rmtree(database.root / ".argusic")


def a_run(database: Database, *, agent: str = "first") -> Run:
    return next(
        item.run for item in database.runs(CYCLE) if item.run.agent == agent and item.run.ending.how == "completed"
    )


def new_run(database: Database, *, agent: str = "first", kind: str = "package", seed: int = 7) -> Run:
    cycle = database.cycle(CYCLE)
    subject = next(entry.subject for entry in cycle.subjects if entry.subject.startswith(kind))
    return make_run(cycle, subject, agent, cycle.opens + timedelta(days=2), random.Random(seed), ease=1)


def test_every_cycle_and_kind_gets_a_board_and_verdicts(database: Database) -> None:
    assert sorted(derived(database)) == sorted(
        f"{name}/{cycle}/{kind}.yaml"
        for name in ("boards", "verdicts")
        for cycle in ("made-00", "made-01")
        for kind in KINDS
    )
    assert check_derived(database) == []


def test_recomputing_again_writes_nothing(database: Database) -> None:
    before = {path: path.stat().st_mtime_ns for path in (database.root / "leaderboards").rglob("*.yaml")}
    done = recompute(database)
    assert (done.written, done.removed, done.unchanged, done.findings) == ([], [], 8, [])
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_without_the_cache_the_bytes_are_the_same(database: Database) -> None:
    before = derived(database)
    forget(database)
    shutil.rmtree(database.root / "leaderboards")
    assert len(recompute(database).written) == 8
    assert derived(database) == before


def test_a_checkout_and_a_plain_folder_give_the_same_bytes(database: Database, tmp_path: Path) -> None:
    before = derived(database)
    copy = Database(shutil.copytree(database.root, tmp_path / "checkout", ignore=shutil.ignore_patterns(".argusic")))
    shutil.rmtree(copy.root / "leaderboards")
    commit(copy.root)
    recompute(copy)
    assert derived(copy) == before


def test_a_damaged_cache_changes_no_result(database: Database) -> None:
    before = derived(database)
    for path in (database.cache_folder / "derived").rglob("*.json"):
        path.write_bytes(path.read_bytes().replace(b"pass_full", b"pass_mock"))
    write(database.root, new_run(database))
    recompute(database)
    touched = derived(database)
    forget(database)
    recompute(database)
    assert derived(database) == touched != before


def test_a_new_run_touches_its_own_cycle_and_kind_alone(database: Database) -> None:
    write(database.root, new_run(database))
    assert recompute(database).written == [verdicts_path(CYCLE, "package"), board_path(CYCLE, "package")]
    assert check_derived(database) == []


def test_a_run_of_a_control_moves_nothing(database: Database) -> None:
    before = derived(database)
    write(database.root, new_run(database, agent=CONTROLS[0]))
    assert recompute(database).written == []
    forget(database)
    assert recompute(database).written == []
    assert derived(database) == before
    for data in before.values():
        assert CONTROLS[0].encode() not in data


def test_a_kind_that_only_controls_ran_has_no_derived_file(database: Database) -> None:
    for item in list(database.runs(CYCLE, "package")):
        if item.run.agent not in CONTROLS:
            (database.root / item.path).unlink()
    done = recompute(database)
    assert sorted(done.removed) == sorted([board_path(CYCLE, "package"), verdicts_path(CYCLE, "package")])
    assert check_derived(database) == []


def test_an_invalidated_run_leaves_its_set_and_stays_on_the_board_as_invalid(database: Database) -> None:
    run = a_run(database)
    invalidate(database.root, run)
    recompute(database)
    kind = run.subject.split("/")[0]
    board = database.read(board_path(CYCLE, kind), Board)
    row = next(row for row in board.agents if row.agent == run.agent)
    item = next(item for item in row.subjects if item.subject == run.subject)
    assert run.run not in [shown.run for shown in (*item.runs, *item.further)]
    assert [shown.reason for shown in item.invalid if shown.run == run.run] == ["A mirror was down."]


def failing(database: Database, subject: str) -> list[Run]:
    """Make every run on a subject fail, and return them."""
    changed = []
    for item in list(database.runs(CYCLE)):
        if item.run.subject == subject and item.run.agent not in CONTROLS:
            failed = item.run.model_copy(
                update={
                    "ending": item.run.ending.model_copy(update={"how": "completed", "detail": None}),
                    "report": type(item.run.report)(state="missing", problem="The agent left no report."),
                }
            )
            (database.root / item.path).write_bytes(dump(failed))
            changed.append(failed)
    return changed


@pytest.mark.parametrize(
    ("finding", "states"),
    [(None, {"under_review"}), ("project", {"under_review"}), ("agents", {"counted"}), ("environment", {"incomplete"})],
)
def test_a_subject_that_every_agent_failed_on_waits_for_a_person(
    finding: Any, states: set[str], database: Database
) -> None:
    subject = database.cycle(CYCLE).subjects[0].subject
    failed = failing(database, subject)
    if finding is not None:
        dropped = tuple(run.run for run in failed) if finding == "environment" else ()
        at = failed[0].finished
        screening = Screening(
            cycle=CYCLE, subject=subject, finding=finding, reason="Looked.", by="ada", at=at, invalidates=dropped
        )
        write(database.root, screening)
    recompute(database)
    kind = subject.split("/")[0]
    board = database.read(board_path(CYCLE, kind), Board)
    assert {item.state for row in board.agents for item in row.subjects if item.subject == subject} == states
    verdict = next(
        item for item in database.read(verdicts_path(CYCLE, kind), Verdicts).subjects if item.subject == subject
    )
    assert verdict.verdict == ("not_yet_verified" if finding == "environment" else "could_not_verify")
    assert verdict.review is not None
    assert verdict.review.finding == finding
    assert verdict.review.excluded == (states == {"under_review"})


def leaves(value: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*place, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from leaves(inner, (*place, number))
    else:
        yield place


def flipped(value: Any) -> str:
    """Return YAML of another value of the same sort."""
    if isinstance(value, bool):
        return str(not value).lower()
    if isinstance(value, int | float):
        return str(value + 1)
    return f'"{value}x"'


@pytest.mark.parametrize("path", [board_path(CYCLE, "package"), verdicts_path(CYCLE, "package")], ids=str)
def test_any_changed_leaf_of_a_derived_file_is_named_by_line_and_field(path: PurePosixPath, database: Database) -> None:
    right = (database.root / path).read_bytes()
    places = list(leaves(parse(right, file="derived")))
    assert len(places) > 100
    for place in random.Random(3).sample(places, 60):
        line = line_of(right, place)
        assert line is not None
        value: Any = parse(right, file="derived")
        for step in place:
            value = value[step]
        lines = right.decode().split("\n")
        head, colon, _ = lines[line - 1].partition(": ")
        assert colon
        lines[line - 1] = f"{head}: {flipped(value)}"
        found = differences(path, "\n".join(lines).encode(), right)
        assert [(finding.place.line, finding.place.field) for finding in found] == [(line, field_name(place))]


def test_an_edited_derived_file_is_found_and_put_right(database: Database) -> None:
    path = board_path(CYCLE, "package")
    right = (database.root / path).read_bytes()
    (database.root / path).write_bytes(right.replace(b"runs_per_set: 3", b"runs_per_set: 4"))
    found = check_derived(database)
    assert [str(finding) for finding in found] == [f"{path}:5: runs_per_set: is 4, but the facts give 3."]
    assert recompute(database).written == [path]
    assert (database.root / path).read_bytes() == right


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda data: data.replace(b"\n", b"\r\n"), "is not written in the canonical form"),
        (lambda data: data + b"# a note\n", "is not written in the canonical form"),
        (lambda data: data[: len(data) // 2] + b"\n\t[", "is not valid YAML"),
        (lambda data: b"", "but the facts give a mapping"),
        (lambda data: data + b"extra: 1\n", "is there, but the facts do not give it"),
    ],
)
def test_whatever_is_done_to_a_derived_file_is_found(change: Any, what: str, database: Database) -> None:
    path = board_path(CYCLE, "package")
    (database.root / path).write_bytes(change((database.root / path).read_bytes()))
    found = check_derived(database)
    assert found
    assert all(str(finding.place.file) == str(path) for finding in found)
    assert any(what in finding.what for finding in found)


def test_a_missing_derived_file_and_one_too_many_are_found(database: Database) -> None:
    (database.root / board_path(CYCLE, "package")).unlink()
    extra = database.root / "leaderboards/boards/made-77/package.yaml"
    extra.parent.mkdir()
    extra.write_bytes(b"schema: 1\n")
    found = {str(finding.place.file): finding.what for finding in check_derived(database)}
    assert "is missing" in found[str(board_path(CYCLE, "package"))]
    assert "should not be there" in found["leaderboards/boards/made-77/package.yaml"]
    done = recompute(database)
    assert done.written == [board_path(CYCLE, "package")]
    assert done.removed == [PurePosixPath("leaderboards/boards/made-77/package.yaml")]


def test_a_closed_cycle_is_never_altered(database: Database) -> None:
    close_cycle(database, database.cycle(CYCLE), "ada")
    before = derived(database)
    assert check_derived(database) == []
    write(database.root, new_run(database))
    done = recompute(database)
    assert done.written == []
    assert {str(finding.place.file) for finding in done.findings} == {
        str(board_path(CYCLE, "package")),
        str(verdicts_path(CYCLE, "package")),
    }
    assert all("closed" in finding.what for finding in done.findings)
    assert derived(database) == before
    assert any(finding.place.field == "runs" for finding in check_derived(database))
    assert [finding.what for finding in recompute(database).findings] == [item.what for item in done.findings]


def test_a_closed_cycles_derivation_is_put_back_as_it_was(database: Database) -> None:
    close_cycle(database, database.cycle(CYCLE), "ada")
    path = board_path(CYCLE, "package")
    right = (database.root / path).read_bytes()
    (database.root / path).unlink()
    assert any("was closed with it" in finding.what for finding in check_derived(database))
    assert recompute(database).written == [path]
    assert (database.root / path).read_bytes() == right
    assert check_derived(database) == []


def test_a_changed_digest_in_a_close_is_found(database: Database) -> None:
    close_cycle(database, database.cycle(CYCLE), "ada")
    full = database.root / close_path(CYCLE)
    digest = next(iter(database.close(CYCLE).derived.values()))  # type: ignore[union-attr]
    full.write_text(full.read_text().replace(digest, digest[::-1]))
    assert any("is not what it was" in finding.what for finding in check_derived(database))


@pytest.mark.parametrize(
    ("path", "old", "new", "says"),
    [
        ("rules/editions/v1.5.yaml", "install: 30", "install: 29", "add up to 99"),
        ("rules/editions/v1.5.yaml", "cap_usd: 3", "cap_usd: 4", "is not the edition that cycle made-00 pinned"),
        ("pool/agents/first.yaml", "role: agent", "role: neither", "role"),
    ],
)
def test_nothing_is_derived_from_a_database_that_contradicts_itself(
    path: str, old: str, new: str, says: str, database: Database
) -> None:
    full = database.root / path
    full.write_text(full.read_text().replace(old, new))
    before = derived(database)
    for act in (recompute, check_derived):
        with pytest.raises(InputError, match=says):
            act(database)
    assert derived(database) == before


def test_a_run_of_a_subject_that_the_cycle_lacks_is_refused(database: Database) -> None:
    run = new_run(database).model_copy(update={"subject": "package/stranger"})
    write(database.root, run)
    with pytest.raises(InputError, match="has no subject package/stranger"):
        recompute(database)


def test_a_run_that_lies_where_another_belongs_is_refused(database: Database) -> None:
    item = next(iter(database.runs(CYCLE)))
    wrong = database.root / item.path.parent.with_name("20261102T000000Z-aaaaaa")
    shutil.copytree(database.root / item.folder, wrong)
    with pytest.raises(InputError, match="holds what belongs at"):
        recompute(database)


def test_a_run_cannot_take_itself_off_the_board_by_calling_itself_a_control(database: Database) -> None:
    write(database.root, a_run(database).model_copy(update={"purpose": "control"}))
    with pytest.raises(InputError, match="purpose: does not fit first, whose role is agent"):
        recompute(database)


@pytest.mark.parametrize("in_git", [False, True])
def test_a_run_that_is_a_link_is_refused_and_not_passed_over(in_git: bool, database: Database, tmp_path: Path) -> None:
    item = next(iter(database.runs(CYCLE)))
    if in_git:
        commit(database.root)
    (database.root / item.path).rename(tmp_path / "elsewhere.yaml")
    (database.root / item.path).symlink_to(tmp_path / "elsewhere.yaml")
    for act in (recompute, check_derived):
        with pytest.raises(InputError, match=r"run\.yaml: is a symbolic link"):
            act(Database(database.root))


@pytest.mark.parametrize("link", ["leaderboards", "leaderboards/boards", f"leaderboards/boards/{CYCLE}"])
def test_nothing_is_written_or_removed_behind_a_link(link: str, database: Database, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "boards").mkdir(parents=True)
    (outside / "precious.yaml").write_text("precious")
    (outside / "boards" / "precious.yaml").write_text("precious")
    shutil.rmtree(database.root / link)
    (database.root / link).symlink_to(outside)
    before = sorted(outside.rglob("*"))
    for act in (recompute, check_derived):
        with pytest.raises(InputError, match="symbolic link"):
            act(database)
    assert sorted(outside.rglob("*")) == before
    assert (database.root / link).is_symlink()
