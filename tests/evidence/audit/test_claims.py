"""Each claim of a report is held against the record: what is contradicted, what is unsupported, what is only noted."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argusic.evidence.asciicast import prompt
from argusic.evidence.audit import audit, blocks, read_session
from argusic.evidence.commands import CommandRow
from argusic.records.report import Report
from tests.evidence.audit.sessions import recorded

Command = tuple[str, int | None, str]
INSTALL: Command = ("pip install -q .", 0, "")
LAUNCH: Command = ("tool serve data.db > log 2>&1 &", 0, "")
PROOF = "curl -sf localhost:1/birds | jq -r '.[0].name'"


def found(*commands: Command, **fields: Any) -> dict[str, str]:
    """Audit a report over some commands; return the severity of each finding by field and class."""
    report = Report.model_validate(
        {
            "installed": True,
            "launched": True,
            "errors": [],
            "test_depth": "tier1_real",
            "verified_how": {"command": PROOF, "result": "albatross"},
            "final_state": "It works.",
            **fields,
        }
    )
    return {f"{one.field} {one.finding}": one.severity for one in audit(report, recorded(list(commands)))}


def how(command: str, result: str) -> dict[str, Any]:
    return {"verified_how": {"command": command, "result": result}}


def test_a_report_that_the_record_bears_out_gets_no_finding() -> None:
    assert found(INSTALL, LAUNCH, (PROOF, 0, "albatross\n")) == {}


@pytest.mark.parametrize(
    "row",
    [
        f"cat > r.yaml <<'END'\nverified_how: {PROOF}\nEND",
        f'echo "{PROOF}"',
        f"printf '%s' \"to prove it: {PROOF}\" > notes",
        "true # " + PROOF,
        f'grep -F "{PROOF}" README.md',
    ],
)
def test_a_command_that_stands_in_the_text_of_another_never_ran(row: str) -> None:
    assert found(INSTALL, LAUNCH, (row, 0, "albatross\n"))["verified_how.command command_never_ran"] == "contradicted"


@pytest.mark.parametrize("row", [f"false && {PROOF}; true", f"true || {PROOF}", f"if false; then {PROOF}; fi; ls"])
def test_a_command_that_the_shell_may_not_have_come_to_is_unsupported(row: str) -> None:
    assert found(INSTALL, LAUNCH, (row, 0, "albatross\n"))["verified_how.command command_part"] == "unsupported"


@pytest.mark.parametrize(
    "row",
    [
        "  curl -sf   localhost:1/birds | \\\n jq -r  '.[0].name' ",
        'curl -sf localhost:1/birds | jq -r ".[0].name"',
        'curl -sf localhost:1/birds 2>&1 | jq -r ".[0].name"',
    ],
)
def test_white_space_and_quotes_make_no_other_command(row: str) -> None:
    assert found(INSTALL, LAUNCH, (row, 0, "albatross\n")) == {}


@pytest.mark.parametrize(
    "row", [f"cd /root/subject && {PROOF}", f"set -e\nsleep 1\n{PROOF}", f"bash -c {PROOF!r}".replace("\\'", "'\\''")]
)
def test_a_command_that_a_longer_one_ran_is_noted_and_no_reproach(row: str) -> None:
    assert set(found(INSTALL, LAUNCH, (row, 0, "albatross\n")).values()) <= {"note"}


def test_commands_that_ran_one_by_one_may_be_told_as_one() -> None:
    claimed = how("cd app && make data && jq -r .name out.json", "albatross")
    rows: list[Command] = [("cd app", 0, ""), ("make data", 0, "done\n"), ("jq -r .name out.json", 0, "albatross\n")]
    assert found(INSTALL, LAUNCH, *rows, **claimed) == {"verified_how.command command_part": "note"}


@pytest.mark.parametrize("status", [1, 22, 137, None])
def test_a_depth_on_a_command_that_only_failed_is_contradicted(status: int | None) -> None:
    findings = found(INSTALL, LAUNCH, (PROOF, status, "albatross\n"))
    assert findings["verified_how.command command_failed"] == "contradicted"


def test_a_command_that_failed_first_and_then_succeeded_is_no_contradiction() -> None:
    assert "verified_how.command command_failed" not in found(
        INSTALL, LAUNCH, (PROOF, 7, ""), (PROOF, 0, "albatross\n")
    )


def test_a_failed_command_without_a_claimed_depth_is_honest() -> None:
    findings = found(
        INSTALL, LAUNCH, (PROOF, 7, "curl: (7) refused\n"), test_depth="tier3_none", **how(PROOF, "it failed")
    )
    assert "verified_how.command command_failed" not in findings


@pytest.mark.parametrize("tail", [" || true", "; true", " || echo none", " || :"])
def test_a_status_that_is_thrown_away_is_unsupported(tail: str) -> None:
    row = f"pytest -q{tail}"
    assert (
        found(INSTALL, (row, 0, ""), **how(row, "exit status 0"))["verified_how.command status_hidden"] == "unsupported"
    )


def test_a_pipe_that_shows_what_was_counted_is_only_noted() -> None:
    row = "pytest -q 2>&1 | tail -3"
    findings = found(INSTALL, (row, 0, "5 passed in 0.10s\n"), **how(row, "5 passed in 0.10s"))
    assert findings == {"verified_how.command status_hidden": "note"}


def test_a_pipe_with_pipefail_hides_nothing() -> None:
    row = "set -o pipefail; pytest -q | cat"
    assert found(INSTALL, (row, 0, "5 passed\n"), **how(row, "5 passed")) == {}


def test_a_failure_that_the_command_printed_itself_is_contradicted() -> None:
    row = "pytest -q; echo exit=$?"
    findings = found(INSTALL, (row, 0, "no tests ran\nexit=5\n"), **how(row, "all is well"))
    assert findings["verified_how.command command_failed"] == "contradicted"
    assert found(INSTALL, (row, 0, "5 passed\nexit=0\n"), **how(row, "5 passed")) == {}


def test_what_ran_before_anything_was_installed_proves_nothing() -> None:
    findings = found(
        ("jq .name data.json", 0, '"albatross"\n'), INSTALL, LAUNCH, **how("jq .name data.json", "albatross")
    )
    assert findings == {"verified_how.command command_too_early": "unsupported"}


@pytest.mark.parametrize("depth", ["tier1_real", "tier2_mock"])
def test_a_depth_with_the_words_not_verified_is_listed(depth: str) -> None:
    findings = found(INSTALL, LAUNCH, test_depth=depth, verified_how="not verified")
    assert findings == {"verified_how proof_missing": "unsupported"}
    assert found(INSTALL, LAUNCH, test_depth="tier3_none", verified_how="not verified") == {}


@pytest.mark.parametrize(
    ("printed", "result"),
    [
        ("12 passed in 0.43s\n", "12 passed in 0.43s"),
        ("12 passed in 0.43s\n", "12 passed in 0.4s"),
        ("a\nb\n12 passed in 0.43s\n", "a ... 12 passed"),
        ("<b>Hello  “World”</b>\n", '<b>hello "World"</b>'),
        ('[{"name": "a"}, {"name": "b"}, {"name": "c"}]\n', "a list of 3 objects, the last with the name 'c'"),
        ("x = 1,284\n", "x is 1284"),
        ("albatross\n", "exit status 0, it printed 'albatross'"),
    ],
)
def test_a_result_may_be_cut_or_told_in_other_words(printed: str, result: str) -> None:
    findings = found(INSTALL, ("tool run | grep .", 0, printed), **how("tool run | grep .", result))
    assert set(findings.values()) <= {"note"}


@pytest.mark.parametrize(
    ("printed", "result"),
    [
        ("12 passed in 0.43s\n", "12 passed in 9.87s"),
        ("Hello World\n", "Hello 'Moon'"),
        ("12 rows\n", "13 rows"),
        ("12 rows\n", "no output"),
        ("", "81 frames decoded"),
        ("albatross\n", "the page greets the visitor warmly"),
    ],
)
def test_a_result_that_was_not_printed_is_unsupported(printed: str, result: str) -> None:
    findings = found(INSTALL, ("tool run | grep .", 0, printed), **how("tool run | grep .", result))
    assert findings["verified_how.result result_not_printed"] == "unsupported"


@pytest.mark.parametrize(
    ("printed", "result"),
    [
        ("40 passed, 2 failed in 1s\n", "42 passed"),
        ("40 passed, 2 failed in 1s\n", "40 passed, 0 failed"),
        ("Ran 3 tests in 0.1s\n\nOK\n", "Ran 30 tests"),
        ("Tests run: 8, Failures: 0, Errors: 0\n", "Tests run: 80, Failures: 0"),
    ],
)
def test_another_count_than_the_runner_printed_is_contradicted(printed: str, result: str) -> None:
    findings = found(INSTALL, ("pytest", 0, printed), **how("pytest", result))
    assert findings["verified_how.result result_contradicted"] == "contradicted"


def test_an_error_that_the_output_shows_and_the_result_hides_is_unsupported() -> None:
    row = "python3 -m pytest -q"
    printed = "1 passed\nTraceback (most recent call last):\nValueError: no frame\n"
    assert (
        found(INSTALL, (row, 0, printed), **how(row, "1 passed"))["verified_how.result error_in_output"]
        == "unsupported"
    )


def test_installed_and_launched_are_contradicted_where_nothing_ran_that_could() -> None:
    rows: list[Command] = [
        ("ls", 0, "x\n"),
        ("cat README.md", 0, "hi\n"),
        ("test -f x", 0, ""),
        ("tool --version", 0, "1\n"),
    ]
    findings = found(*rows, test_depth="tier3_none", verified_how="not verified")
    assert findings == {"installed nothing_installed": "contradicted", "launched nothing_launched": "contradicted"}


def test_installed_is_unsupported_where_every_installation_failed() -> None:
    findings = found(
        ("pip install .", 1, ""), ("npm ci", 1, ""), launched=False, test_depth="tier3_none", verified_how=None
    )
    assert findings["installed install_failed"] == "unsupported"


def test_tests_that_ran_and_failed_are_a_launch() -> None:
    assert "launched launch_failed" not in found(
        INSTALL, ("pytest", 1, "3 failed, 9 passed\n"), test_depth="tier3_none", verified_how="not verified"
    )


def test_a_service_that_was_replaced_is_no_real_one() -> None:
    rows: list[Command] = [INSTALL, ("moto_server -p 5000 &", 0, ""), (PROOF, 0, "albatross\n")]
    assert found(*rows)["test_depth stand_in_used"] == "unsupported"
    assert found(*rows, test_depth="tier2_mock") == {}


def test_a_project_that_others_use_as_a_stand_in_is_none_of_itself() -> None:
    install: Command = ("npm install /root/subject/json-server-0.17.4.tgz", 0, "added 122 packages\n")
    rows: list[Command] = [install, ("json-server db.json &", 0, ""), (PROOF, 0, "albatross\n")]
    assert "test_depth stand_in_used" not in found(*rows)
    assert found(INSTALL, *rows[1:])["test_depth stand_in_used"] == "unsupported"


FAILED: Command = ("make app", 2, "app.c:3: error: unknown type name 'bool'\nmake: *** [app] Error 1\n")
ERROR = {"what": "make stopped: unknown type name 'bool'", "fixed": True, "fix": "included stdbool.h"}


def test_an_error_that_was_met_and_repaired_is_borne_out() -> None:
    rows: list[Command] = [
        FAILED,
        ("sed -i 1i#include app.c", 0, ""),
        ("make app", 0, "cc app.c\n"),
        (PROOF, 0, "albatross\n"),
    ]
    assert found(INSTALL, *rows, errors=[ERROR]) == {}
    assert found(INSTALL, *rows, errors=[])["errors error_not_reported"] == "unsupported"


def test_an_error_that_nothing_shows_is_unsupported() -> None:
    clean: list[Command] = [INSTALL, LAUNCH, (PROOF, 0, "albatross\n")]
    assert found(*clean, errors=[ERROR]) == {"errors more_errors_than_seen": "unsupported"}
    other: Command = ("make app", 2, "make: *** No rule to make target 'app'.\n")
    assert found(INSTALL, other, *clean[1:], errors=[ERROR])["errors[0].what error_not_seen"] == "unsupported"


def test_a_fix_needs_a_success_of_the_same_step() -> None:
    rows: list[Command] = [INSTALL, FAILED, FAILED, LAUNCH, (PROOF, 0, "albatross\n")]
    assert found(*rows, errors=[ERROR]) == {"errors[0].fixed fix_without_success": "unsupported"}


def test_counts_alone_are_held_against_the_record_too() -> None:
    rows: list[Command] = [INSTALL, LAUNCH, (PROOF, 0, "albatross\n")]
    findings = found(*rows, errors=None, errors_encountered=9, errors_fixed=9)
    assert findings == {"errors_encountered more_errors_than_seen": "unsupported"}


@pytest.mark.parametrize("sentence", ["It served 5,214 birds.", "The page said “Welcome back”.", "It took 12.75 ms."])
def test_the_closing_sentence_states_what_was_seen(sentence: str) -> None:
    rows: list[Command] = [INSTALL, LAUNCH, (PROOF, 0, "albatross\n")]
    assert found(*rows, final_state=sentence) == {"final_state stated_not_observed": "unsupported"}
    shown: Command = ("tool stats | cat", 0, "5214 birds\nWelcome back\n12.75 ms\n")
    assert found(INSTALL, LAUNCH, shown, rows[2], final_state=sentence) == {}


def test_what_the_command_that_writes_the_report_says_bears_nothing_out() -> None:
    report = "cat > r.yaml <<'E'\ntest_depth: tier1_real\nfinal_state: It served 5214 birds.\nE"
    rows: list[Command] = [INSTALL, LAUNCH, (PROOF, 0, "albatross\n"), (report, 0, "")]
    assert found(*rows, final_state="It served 5214 birds.") == {"final_state stated_not_observed": "unsupported"}


def test_only_what_is_contradicted_blocks() -> None:
    report = Report.model_validate(
        {"installed": False, "launched": False, "errors": [], "test_depth": "tier1_real", "final_state": "Nothing."}
        | how(PROOF, "x")
    )
    never_ran = audit(report, recorded([INSTALL]))
    assert blocks(never_ran) and never_ran[0].severity == "contradicted"
    assert not blocks(one for one in never_ran if one.severity != "contradicted")


def test_a_finding_names_commands_and_where_they_are_in_the_recording() -> None:
    report = Report.model_validate(
        {"installed": True, "launched": True, "errors": [], "test_depth": "tier1_real", "final_state": "It works."}
        | how("ls out", "out")
    )
    (finding,) = audit(report, recorded([INSTALL, LAUNCH, ("ls out", 0, "out\n")]))
    assert (finding.finding, finding.commands, finding.seconds) == ("mere_probe", (3,), (7.5,))


def test_the_log_is_cut_at_the_prompts_of_the_table_and_nowhere_else() -> None:
    commands = ["cat <<'E'\n$ forged\nE", "printf '$ ls\\nx'", "ls"]
    printed = ["$ forged\n", "$ ls\nx\n", ""]
    log, rows, line = "", [], 1
    for number, (command, text) in enumerate(zip(commands, printed, strict=True), 1):
        row = {"number": number, "command": command, "started": 1.0, "ended": 2.0, "exit_status": 0, "cut": None}
        rows.append(CommandRow.model_validate({**row, "offset": number, "log_line": line}))
        block = f"{prompt(command)}\n{text}"
        log += block
        line += block.count("\n")
    assert [ran.printed for ran in read_session(rows, io.BytesIO(log.encode()))] == printed


_TEXT = st.text(st.sampled_from("ab1 .,:;'\"`$|&<>(){}[]=/-\n…“”é0"), max_size=60)


@given(
    st.lists(st.tuples(_TEXT, st.sampled_from([0, 1, None]), _TEXT), max_size=5),
    *(_TEXT.filter(str.strip) for _ in range(3)),
    st.booleans(),
    st.sampled_from(["tier1_real", "tier2_mock", "tier3_none"]),
)
def test_any_report_over_any_session_is_audited_and_twice_the_same(
    commands: list[Command], command: str, result: str, final: str, done: bool, depth: str
) -> None:
    report = Report.model_validate(
        {"installed": done, "launched": done, "test_depth": depth, "final_state": final}
        | {
            "errors": [{"what": result, "fixed": done, "fix": final}],
            "verified_how": {"command": command, "result": result},
        }
    )
    session = recorded(commands)
    assert audit(report, session) == audit(report, session)
