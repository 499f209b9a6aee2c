"""The same runs under every edition that there was: what each says of tiers, reports, boards and verdicts counts."""

from __future__ import annotations

import hashlib
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from argusic.database.database import Database
from argusic.database.paths import board_path, edition_path, verdicts_path
from argusic.errors import InputError
from argusic.records.agent import Agent
from argusic.records.board import Board
from argusic.records.cycle import Cycle
from argusic.records.run import Run
from argusic.records.subject import Subject
from argusic.records.verdicts import Verdicts
from argusic.referee.recompute import check_derived, recompute
from argusic.rules.reading import read_report
from argusic.rules.rubric import score
from argusic.rules.scored import scored
from argusic.runs.order import instructions_file, order
from argusic.runs.plan import Owed, owed
from tests.made_database import OPENS, TOP, write

PIN = {"kind": "package", "version": "1.0", "file": "made-1.0.tar.gz", "sha256": "0" * 64}
PROOF = {"command": "python check.py", "result": "3 rows"}
BOLD, EVASIVE, PROVEN, FAILED = "package/bold", "package/evasive", "package/proven", "package/failed"


class Golden(NamedTuple):
    """What an edition makes of the runs."""

    minutes: int
    heavy: int | None
    bold: tuple[str, int]
    """A report of `tier1_real` without a word on how."""
    evasive: tuple[str, int]
    """One that says of how: not verified."""
    board: float | None
    failed: tuple[str, str]
    """The verdict after two failures of the standard agent, and the rule that gives it."""
    next: str | None
    """Who tries next where the standard agent failed twice."""


NONE = ("not_yet_verified", "verdict.not_in_edition")
WAITS = ("not_yet_verified", "verdict.not_yet_verified")
SETTLED = ("could_not_verify", "verdict.standard_agent")
FULL, MALFORMED, UNVERIFIED = ("pass_full", 100), ("fail", 0), ("fail", 80)
GOLDEN = {
    "v0.2": Golden(45, None, FULL, FULL, None, NONE, None),
    "v0.3": Golden(45, None, FULL, FULL, 100, NONE, None),
    "v0.4": Golden(45, None, FULL, FULL, 100, WAITS, "strong"),
    "v1.0": Golden(45, None, FULL, FULL, 100, WAITS, "strong"),
    "v1.1": Golden(45, None, FULL, FULL, 100, WAITS, "strong"),
    "v1.2": Golden(45, 120, FULL, FULL, 100, WAITS, "strong"),
    "v1.3": Golden(90, 120, FULL, FULL, 100, SETTLED, None),
    "v1.4": Golden(90, 120, MALFORMED, UNVERIFIED, 80, SETTLED, None),
    "v1.5": Golden(90, 120, MALFORMED, UNVERIFIED, 80, SETTLED, None),
    "v1.6": Golden(90, 120, MALFORMED, UNVERIFIED, 80, SETTLED, None),
}


def report(how: Any, *, launched: bool = True) -> dict[str, Any]:
    content = {
        "installed": True,
        "launched": launched,
        "errors": [],
        "test_depth": "tier1_real",
        "verified_how": how,
        "final_state": "It stored three rows and read them back.",
    }
    return {"state": "read", "content": {name: value for name, value in content.items() if value is not None}}


class Made:
    """A database whose one cycle pins an edition: the same runs of the same subjects, whatever the edition."""

    def __init__(self, root: Path, edition: str) -> None:
        for folder in ("rules/editions", "rules/kinds", "rules/instructions"):
            shutil.copytree(TOP / folder, root / folder)
        for name in ("plain", "strong", "other"):
            write(root, Agent(agent=name, title=name.title(), role="agent", program="none", implementation=name))
        for ref in (BOLD, EVASIVE, PROVEN, FAILED):
            slug = ref.split("/")[1]
            source = {"kind": "package", "ecosystem": "pypi", "name": slug}
            write(root, Subject.model_validate({"kind": "package", "slug": slug, "name": slug, "source": source}))
        self.root, self.database = root, Database(root)
        self.edition, _ = self.database.edition(edition)
        self.cycle = self.with_tier("standard")
        self.runs: list[Run] = []
        for ref, given in (
            (BOLD, report(None)),
            (EVASIVE, report("not verified")),
            (PROVEN, report(PROOF)),
        ):
            for _ in range(3):
                self.run(ref, "other", "board", given)
        for _ in range(2):
            self.run(FAILED, "plain", "verdict", report(PROOF, launched=False))

    def with_tier(self, tier: str) -> Cycle:
        """Write the cycle, all its subjects in one tier."""
        digest = hashlib.sha256((self.root / edition_path(self.edition.edition)).read_bytes()).hexdigest()
        by = {"heavy_by": "ada, 2026-11-01"} if tier == "heavy" else {}
        made = Cycle.model_validate(
            {
                "cycle": "made",
                "title": "Made",
                "edition": self.edition.edition,
                "edition_sha256": digest,
                "opens": OPENS,
                "closes": OPENS + timedelta(days=36500),
                "standard_agent": "plain",
                "stronger_agent": "strong",
                "board_agents": ("other",),
                "subjects": [
                    {"subject": ref, "pin": PIN, "tier": tier, **by} for ref in (BOLD, EVASIVE, FAILED, PROVEN)
                ],
            }
        )
        write(self.root, made)
        return made

    def run(self, subject: str, agent: str, purpose: str, given: dict[str, Any]) -> None:
        started = OPENS + timedelta(minutes=len(self.runs))
        minutes = self.edition.budgets_minutes.standard
        made = Run.model_validate(
            {
                "run": f"{started:%Y%m%dT%H%M%SZ}-aaaaaa",
                "cycle": "made",
                "subject": subject,
                "agent": agent,
                "edition": self.edition.edition,
                "purpose": purpose,
                "tier": "standard",
                "budget_seconds": 60 * minutes,
                "pin": PIN,
                "started": started,
                "finished": started + timedelta(seconds=30),
                "ending": {"how": "completed"},
                "phases": [],
                "commands": 3,
                "report": given,
            }
        )
        write(self.root, made)
        self.runs.append(made)

    def first_of(self, subject: str) -> tuple[str, int]:
        """Return what the first run of a subject comes to."""
        found = score(next(run for run in self.runs if run.subject == subject), self.edition)
        assert found.total is not None
        return found.outcome, int(found.total)

    def owed(self) -> list[Owed]:
        """Return what the cycle still owes."""
        return owed(self.cycle, self.edition, [scored(run, self.edition) for run in self.runs])


