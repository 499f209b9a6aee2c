"""The cycles as they are committed: whole, checkable from a clone alone, and as they were expected to come out."""

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

#: Each cycle, and the heading below which the page states what is expected of it.
CYCLES = {"pilot": "The pilot", "kinds": "Eight kinds"}
KINDS = (
    "cloud-template",
    "container-image",
    "hugging-face-model",
    "hugging-face-space",
    "mcp-server",
    "package",
    "repository",
    "vendor-tool",
)
_ROW = re.compile(
    r"\| `(?P<subject>[\w-]+/[\w.-]+)`[^|]*\| [^|]*\| [^|]*\| (?P<newcomer>[^|]+) \| (?P<oracle>[^|]+) \|"
)


class Came(NamedTuple):
    """How attempts ended: outcome and points."""

    outcome: str
    points: int

    @classmethod
    def stated(cls, text: str) -> Came:
        outcome, points = text.split(", ")
        return cls(outcome, int(points))


def expected(cycle: str) -> dict[str, dict[str, Came]]:
    """Return what the page states of each subject of a cycle, by agent."""
    page = (TOP / "docs/contributing/expected-outcomes.md").read_text(encoding="utf-8")
    section = page.split(f"## {CYCLES[cycle]}\n")[1].split("\n## ")[0]
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


def scores(clone: Database, cycle: str) -> list[tuple[Run, Came]]:
    """Return every run of a cycle with what it came to."""
    edition, _ = clone.edition(clone.cycle(cycle).edition)
    found = []
    for stored in clone.runs(cycle):
        result = score(stored.run, edition)
        found.append((stored.run, Came(result.outcome, int(result.total or 0))))
    return found


def test_the_pilot_is_large_enough_to_stand_on(clone: Database) -> None:
    entries = clone.cycle("pilot").subjects
    languages = {clone.subject(entry.subject).languages[0] for entry in entries}
    assert len(entries) >= 14 and len(languages) >= 3, languages


def test_every_kind_has_three_subjects_and_is_in_use(clone: Database) -> None:
    entries = clone.cycle("kinds").subjects
    counted = Counter(entry.subject.split("/")[0] for entry in entries)
    assert set(counted) == set(KINDS) == {kind.kind for kind in clone.kinds()}
    assert min(counted.values()) >= 3, counted


@pytest.mark.parametrize("cycle", CYCLES)
def test_the_page_states_what_is_expected_of_every_subject(clone: Database, cycle: str) -> None:
    assert set(expected(cycle)) == {entry.subject for entry in clone.cycle(cycle).subjects}


@pytest.mark.parametrize("cycle", CYCLES)
def test_every_attempt_was_made_in_docker_with_the_published_image(clone: Database, cycle: str) -> None:
    made = Counter((stored.run.subject, stored.run.agent) for stored in clone.runs(cycle))
    for entry in clone.cycle(cycle).subjects:
        of = [made[entry.subject, agent] for agent in ("newcomer", "oracle", "nop", "liar")]
        again = expected(cycle)[entry.subject]["newcomer"].outcome == "fail"
        assert of == ([3, 1, 1, 1] if cycle == "pilot" else [1 + again, 1, 1, 0]), entry.subject
    (conditions,) = clone.conditions(cycle).values()
    assert conditions.sandbox == "docker" and conditions.image is not None and conditions.harness is not None


@pytest.mark.parametrize("cycle", CYCLES)
def test_what_came_out_is_what_was_expected(clone: Database, cycle: str) -> None:
    stated = expected(cycle)
    wrong = [
        f"{run.subject} by {run.agent}: {came}, expected {stated[run.subject][run.agent]} ({run.run})"
        for run, came in scores(clone, cycle)
        if run.agent in ("newcomer", "oracle") and came != stated[run.subject][run.agent]
    ]
    assert wrong == []


@pytest.mark.parametrize("cycle", CYCLES)
def test_what_the_controls_reach_is_what_each_subject_declares(clone: Database, cycle: str) -> None:
    for run, came in scores(clone, cycle):
        declared = clone.subject(run.subject).control
        if run.agent == "oracle":
            assert declared is not None and came.points == declared.oracle, run.run
        if run.agent == "nop":
            assert came == Came("fail", 0), run.run


def test_what_was_made_up_is_contradicted(clone: Database) -> None:
    lies = [stored.run for stored in clone.runs("pilot") if stored.run.agent == "liar"]
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
    assert all(clone.close(cycle) is not None for cycle in CYCLES)


@pytest.mark.parametrize("cycle", CYCLES)
def test_no_sealed_file_is_in_git_and_recordings_stay_small(clone: Database, cycle: str) -> None:
    folder = clone.root / "runs" / cycle
    served = [path for path in folder.rglob("*") if path.suffix in (".cast", ".zip")]
    assert served and sum(path.stat().st_size for path in served) < 20_000_000
    assert not [*folder.rglob("*.age"), *folder.rglob("*.mp4")]
