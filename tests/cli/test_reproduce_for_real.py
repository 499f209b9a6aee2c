"""Subjects of committed cycles reproduced for real: on the machine's own system, and in the published environment."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from argusic.database.database import Database
from argusic.pool.scratch import make_scratch
from tests.conftest import TOP
from tests.program import argusic


@pytest.fixture
def clone(tmp_path: Path) -> Database:
    """Return what a clone has of the cycles, but for recordings, which nothing here reads."""
    made = make_scratch(Database(TOP), tmp_path / "referee", pool=True)
    for cycle in ("pilot", "kinds"):
        held = shutil.ignore_patterns("*.cast", "*.zip")
        shutil.copytree(TOP / "runs" / cycle, made.root / "runs" / cycle, ignore=held)
    return Database(made.root, cache_folder=tmp_path / "cache")


def reproduced(clone: Database, cycle: str, *words: str) -> dict[str, Any]:
    done = argusic(clone, "reproduce", cycle, "--parallel", "2", "--sign", "none", "--json", *words)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)["comparison"]
    return found


@pytest.mark.network
@pytest.mark.sandbox
@pytest.mark.endurance
def test_a_subject_comes_out_the_same_on_the_machines_own_system_and_the_differences_are_stated(
    clone: Database,
) -> None:
    found = reproduced(clone, "pilot", "--sandbox", "bubblewrap", "--subject", "package/cowsay")
    (cell,) = found["cells"]
    assert (cell["agent"], cell["again"]["outcomes"], cell["inside_spread"]) == ("newcomer", ["pass_full"] * 3, True)
    assert found["outcome_agreement"]["agreed"] == 3 and found["verdict_agreement"]["agreed"] == 1
    differences = {one["what"]: one for one in found["differences"]}
    assert (differences["sandbox"]["first"], differences["sandbox"]["again"]) == (["docker"], ["bubblewrap"])
    assert differences["image"]["again"] == ["none"]


@pytest.mark.published
@pytest.mark.network
def test_subjects_come_out_the_same_in_the_published_environment(clone: Database) -> None:
    chosen = ("hugging-face-model/dleemiller--word-llama-l2-supercat", "container-image/esbuild", "vendor-tool/gron")
    found = reproduced(clone, "kinds", *(word for subject in chosen for word in ("--subject", subject)))
    assert {cell["subject"]: cell["again"]["outcomes"] for cell in found["cells"]} == {
        chosen[0]: ["fail"] * 2,
        chosen[1]: ["pass_full"],
        chosen[2]: ["pass_full"],
    }
    assert found["outcome_agreement"]["kappa"] == found["verdict_agreement"]["kappa"] == "1"
    assert not {"sandbox", "image", "system"} & {one["what"] for one in found["differences"]}
