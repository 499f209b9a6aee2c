"""`argusic score`: what it prints for runs and for bare reports, and how it refuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from argusic.cli.main import build
from argusic.database.database import Database
from argusic.errors import InputError
from tests.made_database import CONTROLS, invalidate, make_database

REPORT = {
    "installed": True,
    "launched": True,
    "errors": [{"fixed": True}, {"fixed": False}, {"fixed": False}],
    "test_depth": "tier1_real",
    "verified_how": {"command": "python check.py", "result": "3 rows"},
    "final_state": "It ran.",
}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    return make_database(tmp_path_factory.mktemp("cli") / "database")


def printed(database: Database, *arguments: str) -> dict[str, Any]:
    result = CliRunner().invoke(build("score"), ["--repo", str(database.root), "score", *arguments, "--json"])
    assert result.exit_code == 0, result.output
    data: dict[str, Any] = json.loads(result.stdout)
    return data


def of_report(database: Database, folder: Path, data: bytes) -> dict[str, Any]:
    path = folder / "report.yaml"
    path.write_bytes(data)
    return printed(database, "--report", str(path), "--edition", "v1.5")


def test_a_report_gives_outcome_lines_total_and_the_rules(database: Database, tmp_path: Path) -> None:
    assert of_report(database, tmp_path, json.dumps(REPORT).encode()) == {
        "edition": "v1.5",
        "outcome": "pass_full",
        "lines": {
            "install": {
                "points": 30,
                "exact": "30",
                "of": 30,
                "rule": "install.done",
                "sentence": "The software was installed.",
            },
            "launch": {
                "points": 30,
                "exact": "30",
                "of": 30,
                "rule": "launch.done",
                "sentence": "The software launched, or its tests ran.",
            },
            "error_recovery": {
                "points": 6.67,
                "exact": "20/3",
                "of": 20,
                "rule": "error_recovery.share",
                "sentence": "1 of 3 errors met were fixed.",
            },
            "verification_depth": {
                "points": 20,
                "exact": "20",
                "of": 20,
                "rule": "verification_depth.tier1_real",
                "sentence": "It was verified running for real.",
            },
        },
        "total": 86.67,
        "total_exact": "260/3",
    }


@pytest.mark.parametrize("data", [b"", b"installed: [", b"\xff", b"x" * 300_000, b'{"installed": true}'])
def test_a_malformed_report_is_a_fail_with_the_reason_and_zero_on_every_line(
    data: bytes, database: Database, tmp_path: Path
) -> None:
    found = of_report(database, tmp_path, data)
    assert (found["outcome"], found["total"]) == ("fail", 0)
    assert found["reason"].startswith("The agent's report was not accepted: ")
    assert {line["points"] for line in found["lines"].values()} == {0}


def test_a_run_is_scored_from_its_own_database(database: Database) -> None:
    for item in database.runs():
        found = printed(database, str(database.root / item.path))
        assert found["run"] == item.run.run
        assert ("lines" in found) == ("total" in found) == (found["outcome"] != "invalid")
        assert ("reason" in found) or item.run.report.state == "read"


def test_an_invalidated_run_is_invalid_with_its_reason_and_no_lines(database: Database, tmp_path: Path) -> None:
    copy = Database(shutil.copytree(database.root, tmp_path / "database"))
    item = next(item for item in copy.runs() if item.run.ending.how == "completed" and item.run.agent not in CONTROLS)
    invalidate(copy.root, item.run)
    assert printed(copy, str(copy.root / item.path)) == {
        "run": item.run.run,
        "edition": "v1.5",
        "purpose": item.run.purpose,
        "contradicted": [],
        "outcome": "invalid",
        "reason": "A mirror was down.",
    }


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "name either"),
        (["run.yaml", "--report", "report.yaml"], "name either"),
        (["run.yaml", "--edition", "v1.5"], "under its own edition for ever"),
        (["--report", "report.yaml"], "needs --edition"),
        (["--report", "absent.yaml", "--edition", "v1.5"], "does not exist"),
        (["--report", ".", "--edition", "v1.5"], "is no file"),
        (["--report", "report.yaml", "--edition", "v9.9"], "there is no edition v9.9; there is v0.2, v0.3, "),
        (["--report", "report.yaml", "--edition", "../v1.5"], "there is no edition ../v1.5"),
        (["absent.yaml"], "does not exist"),
        (["report.yaml"], "schema"),
    ],
)
def test_what_cannot_be_scored_is_refused_with_a_sentence(
    arguments: list[str], says: str, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report.yaml").write_text(json.dumps(REPORT))
    result = CliRunner().invoke(build("score"), ["--repo", str(database.root), "score", *arguments])
    assert isinstance(result.exception, InputError)
    assert says in str(result.exception)


def test_for_a_person_each_line_says_its_points_and_why(database: Database, tmp_path: Path) -> None:
    path = tmp_path / "report.yaml"
    path.write_text(json.dumps(REPORT))
    arguments = ["--repo", str(database.root), "score", "--report", str(path), "--edition", "v1.5"]
    output = CliRunner().invoke(build(), arguments).output
    assert "6.67 of 20  1 of 3 errors met were fixed. (error_recovery.share)" in output
    assert "86.67 of 100 (exactly 260/3)" in output
