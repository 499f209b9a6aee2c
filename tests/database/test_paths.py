"""Paths follow from ids, ids from paths, and one table says what lies where."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argusic.database import paths
from argusic.database.paths import TABLE, what_is
from argusic.database.stated import stated_path
from argusic.records.base import check_slug
from argusic.records.run import Run
from argusic.referee.recompute import DERIVED_FOLDERS

RUN = "20261130T014500Z-kax7q2"


def _is_slug(text: str) -> bool:
    try:
        return check_slug(text) == text
    except ValueError:
        return False


SLUGS = st.from_regex(r"\A[a-z0-9_][a-z0-9._-]{0,30}\Z").filter(_is_slug)


@given(SLUGS, SLUGS, SLUGS)
def test_the_ids_in_a_path_are_those_it_was_made_from(cycle: str, slug: str, agent: str) -> None:
    folder = paths.run_folder(cycle, f"package/{slug}", agent, RUN)
    held = what_is(folder / "run.yaml")
    assert held is not None
    assert held.row.name == "run"
    assert held.ids == {
        "cycle": cycle, "kind": "package", "initial": slug[0], "slug": slug, "agent": agent, "run": RUN,
    }  # fmt: skip
    for path, name in (
        (paths.cycle_path(cycle), "cycle"),
        (paths.agent_path(agent), "agent"),
        (paths.subject_path("package", slug), "subject"),
        (paths.close_path(cycle), "close"),
        (paths.invalidation_path(cycle, RUN), "invalidation"),
        (paths.screening_path(cycle, f"package/{slug}"), "screening"),
        (paths.dispute_path(cycle, 7), "dispute"),
        (paths.board_path(cycle, "package"), "board"),
        (paths.verdicts_path(cycle, "package"), "verdicts"),
        (folder / paths.MANIFEST_FILE, "manifest"),
        (folder / "log.txt", "evidence"),
    ):
        held = what_is(path)
        assert held is not None
        assert held.row.name == name


@pytest.mark.parametrize(
    "path",
    [
        "pool/notes.txt",
        "pool/cycles/spring.yml",
        "pool/cycles/a/b.yaml",
        "pool/cycles/.hidden.yaml",
        "pool/subjects/package/tinydb.yaml",
        "runs/spring/package/t/tinydb/newcomer/run.yaml",
        f"runs/spring/package/t/tinydb/newcomer/{RUN}/deeper/log.txt",
        "rules/editions/v1.5.yaml.orig",
        "leaderboards/boards/spring.yaml",
        "pool/cycles/spring.yaml\n",
    ],
)
def test_what_the_table_does_not_know_is_nothing(path: str) -> None:
    assert what_is(path) is None


def test_a_record_belongs_where_its_ids_put_it(make_run: Callable[..., Run]) -> None:
    run = make_run()
    assert stated_path(run) == PurePosixPath("runs/spring/package/t/tinydb/newcomer", run.run, "run.yaml")


def test_each_row_says_who_writes_it_and_of_what_nature_it_is() -> None:
    assert len({row.name for row in TABLE}) == len(TABLE)
    assert len({row.pattern for row in TABLE}) == len(TABLE)
    for row in TABLE:
        modules = re.findall(r"argusic[.\w]+", row.writer)
        assert modules or row.writer == "people"
        assert all(importlib.util.find_spec(module) for module in modules)
    derived = {row.pattern.split("<")[0] for row in TABLE if row.nature == "derived"}
    facts = {row.pattern.split("<")[0] for row in TABLE if row.nature == "fact"}
    assert derived == {f"{folder}/" for folder in DERIVED_FOLDERS}
    # No fact lies below a folder of derived files, nor the other way round.
    assert not [(one, other) for one in derived for other in facts if one.startswith(other) or other.startswith(one)]
