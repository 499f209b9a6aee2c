"""The controls, run for real: `liar` is caught every time, `oracle` and `newcomer` are never contradicted."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from typer.testing import CliRunner

from argusic.cli.main import build
from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.evidence.audit import audit_run, blocks
from argusic.evidence.store import FolderStore
from argusic.records.audit import Audit
from argusic.runs.attempt import Equipment, attempt
from argusic.runs.order import order
from argusic.runs.watching import Cancellation
from argusic.sandbox.registry import provider
from tests.quiet import Quiet

pytestmark = pytest.mark.sandbox

Make = Callable[..., Database]


def audited(database: Database, agent: str) -> Audit:
    made = order(database, database.cycle("small"), "repository/greeter", agent)
    run = attempt(Equipment(database, provider("bubblewrap"), Quiet(), Cancellation()), made)
    (stored,) = [stored for stored in database.runs() if stored.run.run == run.run]
    audit = audit_run(database.root / stored.folder, FolderStore(database.store_folder), root=database.root)
    assert audit.audited, audit.reason
    return audit


def test_the_liar_is_caught_every_time(small_database: Make) -> None:
    database = small_database(controls=("oracle", "nop", "liar"))
    for _ in range(3):
        audit = audited(database, "liar")
        assert blocks(audit.findings)
        found = {finding.finding: finding for finding in audit.findings if finding.severity == "contradicted"}
        assert set(found) == {"command_never_ran", "nothing_installed", "nothing_launched"}
        # What it claims stands in the recording, inside of the command that wrote the report. That is no proof.
        assert found["command_never_ran"].commands == (1,)
        assert "did not run it" in found["command_never_ran"].what
        assert {"more_errors_than_seen", "stated_not_observed"} <= {finding.finding for finding in audit.findings}


@pytest.mark.parametrize("agent", ["oracle", "newcomer"])
def test_an_honest_agent_is_not_contradicted(small_database: Make, agent: str) -> None:
    audit = audited(small_database(), agent)
    assert not blocks(audit.findings)
    assert [finding for finding in audit.findings if finding.severity != "note"] == []


def test_a_run_without_a_report_is_not_audited_and_says_why(small_database: Make) -> None:
    database = small_database()
    made = order(database, database.cycle("small"), "repository/greeter", "nop")
    attempt(Equipment(database, provider("bubblewrap"), Quiet(), Cancellation()), made)
    (stored,) = database.runs()
    audit = audit_run(database.root / stored.folder, FolderStore(database.store_folder), root=database.root)
    assert not audit.audited and audit.reason == "The report is missing." and audit.findings == ()


def test_the_command_shows_what_was_found_and_ends_with_1_where_a_claim_is_contradicted(small_database: Make) -> None:
    database = small_database(controls=("oracle", "nop", "liar"))
    audited(database, "liar")
    (stored,) = database.runs()
    words = ["--repo", str(database.root), "audit"]
    said = CliRunner().invoke(build(), [*words, stored.run.run])
    assert said.exit_code == 1
    assert "contradicted verified_how.command: No recorded command is “python3 decode_everything.py" in said.stdout
    assert "[at 0:00]" in said.stdout and "blocks publication" not in said.stdout
    assert "This run is a control's: it proves the harness, counts nowhere" in said.stdout
    (database.root / stored.path).write_bytes(dump(stored.run.model_copy(update={"purpose": "verdict"})))
    assert "blocks publication" in CliRunner().invoke(build(), [*words, stored.run.run]).stdout
    result = json.loads(CliRunner().invoke(build(), [*words, "--all", "--json"]).stdout)
    (run,) = result["runs"]
    assert run["blocks"] and run["findings"][0]["severity"] == "contradicted"
    assert CliRunner().invoke(build(), words).exit_code != 0
