"""`argusic run`, `argusic screening` and `argusic recompute`: new files beside the evidence, never an edit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from argusic.cli.main import build
from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.database.paths import board_path, invalidation_path, screening_path
from argusic.errors import InputError
from argusic.records.audit import AuditedClaims
from argusic.records.board import Board
from argusic.records.run import Run, RunReport
from argusic.referee.close import close_cycle
from tests.made_database import CONTROLS, make_database

CYCLE = "made-00"


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return make_database(tmp_path / "database")


def call(database: Database, *arguments: str) -> Result:
    return CliRunner().invoke(build(arguments[0]), ["--repo", str(database.root), *arguments])


def done(database: Database, *arguments: str) -> dict[str, Any]:
    result = call(database, *arguments, "--json")
    assert result.exit_code == 0, (result.output, result.exception)
    data: dict[str, Any] = json.loads(result.stdout)
    return data


def refused(database: Database, *arguments: str) -> str:
    before = snapshot(database)
    result = call(database, *arguments)
    assert isinstance(result.exception, InputError), result.output
    assert snapshot(database) == before
    return str(result.exception)


def snapshot(database: Database) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for path in sorted(database.root.rglob("*"))
        if path.is_file() and ".argusic" not in path.parts
    }


def valid_runs(database: Database) -> list[Run]:
    return [
        item.run
        for item in database.runs(CYCLE)
        if item.run.ending.how == "completed" and item.run.agent not in CONTROLS
    ]


def failing(database: Database) -> tuple[str, list[str]]:
    """Make every agent fail on one subject; return it and its valid runs."""
    subject = database.cycle(CYCLE).subjects[0].subject
    report = RunReport(state="missing", problem="The agent left no report.")
    found = []
    for item in list(database.runs(CYCLE)):
        if item.run.subject == subject and item.run.agent not in CONTROLS:
            ending = item.run.ending.model_copy(update={"how": "completed"})
            failed = item.run.model_copy(update={"report": report, "ending": ending})
            (database.root / item.path).write_bytes(dump(failed))
            found.append(failed.run)
    return subject, found


WHY = ("--reason", "The mirror was down.", "--by", "ada")


def test_a_run_is_shown_with_its_facts_and_its_score(database: Database) -> None:
    run = valid_runs(database)[0]
    found = done(database, "run", "show", run.run)
    assert found["facts"]["run"] == run.run
    assert found["score"]["outcome"] in ("pass_full", "pass_mock", "fail")
    assert found["invalidation"] is None
    text = call(database, "run", "show", run.run).output
    assert run.subject in text and "Outcome:" in text


def test_a_run_is_named_by_its_folder_or_its_record_as_well(database: Database) -> None:
    run = valid_runs(database)[0]
    found = done(database, "run", "show", run.run)
    path = found["path"]
    for named in (path, path.removesuffix("/run.yaml"), path.removesuffix("run.yaml")):
        assert done(database, "run", "show", named) == found


def test_what_a_control_earned_is_said_to_be_a_controls_and_what_the_record_contradicts_is_said(
    database: Database,
) -> None:
    stored = next(stored for stored in database.runs(CYCLE) if stored.run.agent in CONTROLS)
    audit = AuditedClaims(program_sha256="0" * 64, contradicted=("installed", "launched"))
    lie = stored.run.model_copy(update={"audit": audit})
    (database.root / stored.path).write_bytes(dump(lie))
    shown = call(database, "run", "show", lie.run).output
    scored = call(database, "score", str(database.root / stored.path)).output
    assert f"{lie.agent}, a control" in shown
    assert "None" not in shown
    for text in (" ".join(shown.split()), " ".join(scored.split())):
        assert f"{lie.agent} is a control: its score proves the harness, says nothing of the subject" in text
        assert "The recording contradicts the report: installed, launched" in text
        assert f"`argusic audit {lie.run}` says how" in text
    facts = done(database, "score", str(database.root / stored.path))
    assert (facts["purpose"], facts["contradicted"]) == ("control", ["installed", "launched"])


def test_a_reason_of_several_lines_passes_for_no_line_of_ours(database: Database) -> None:
    run = valid_runs(database)[0].run
    done(database, "run", "invalidate", run, "--reason", "Gone.\nOutcome: pass_full", "--by", "ada")
    text = call(database, "run", "show", run).output
    assert "Outcome: invalid" in text.splitlines()
    assert "Outcome: pass_full" not in text.splitlines()
    refused = call(database, "run", "invalidate", run, *WHY).exception
    assert str(refused) == f"run {run} is invalid already: Gone. Outcome: pass_full"


def test_invalidating_writes_a_file_beside_the_run_and_touches_nothing_else(database: Database) -> None:
    first, second = valid_runs(database)[:2]
    before = snapshot(database)
    done(database, "run", "invalidate", first.run, second.run, *WHY)
    after = snapshot(database)
    new = {str(database.root / invalidation_path(CYCLE, run.run)) for run in (first, second)}
    assert set(after) - set(before) == new
    assert {path: after[path] for path in before} == before
    assert done(database, "run", "show", first.run)["score"] == {"outcome": "invalid", "reason": "The mirror was down."}


def test_an_invalidation_that_cannot_be_made_makes_none(database: Database) -> None:
    run = valid_runs(database)[0].run
    assert "there is no run" in refused(database, "run", "invalidate", run, "20260101T000000Z-aaaaaa", *WHY)
    assert "reason" in refused(database, "run", "invalidate", run, "--reason", " ", "--by", "ada")
    done(database, "run", "invalidate", run, *WHY)
    assert "invalid already" in refused(database, "run", "invalidate", run, *WHY)


def test_in_a_closed_cycle_nothing_is_invalidated_or_screened(database: Database) -> None:
    subject, runs = failing(database)
    close_cycle(database, database.cycle(CYCLE), "ada")
    assert "is closed" in refused(database, "run", "invalidate", runs[0], *WHY)
    assert "is closed" in refused(database, "screening", subject, "--cycle", CYCLE, "--finding", "project", *WHY)


def test_a_finding_on_a_subject_under_review_is_written_once(database: Database) -> None:
    subject, _ = failing(database)
    screening = ("screening", subject, "--cycle", CYCLE, "--finding", "agents", *WHY)
    assert done(database, *screening) == {"written": [str(screening_path(CYCLE, subject))]}
    assert "is there already" in refused(database, *screening)


def test_an_environment_finding_invalidates_the_runs_that_it_names(database: Database) -> None:
    subject, runs = failing(database)
    screening = ("screening", subject, "--cycle", CYCLE, "--finding", "environment", *WHY)
    assert "names the runs" in refused(database, *screening)
    other = next(run.run for run in valid_runs(database) if run.subject != subject)
    assert "is of" in refused(database, *screening, "--invalidate", other)
    done(database, *screening, *(word for run in runs for word in ("--invalidate", run)))
    done(database, "recompute")
    board = database.read(board_path(CYCLE, subject.split("/")[0]), Board)
    items = [item for row in board.agents for item in row.subjects if item.subject == subject]
    assert sorted(run.run for item in items for run in item.invalid) == sorted(runs)
    assert done(database, "run", "show", runs[0])["score"]["outcome"] == "invalid"


@pytest.mark.parametrize(
    ("subject", "finding", "says"),
    [
        ("package/stranger", "agents", "has no subject"),
        ("nonsense", "agents", "must be KIND/SLUG"),
        (None, "agents", "is not under review"),
    ],
)
def test_a_finding_where_there_is_nothing_to_find_is_refused(
    subject: str | None, finding: str, says: str, database: Database
) -> None:
    passed = next(
        run.subject
        for run in valid_runs(database)
        if run.report.content and run.report.content.test_depth == "tier1_real"
    )
    words = ("screening", subject or passed, "--cycle", CYCLE, "--finding", finding, *WHY)
    assert says in refused(database, *words)


def test_recompute_writes_and_check_ends_with_one_where_something_differs(database: Database) -> None:
    assert len(done(database, "recompute")["written"]) == 4
    assert done(database, "recompute", "--check") == {"ok": True, "findings": []}
    path = database.root / board_path(CYCLE, "package")
    path.write_bytes(path.read_bytes().replace(b"edition: v1.5", b"edition: v1.4"))
    result = call(database, "recompute", "--check", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["findings"] == [
        {
            "file": str(board_path(CYCLE, "package")),
            "line": 4,
            "field": "edition",
            "what": "is 'v1.4', but the facts give 'v1.5'.",
        }
    ]
