"""The pilot cycle as it is committed: whole, checkable from a clone alone, and as it was expected to come out."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from argusic.database.database import Database
from argusic.database.paths import TRUST_PATH
from argusic.evidence.signing.trusting import trusting
from argusic.evidence.verify import verify
from argusic.records.run import Run
from argusic.referee.check import check
from argusic.referee.recompute import check_derived
from argusic.rules.rubric import score
from tests.made_database import TOP

CYCLE = "pilot"
_ROW = re.compile(r"\| `(?P<subject>\w+/[\w-]+)` [^|]*\| [^|]*\| [^|]*\| (?P<newcomer>[^|]+) \| (?P<oracle>[^|]+) \|")


class Came(NamedTuple):
    """How attempts ended: outcome and points."""

    outcome: str
    points: int

    @classmethod
    def stated(cls, text: str) -> Came:
        outcome, points = text.split(", ")
        return cls(outcome, int(points))


def expected() -> dict[str, dict[str, Came]]:
    """Return what the page states of each subject, by agent."""
    page = (TOP / "docs/contributing/expected-outcomes.md").read_text(encoding="utf-8")
    section = page.split("## The pilot")[1].split("\n## ")[0]
    return {
        row["subject"]: {agent: Came.stated(row[agent]) for agent in ("newcomer", "oracle")}
        for row in _ROW.finditer(section)
    }


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Return what anyone has who clones the repository: what git holds of it, and no store."""
    folder = tmp_path_factory.mktemp("clone")
    listed = [
        "git",
        "-c",
        "safe.directory=*",
        "-C",
        str(TOP),
        "ls-files",
        "-z",
        "pool",
        "runs",
        "rules",
        "leaderboards",
    ]
    files = subprocess.run(listed, capture_output=True, check=True).stdout
    for name in filter(None, files.decode().split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(TOP / name, folder / name)
    return Database(folder)


@pytest.fixture(scope="module")
def runs(clone: Database) -> list[Run]:
    return [stored.run for stored in clone.runs(CYCLE)]


def test_it_is_large_enough_to_stand_on(clone: Database) -> None:
    entries = clone.cycle(CYCLE).subjects
    languages = {clone.subject(entry.subject).languages[0] for entry in entries}
    assert len(entries) >= 14 and len(languages) >= 3, languages
    assert set(expected()) == {entry.subject for entry in entries}, "the page states another pool"


def test_every_attempt_was_made_in_docker_with_the_published_image(clone: Database) -> None:
    made = Counter((run.run.subject, run.run.agent) for run in clone.runs(CYCLE))
    for entry in clone.cycle(CYCLE).subjects:
        of = [made[entry.subject, agent] for agent in ("newcomer", "oracle", "nop", "liar")]
        assert of == [3, 1, 1, 1], entry.subject
    (conditions,) = clone.conditions(CYCLE).values()
    assert conditions.sandbox == "docker" and conditions.image is not None and conditions.harness is not None


def test_what_came_out_is_what_was_expected(clone: Database, runs: list[Run]) -> None:
    edition, _ = clone.edition(clone.cycle(CYCLE).edition)
    wrong = []
    for run in runs:
        if run.agent not in ("newcomer", "oracle"):
            continue
        result = score(run, edition)
        came, stated = Came(result.outcome, int(result.total or 0)), expected()[run.subject][run.agent]
        if came != stated:
            wrong.append(f"{run.subject} by {run.agent}: {came}, expected {stated} ({run.run})")
    assert wrong == []


def test_nothing_done_earns_nothing_and_what_was_made_up_is_contradicted(clone: Database, runs: list[Run]) -> None:
    edition, _ = clone.edition(clone.cycle(CYCLE).edition)
    idle = [run for run in runs if run.agent == "nop"]
    assert idle and all(score(run, edition).outcome == "fail" and score(run, edition).total == 0 for run in idle)
    lies = [run for run in runs if run.agent == "liar"]
    assert lies and all(run.audit and "verified_how.command" in run.audit.contradicted for run in lies)


def test_a_clone_alone_is_checked_verified_and_derived_again(clone: Database, tmp_path: Path) -> None:
    assert check(clone) == []
    assert check_derived(clone) == []
    # Whom to trust is the reader's to say: here whom the repository's own statement names, taken out of it.
    policy = tmp_path / "policy.yaml"
    shutil.copyfile(clone.root / TRUST_PATH, policy)
    verified = verify(clone, trust=trusting(clone.root, [policy]))
    assert verified.findings == []
    assert verified.runs == len(list(clone.runs())) and verified.files > 4 * verified.runs - 10
    assert verified.vouching.told and verified.vouching.unsigned == []
    assert clone.close(CYCLE) is not None


def test_no_sealed_file_is_in_git_and_recordings_stay_small(clone: Database) -> None:
    folder = clone.root / "runs" / CYCLE
    served = [path for path in folder.rglob("*") if path.suffix in (".cast", ".zip")]
    assert served and sum(path.stat().st_size for path in served) < 20_000_000
    assert not list(folder.rglob("*.age"))