@pytest.fixture(params=[*GOLDEN])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Made:
    return Made(tmp_path / "referee", request.param)


def test_every_edition_that_there_is_has_its_golden_row() -> None:
    assert [edition.edition for edition in Database(TOP).editions()] == [*GOLDEN]


def test_a_run_comes_to_what_its_edition_says(made: Made) -> None:
    golden = GOLDEN[made.edition.edition]
    assert made.edition.budgets_minutes.standard == golden.minutes
    assert made.edition.budgets_minutes.heavy == golden.heavy
    assert made.first_of(BOLD) == golden.bold
    assert made.first_of(EVASIVE) == golden.evasive
    assert made.first_of(PROVEN) == FULL


def test_a_report_is_read_as_its_edition_says(made: Made) -> None:
    bare = b"installed: true\nlaunched: true\nerrors: []\ntest_depth: tier1_real\nfinal_state: It ran.\n"
    golden = GOLDEN[made.edition.edition]
    assert read_report(bare, made.edition).state == ("malformed" if golden.bold == MALFORMED else "read")
    said = read_report(bare + b"verified_how: not verified\n", made.edition).content
    assert said is not None
    assert said.verified_how == ("not verified" if golden.evasive == UNVERIFIED else None)


def test_a_derivation_says_what_its_edition_says(made: Made) -> None:
    golden = GOLDEN[made.edition.edition]
    recompute(made.database)
    board = made.database.read(board_path("made", "package"), Board)
    row = next(row for row in board.agents if row.agent == "other")
    assert (row.score.shown if row.score is not None else None) == golden.board
    assert row.sets.counted == 3
    if golden.board is None:
        assert row.no_score == "Edition v0.2 has no figure that a board ranks agents by."
    verdicts = made.database.read(verdicts_path("made", "package"), Verdicts)
    failed = next(one for one in verdicts.subjects if one.subject == FAILED)
    assert (failed.verdict, failed.rule) == golden.failed
    assert check_derived(made.database) == []


def test_the_stronger_agent_comes_next_where_it_is_a_step_of_the_chain(made: Made) -> None:
    golden = GOLDEN[made.edition.edition]
    chain = [cell for cell in made.owed() if cell.subject == FAILED and cell.purpose == "verdict"]
    assert chain == ([Owed(FAILED, golden.next, "verdict", 1)] if golden.next else [])
    if golden.next:
        made.run(FAILED, golden.next, "verdict", report(PROOF))
        assert [cell for cell in made.owed() if cell.subject == FAILED and cell.purpose == "verdict"] == []


def test_an_attempt_has_the_budget_of_its_edition_and_none_of_a_tier_that_it_has_not(made: Made) -> None:
    golden = GOLDEN[made.edition.edition]
    assert order(made.database, made.cycle, BOLD, "plain").budget_seconds == 60 * golden.minutes
    heavy = made.with_tier("heavy")
    if golden.heavy is None:
        with pytest.raises(InputError, match=r"heavy tier, which v[01]\.[0-4] has not"):
            order(made.database, heavy, BOLD, "plain")
    else:
        assert order(made.database, heavy, BOLD, "plain").budget_seconds == 60 * golden.heavy


def test_nothing_more_is_run_under_an_edition_whose_instructions_are_not_held(made: Made) -> None:
    if made.edition.instructions is None:
        with pytest.raises(InputError, match=f"nothing more can be run under edition {made.edition.edition}"):
            instructions_file(made.database, made.edition)
    else:
        assert instructions_file(made.database, made.edition).is_file()
