"""`argusic dispute`: from an issue to its resolution, each written once, and no evidence touched."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from argusic.cli.main import build
from argusic.database.database import Database
from argusic.database.paths import (
    MANIFEST_FILE,
    dispute_path,
    dispute_revision_path,
    invalidation_path,
    run_folder,
    withdrawal_path,
)
from argusic.errors import InputError
from argusic.records.findings import Dispute, DisputeRevision, Withdrawal, WithdrawnFile
from argusic.records.manifest import Manifest
from argusic.records.run import Ending, Run
from argusic.referee.check import check
from argusic.referee.close import close_cycle
from argusic.rules.scored import scored
from argusic.runs.held import learnt_later
from argusic.runs.plan import owed
from tests.github.conftest import BODY, CYCLE, with_form
from tests.made_database import commit
from tests.site.fixture_database import PASS, FixtureDatabase

PATH = dispute_path(CYCLE, 7)
STANDS = ("--resolution", "evidence_stands", "--by", "ada", "--reason", "It started.")
CORRECTED = ("--resolution", "corrected", "--by", "ada", "--reason", "The mirror was down.")


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Database, Run]:
    monkeypatch.delenv("ARGUSIC_EVIDENCE", raising=False)
    fixture = FixtureDatabase(tmp_path / "referee")
    run = fixture.run(fixture.subject("first", "First"), PASS, agent="newcomer", purpose="board")
    with_form(fixture.root)
    (fixture.root / ".gitignore").write_text(".argusic/\n")
    return fixture.finish(), run


def call(database: Database, *arguments: str) -> Result:
    return CliRunner().invoke(build("dispute"), ["--repo", str(database.root), "dispute", *arguments])


def done(database: Database, *arguments: str) -> dict[str, Any]:
    result = call(database, *arguments, "--json")
    assert result.exit_code == 0, (result.output, result.exception)
    data: dict[str, Any] = json.loads(result.stdout)
    return data


def refused(database: Database, *arguments: str) -> str:
    result = call(database, *arguments)
    assert isinstance(result.exception, InputError), (result.output, result.exception)
    assert "\n" not in str(result.exception)
    return str(result.exception)


def issue(run: Run, folder: Path, number: int = 7) -> tuple[str, ...]:
    body = folder / "body.md"
    body.write_text(BODY.replace("{RUN}", run.run))
    return ("--issue", str(number), "--body", str(body), "--author", "kim", "--opened", "2026-11-02T08:00:00Z")


@pytest.fixture
def opened(made: tuple[Database, Run], tmp_path: Path) -> tuple[Database, Run]:
    done(made[0], "open", *issue(made[1], tmp_path))
    return made


def is_owed(database: Database, run: Run) -> int:
    """Return how many attempts the cycle owes to the run's agent."""
    cycle = database.cycle(CYCLE)
    edition, _ = database.edition(cycle.edition)
    later = learnt_later(Database(database.root), CYCLE)
    runs = [later.stands(scored(stored.run, edition)) for stored in database.runs(CYCLE)]
    return sum(cell.attempts for cell in owed(cycle, edition, runs) if cell.agent == run.agent)


def test_an_issue_becomes_a_dispute_and_is_answered(made: tuple[Database, Run], tmp_path: Path) -> None:
    database, run = made
    answer = tmp_path / "answer.md"
    found = done(database, "open", *issue(run, tmp_path), "--answer", str(answer))
    assert found["written"] == [str(PATH)]
    assert found["dispute"]["run"] == run.run and "evidence" not in found["dispute"]
    assert answer.read_text() == found["answer"]
    assert "- Total: 100 of 100" in found["answer"] and "verified_how.command" in found["answer"]
    assert database.read(PATH, Dispute).opened == datetime(2026, 11, 2, 8, tzinfo=UTC)


def test_who_had_it_written_down_is_stated(made: tuple[Database, Run], tmp_path: Path) -> None:
    database, run = made
    done(database, "open", *issue(run, tmp_path), "--by", "ada")
    accepted = database.read(PATH, Dispute).accepted
    assert accepted is not None and accepted.by == "ada"
    assert " UTC by ada" in call(database, "show", "7").output
    assert "accepted" in refused(database, "open", *issue(run, tmp_path, 8), "--by", " ")


def test_an_answer_alone_writes_nothing_down(made: tuple[Database, Run], tmp_path: Path) -> None:
    database, run = made
    found = done(database, "open", *issue(run, tmp_path), "--only-answer")
    assert found["written"] == [] and run.run in found["answer"]
    assert not database.holds(PATH)
    assert "What was understood" in call(database, "open", *issue(run, tmp_path), "--only-answer").output


def test_an_issue_is_written_down_once(opened: tuple[Database, Run], tmp_path: Path) -> None:
    database, run = opened
    before = (database.root / PATH).read_bytes()
    assert refused(database, "open", *issue(run, tmp_path)) == f"issue 7 was written down already, in {PATH}."
    assert (database.root / PATH).read_bytes() == before
    done(database, "open", *issue(run, tmp_path, 8))


