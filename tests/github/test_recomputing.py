"""`argusic recompute --push`: derivations of the newest main, whoever else writes there meanwhile."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.github import pushing, recomputing
from argusic.records.cycle import Close
from argusic.referee.recompute import check_derived
from tests.github.proposing import git, made_base
from tests.github_server.bare import BareRepository
from tests.made_database import invalidate
from tests.program import Done, argusic


@pytest.fixture
def clone(tmp_path: Path) -> Database:
    """Return a checkout that lags behind: the remote's main has a fact of which nothing is derived yet."""
    base = made_base(tmp_path / "clone")
    bare = BareRepository(tmp_path / "remote.git")
    git(base.root, "remote", "add", "origin", str(bare.path))
    git(base.root, "push", "-q", "--force", "origin", "main")
    add_fact(base, bare, 0)
    return base


def remote(clone: Database) -> BareRepository:
    return BareRepository(clone.root.parent / "remote.git")


def add_fact(clone: Database, bare: BareRepository, number: int) -> None:
    """Publish that a run is invalid."""
    counted = [stored.run for stored in clone.runs() if stored.run.purpose == "board" and stored.run.agent == "first"]
    path = invalidate(clone.root, counted[number])
    bare.commit("main", {path.relative_to(clone.root).as_posix(): path.read_bytes()}, f"Fact {number}")
    path.unlink()


def push(clone: Database, **variables: str) -> Done:
    return argusic(clone, "recompute", "--push", "--json", **variables)


def wrong(clone: Database, folder: Path) -> list[str]:
    """Return what of the remote's main is not what its facts give."""
    git(folder.parent, "clone", "-q", str(remote(clone).path), str(folder))
    return [str(finding) for finding in check_derived(Database(folder))]


def test_what_changed_is_committed_to_main_once_and_the_checkout_is_left_alone(clone: Database, tmp_path: Path) -> None:
    before = git(clone.root, "rev-parse", "HEAD")
    told = json.loads(push(clone, GITHUB_STEP_SUMMARY=str(tmp_path / "summary.md")).stdout)
    assert told["commit"] == remote(clone).tip("main")
    assert told["changed"] == [f"leaderboards/{what}/made-00/package.yaml" for what in ("boards", "verdicts")]
    assert remote(clone).log("main")[:2] == ["Derivations brought up to date", "Fact 0"]
    assert wrong(clone, tmp_path / "after") == []
    assert git(clone.root, "rev-parse", "HEAD") == before and not git(clone.root, "status", "--porcelain")
    assert "2 files were committed as" in (tmp_path / "summary.md").read_text()
    # Its own commit starts it once more, and that is the end of it.
    again = json.loads(push(clone).stdout)
    assert (again["commit"], again["changed"], again["tries"]) == (None, [], 1)
    assert told["commit"] == remote(clone).tip("main")


@pytest.mark.parametrize("when", ["before the push", "after it"])
def test_a_fact_that_is_published_in_between_is_derived_too(
    clone: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    pushed = pushing.push_files
    facts = iter([1, 2])

    def racing(*arguments: object, **more: object) -> str | None:
        if when == "before the push" and (fact := next(facts, None)):
            add_fact(clone, remote(clone), fact)
        made = pushed(*arguments, **more)  # type: ignore[arg-type]
        if when == "after it" and (fact := next(facts, None)):
            add_fact(clone, remote(clone), fact)
        return made

    monkeypatch.setattr(recomputing, "push_files", racing)
    told = json.loads(push(clone).stdout)
    assert told["tries"] == 4
    assert wrong(clone, tmp_path / "after") == []
    assert sorted(remote(clone).log("main")[:6]).count("Derivations brought up to date") == 3


def test_others_that_never_stop_end_it(clone: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recomputing, "MOST_TRIES", 2)
    pushed = pushing.push_files
    facts = iter(range(1, 9))

    def racing(*arguments: object, **more: object) -> str | None:
        add_fact(clone, remote(clone), next(facts))
        return pushed(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(recomputing, "push_files", racing)
    done = push(clone)
    assert (done.returncode, "others wrote to main each time" in done.stderr) == (1, True)


def test_the_derivations_of_a_closed_cycle_are_not_pushed_over(clone: Database) -> None:
    bare = remote(clone)
    runs = len(list(clone.runs("made-00")))
    closed = {str(path): "0" * 64 for path in recomputed(clone)}
    close = Close(cycle="made-00", closed=clone.cycle("made-00").closes, by="ada", runs=runs, derived=closed)
    bare.commit("main", {"runs/made-00/close.yaml": dump(close)}, "Close")
    before = bare.tip("main")
    done = push(clone)
    assert (done.returncode, "cycle made-00 is closed" in done.stderr) == (1, True)
    assert bare.tip("main") == before


def test_facts_that_cannot_be_derived_from_are_said_by_file(clone: Database) -> None:
    bare = remote(clone)
    bare.commit("main", {"rules/editions/v1.5.yaml": b"schema: 9\n"}, "Broken")
    done = push(clone)
    assert (done.returncode, "rules/editions/v1.5.yaml" in done.stderr) == (2, True)


def test_without_a_remote_it_says_so(clone: Database) -> None:
    git(clone.root, "remote", "remove", "origin")
    assert "has no remote 'origin'" in push(clone).stderr


def recomputed(clone: Database) -> Mapping[Path, bytes]:
    return {path.relative_to(clone.root): b"" for path in (clone.root / "leaderboards").rglob("*.yaml")}
