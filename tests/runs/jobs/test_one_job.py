"""One job of a plan: its own cell alone, and a hand-over of what was published, whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.evidence.fingerprint import fingerprint
from argusic.evidence.one_run import check_run
from argusic.evidence.store import FolderStore
from argusic.records.handing_over import HandOver
from tests.program import Done, argusic

pytestmark = pytest.mark.sandbox

Make = Callable[..., Database]


@pytest.fixture
def database(small_database: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    """Return a cycle that owes a control that does nothing, and one that plays the solution."""
    monkeypatch.setenv("ARGUSIC_KEYS", str(tmp_path / "keys"))
    made = small_database(standard_agent=None, board_agents=(), controls=("oracle", "nop"))
    assert argusic(made, "evidence", "recipients", "small").returncode == 0
    return made


def planned(database: Database, tmp_path: Path) -> Path:
    file = tmp_path / "plan" / "plan.json"
    done = argusic(database, "cycle", "plan", "small", "--jobs", str(file))
    assert done.returncode == 0, done.stderr
    return file


def job(database: Database, plan: Path, number: str, to: Path, *words: str, **others: str) -> Done:
    run = ("cycle", "run", "small", "--plan", str(plan), "--job", number, "--sign", "none", "--json")
    return argusic(database, *run, "--hand-over", str(to), *words, **others)


def handed(folder: Path) -> HandOver:
    """Return the list of a hand-over, which names every file that is there, each as it is."""
    record = HandOver.model_validate_json((folder / "hand-over.json").read_bytes())
    lying = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    assert sorted(lying) == sorted([*(file.path for file in record.files), "hand-over.json"])
    for file in record.files:
        assert fingerprint(lying[file.path]) == (file.sha256, file.size)
    return record


def test_a_job_runs_its_own_cell_alone_and_hands_over_what_proves_it(database: Database, tmp_path: Path) -> None:
    plan = planned(database, tmp_path)
    done = job(database, plan, "002", tmp_path / "over")
    assert done.returncode == 0, done.stderr
    (stored,) = database.runs("small")
    record = handed(tmp_path / "over")
    assert (record.agent, record.subject, record.job, record.queued) == ("nop", "repository/greeter", "002", None)
    assert record.runs == (stored.run.run,) and json.loads(done.stdout)["hand_over"]["runs"] == [stored.run.run]
    # What was handed over proves itself, without anything of this machine.
    store = FolderStore(tmp_path / "over" / "store")
    assert check_run(tmp_path / "over" / stored.folder, store).findings == []
    assert (tmp_path / "over" / f"runs/small/conditions/{stored.run.conditions_sha256}.yaml").is_file()
    again = job(database, plan, "002", tmp_path / "over")
    assert (again.returncode, "is there already" in again.stderr) == (2, True)
    nothing = job(database, plan, "002", tmp_path / "other")
    assert nothing.returncode == 0 and "is not owed any more" in json.loads(nothing.stdout)["remark"]
    assert handed(tmp_path / "other").runs == ()