@pytest.mark.parametrize(
    ("without", "says"),
    [
        ("--author", "name an event with --event, or give"),
        ("--issue", "name an event with --event, or give"),
        ("--opened", "name an event with --event, or give"),
    ],
)
def test_an_issue_that_is_given_in_part_is_refused(
    without: str, says: str, made: tuple[Database, Run], tmp_path: Path
) -> None:
    given = list(issue(made[1], tmp_path))
    place = given.index(without)
    assert says in refused(made[0], "open", *given[:place], *given[place + 2 :])
    assert "do not go with it" in refused(made[0], "open", *given, "--event", str(tmp_path / "none"))


@pytest.mark.parametrize(
    ("option", "value"), [("--author", "a b"), ("--author", "../x"), ("--opened", "now"), ("--issue", "0")]
)
def test_what_cannot_be_an_issue_is_refused(
    option: str, value: str, made: tuple[Database, Run], tmp_path: Path
) -> None:
    given = list(issue(made[1], tmp_path))
    given[given.index(option) + 1] = value
    assert refused(made[0], "open", *given).startswith(option)


def test_a_repository_without_the_form_says_so(made: tuple[Database, Run], tmp_path: Path) -> None:
    (made[0].root / ".github/ISSUE_TEMPLATE/dispute.yml").unlink()
    assert refused(made[0], "open", *issue(made[1], tmp_path)).startswith(".github/ISSUE_TEMPLATE/dispute.yml")


def test_a_corrected_run_counts_nowhere_and_its_attempt_is_owed_again(opened: tuple[Database, Run]) -> None:
    database, run = opened
    before, folder = is_owed(database, run), database.root / run_folder(CYCLE, run.subject, run.agent, run.run)
    evidence = {path.name: path.read_bytes() for path in folder.iterdir()}
    found = done(database, "resolve", "7", *CORRECTED)
    assert found["written"] == [str(PATH), str(invalidation_path(CYCLE, run.run))]
    assert database.invalidations(CYCLE)[run.run].reason == (
        "Corrected after a dispute (issue 7): The mirror was down."
    )
    assert is_owed(database, run) == before + 1
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == evidence


def test_a_run_that_counts_nowhere_already_is_corrected_by_a_note(tmp_path: Path) -> None:
    fixture = FixtureDatabase(tmp_path / "referee")
    run = fixture.run(fixture.subject("first"), PASS, ending=Ending(how="harness_error", detail="It ended early."))
    with_form(fixture.root)
    database = fixture.finish()
    done(database, "open", *issue(run, tmp_path))
    assert done(database, "resolve", "7", *CORRECTED)["written"] == [str(PATH)]


def test_in_a_closed_cycle_a_correction_is_a_note_alone(opened: tuple[Database, Run]) -> None:
    database, run = opened
    close_cycle(database, database.cycle(CYCLE), "ada", unsigned=True)
    result = call(database, "resolve", "7", *CORRECTED)
    assert result.exit_code == 0 and "is closed: what it came to stands" in result.output
    assert not database.holds(invalidation_path(CYCLE, run.run))


def test_that_the_evidence_stands_needs_seconds_that_the_recording_has(opened: tuple[Database, Run]) -> None:
    database, run = opened
    folder = run_folder(CYCLE, run.subject, run.agent, run.run)
    length = database.read(folder / MANIFEST_FILE, Manifest).coverage.recorded_seconds
    before = (database.root / PATH).read_bytes()
    assert "needs seconds of the recording" in refused(database, "resolve", "7", *STANDS)
    late = f"{length + 0.5} it starts"
    assert f"it ends at {length:g}" in refused(database, "resolve", "7", *STANDS, "--seconds", late)
    for nonsense in ("soon it starts", "2.5", "-1 it starts", "nan it starts", ""):
        assert "--seconds is a number" in refused(database, "resolve", "7", *STANDS, f"--seconds={nonsense}")
    assert (database.root / PATH).read_bytes() == before
    done(database, "resolve", "7", *STANDS, "--seconds", f"{length} it starts", "--seconds", "2s it installs")
    resolution = Database(database.root).read(PATH, Dispute).resolution
    assert resolution is not None and [moment.seconds for moment in resolution.moments] == [length, 2]
    assert not database.holds(invalidation_path(CYCLE, run.run))


def test_a_withdrawn_recording_shows_nothing(opened: tuple[Database, Run]) -> None:
    database, run = opened
    manifest = database.read(run_folder(CYCLE, run.subject, run.agent, run.run) / MANIFEST_FILE, Manifest)
    file = next(file for file in manifest.files if file.role == "recording")
    gone = WithdrawnFile(name=file.name, sha256=file.sha256)
    tombstone = Withdrawal(run=run.run, cycle=CYCLE, files=(gone,), reason="A name.", by="ada", at=run.finished)
    database.write(withdrawal_path(CYCLE, run.run), tombstone)
    assert "was withdrawn" in refused(database, "resolve", "7", *STANDS, "--seconds", "2 it installs")


