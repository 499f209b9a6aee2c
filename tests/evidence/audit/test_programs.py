"""A report is held against what the agent's own program ran, as far as that was seen."""

from __future__ import annotations

import io

from argusic.evidence.audit import audit, read_session
from argusic.evidence.commands import CommandRow
from argusic.records.audit import ClaimFinding
from argusic.records.report import Report, VerifiedHow

LOG = "$ npm install -g agent\n$ agent --go\nworking\n"


def row(number: int, command: str, **fields: object) -> CommandRow:
    facts = {"started": number, "ended": number + 0.5, "exit_status": 0, "cut": None, "offset": 1, "log_line": 2}
    return CommandRow.model_validate({"number": number, "command": command, **facts, **fields})


def report(command: str, **fields: object) -> Report:
    how = VerifiedHow(command=command, result="42 rows, all decoded")
    facts = {"installed": True, "launched": True, "errors": (), "test_depth": "tier1_real", "final_state": "It runs."}
    return Report.model_validate({**facts, "verified_how": how, **fields})


def findings(
    told: Report, *inner: str, seen_by: str = "observed", statuses: dict[str, int] | None = None
) -> list[ClaimFinding]:
    rows = (
        row(1, "npm install -g agent", source="set_up", log_line=1),
        row(2, "agent --go", source="program", seen_by=seen_by),
    )
    within = [
        row(3 + at, command, source=seen_by, exit_status=(statuses or {}).get(command, 0))
        for at, command in enumerate(inner)
    ]
    return list(audit(told, read_session(rows, io.BytesIO(LOG.encode()), within)))


def contradicted(found: list[ClaimFinding]) -> set[str]:
    return {one.finding for one in found if one.severity == "contradicted"}


WORK = (
    "cd subject && pip install .",
    "cd subject && python3 -m project data.json",
    "python3 check.py --decode out.bin",
)


def test_a_command_that_the_program_ran_bears_a_claim_out() -> None:
    found = findings(report("python3 check.py --decode out.bin"), *WORK)
    assert contradicted(found) == set()
    assert not any(one.finding == "command_never_ran" for one in found)


def test_a_command_that_was_not_seen_never_ran() -> None:
    found = findings(report("python3 other.py"), *WORK)
    assert contradicted(found) == {"command_never_ran"}


def test_a_command_that_failed_contradicts_its_claim() -> None:
    found = findings(report(WORK[2]), *WORK, statuses={WORK[2]: 3})
    assert contradicted(found) == {"command_failed"}
    assert [one.commands for one in found if one.finding == "command_failed"] == [(5,)]


def test_a_program_that_ran_nothing_installed_nothing_though_it_was_installed_itself() -> None:
    assert contradicted(findings(report("python3 other.py"))) >= {"command_never_ran", "nothing_installed"}


def test_what_shells_tell_of_themselves_contradicts_nothing() -> None:
    found = findings(report("python3 other.py"), *WORK, seen_by="self_reported")
    assert contradicted(found) == set()
    assert [one.severity for one in found if one.finding == "command_never_ran"] == ["unsupported"]


def test_nothing_is_said_of_errors_whose_words_nobody_heard() -> None:
    errors = ({"what": "ModuleNotFoundError: No module named 'yaml'", "fixed": True, "fix": "installed it"},)
    found = findings(report(WORK[2], errors=errors), *WORK)
    assert not any(one.field.startswith("errors") for one in found)