def test_a_dispute_is_resolved_once_and_only_where_there_is_one(opened: tuple[Database, Run]) -> None:
    database, _ = opened
    assert "there is no dispute of issue 9" in refused(database, "resolve", "9", *CORRECTED)
    assert "explanation" in refused(database, "resolve", "7", *CORRECTED[:4], "--reason", " ")
    done(database, "resolve", "7", *CORRECTED)
    assert "resolved already, as corrected" in refused(database, "resolve", "7", *STANDS, "--seconds", "2 it installs")


def test_opening_and_resolving_pass_the_check_of_what_is_published(made: tuple[Database, Run], tmp_path: Path) -> None:
    database, run = made
    commit(database.root)
    done(database, "open", *issue(run, tmp_path))
    assert [str(found) for found in check(Database(database.root), "HEAD") if "disputes" in str(found)] == []
    commit_again(database.root)
    done(database, "resolve", "7", *STANDS, "--seconds", "2 it installs")
    assert [str(found) for found in check(Database(database.root), "HEAD") if "disputes" in str(found)] == []


def revised(database: Database, issue: int = 7, day: int = 3, claim: str = "It is slow.") -> DisputeRevision:
    """Write down that an issue's text was changed."""
    edited = datetime(2026, 11, day, 8, tzinfo=UTC)
    made = DisputeRevision(issue=issue, cycle=CYCLE, edited=edited, by="kim", claim=claim, expected="A failure.")
    database.write(dispute_revision_path(CYCLE, issue, edited), made, replace=True)
    return made


def named(database: Database, base: str | None = None) -> list[str]:
    return [str(found) for found in check(Database(database.root), base) if "disputes" in str(found)]


def test_a_revision_stands_beside_what_was_accepted_and_stays_as_it_is(opened: tuple[Database, Run]) -> None:
    database, _ = opened
    commit(database.root)
    revised(database)
    assert named(database, "HEAD") == []
    shown = call(database, "show", "7").output
    assert "Changed on 2026-11-03 08:00:00 UTC by kim to:\nWhat is wrong: It is slow." in shown
    assert shown.index("It never started.") < shown.index("It is slow.")
    commit_again(database.root)
    revised(database, claim="It is not slow.")
    (edited,) = named(database, "HEAD")
    assert "20261103T080000Z.yaml: was edited; a published dispute revision stays as it is." in edited
    (database.root / dispute_revision_path(CYCLE, 7, datetime(2026, 11, 3, 8, tzinfo=UTC))).unlink()
    (removed,) = named(database, "HEAD")
    assert "was removed or renamed" in removed


def test_a_revision_of_no_dispute_and_one_before_it_was_opened_are_named(opened: tuple[Database, Run]) -> None:
    database, _ = opened
    revised(database, issue=8)
    revised(database, day=1)
    before, strange = named(database)
    assert "was edited before the dispute was opened" in before
    assert f"is of issue 8, which disputes nothing in cycle {CYCLE}" in strange


def test_seconds_may_be_given_at_once(opened: tuple[Database, Run]) -> None:
    made = done(opened[0], "resolve", "7", *STANDS, "--seconds", "2 it installs; slowly; 3s it starts")
    assert made["dispute"]["resolution"]["moments"] == [
        {"seconds": 2.0, "shows": "it installs; slowly"},
        {"seconds": 3.0, "shows": "it starts"},
    ]


def commit_again(root: Path) -> None:
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@argusic.invalid"]
    for command in (["add", "-A"], [*identity, "commit", "-q", "-m", "Disputed"]):
        subprocess.run(["git", *command], cwd=root, check=True, capture_output=True)


def test_disputes_are_listed_and_shown(opened: tuple[Database, Run], tmp_path: Path) -> None:
    database, run = opened
    done(database, "open", *issue(run, tmp_path, 8))
    done(database, "resolve", "7", *STANDS, "--seconds", "2 it installs")
    assert [one["issue"] for one in done(database, "list")["disputes"]] == [7, 8]
    assert [one["issue"] for one in done(database, "list", "--open", "--cycle", CYCLE)["disputes"]] == [8]
    lines = call(database, "list").output.splitlines()
    assert [line.split()[:2] for line in lines] == [["7", "evidence"], ["8", "open"]]
    assert "The evidence stands, by ada on " in call(database, "show", "7").output
    assert "It is not resolved." in call(database, "show", "8").output
    assert done(database, "show", "7")["resolution"]["moments"] == [{"seconds": 2.0, "shows": "it installs"}]
    assert "does not exist" in refused(database, "list", "--cycle", "stranger")


def test_where_nobody_disputes_anything_the_list_says_so(made: tuple[Database, Run]) -> None:
    assert call(made[0], "list").output == "There is none.\n"
