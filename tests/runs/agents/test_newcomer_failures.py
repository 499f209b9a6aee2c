"""Failures are recognised in what real programs really printed, and repaired by what is known, once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from argusic.runs.agents.newcomer.bench import Bench, OutOfTime, Step
from argusic.runs.agents.newcomer.failures import fill, public, recognise
from argusic.runs.agents.newcomer.journal import Journal
from argusic.runs.agents.newcomer.knowledge import Failure, Knowledge, Repair, Repairs, knowledge
from argusic.runs.session import CommandResult

CAPTURED = sorted((Path(__file__).parent / "captured").glob("*.txt"))


def result(output: str, status: int | None = 1, cut: str | None = None) -> CommandResult:
    return CommandResult(1, "command", status, output, 0.1, cut)


def bench(session: Any, *failures: Failure) -> Bench:
    known = knowledge()
    table = known.repairs.model_copy(update={"failures": failures}) if failures else known.repairs
    return Bench(session, Journal("it"), Knowledge(table, known.samples, known.runners))


def failure(when: str, *repairs: Repair, kind: str = "missing_file") -> Failure:
    return Failure.model_validate({"class": kind, "when": [when], "says": "it lacks something", "repairs": repairs})


@pytest.mark.parametrize("file", CAPTURED, ids=lambda file: file.stem)
def test_each_captured_failure_is_of_the_class_that_its_name_says(file: Path) -> None:
    found = recognise(result(file.read_text(encoding="utf-8")), knowledge().repairs)
    assert found.kind == file.stem.split("-")[0]
    assert found.evidence and "\n" not in found.evidence and len(found.evidence) <= 300


def test_what_the_table_does_not_know_speaks_for_itself() -> None:
    found = recognise(result("working\nFatal error: the moon is full\nbye\n", 7), knowledge().repairs)
    assert (found.kind, found.evidence) == ("unknown", "Fatal error: the moon is full")
    assert "status 7" in found.says and found.repairs == ()


def test_a_command_that_was_cut_off_timed_out() -> None:
    assert recognise(result("", None, "command_time"), knowledge().repairs).kind == "timeout"


def test_a_value_that_could_be_shell_is_never_put_into_a_command() -> None:
    found = recognise(result("Cannot find module 'x'; rm -rf /'"), knowledge().repairs)
    assert all(";" not in value for value in found.values.values())
    table = Repairs.model_validate(
        {
            "classes": {"a": "b"},
            "failures": [
                {
                    "class": "a",
                    "when": ["lacks (?P<name>.+)"],
                    "says": "s",
                    "repairs": [{"what": "w", "run": ["{{name}}"]}],
                }
            ],
            "packages": {},
            "made_up": [],
        }
    )
    assert recognise(result("lacks $(reboot)"), table).repairs == ()


def test_a_repair_with_an_unknown_value_is_not_filled() -> None:
    assert fill("{{python}} -m pip", {}) is None and fill("{{a}}{{b}}", {"a": "1", "b": "2"}) == "12"


def test_addresses_of_other_machines_are_left_out_of_reports() -> None:
    assert public("see https://example.org/x and http://localhost:80/y") == "see (an address) and http://localhost:80/y"


def test_a_class_that_is_not_declared_is_refused() -> None:
    with pytest.raises(ValueError, match="no such class: moon"):
        Repairs.model_validate(
            {"classes": {}, "failures": [{"class": "moon", "when": ["x"], "says": "s"}], "packages": {}, "made_up": []}
        )


def test_a_repaired_step_is_one_error_that_is_fixed(session: Any) -> None:
    made = bench(session, failure("No such file", Repair(what="made it", run=("echo 1 > ~/there",))))
    passed = made.do(Step("reading it", "cat ~/there", 10))
    assert passed and passed.output == "1\n"
    assert [(met.fixed, met.fix) for met in made.journal.errors] == [(True, "made it")]


def test_a_step_that_keeps_failing_for_one_reason_is_one_error_that_is_not_fixed(session: Any) -> None:
    repairs = (Repair(what="first", run=("true",)), Repair(what="second", run=(": again",)))
    made = bench(session, failure("No such file", *repairs))
    assert made.do(Step("reading it", "cat ~/there", 10)) is None
    assert [met.fixed for met in made.journal.errors] == [False]
    assert [r.command for r in session.commands].count("cat ~/there") == 3


def test_each_reason_that_a_step_gets_past_is_an_error_of_its_own(session: Any) -> None:
    made = bench(
        session,
        failure("a: No such file", Repair(what="made a", run=("echo > ~/a",))),
        failure("b: No such file", Repair(what="made b", run=("echo > ~/b",)), kind="missing_module"),
    )
    assert made.do(Step("reading both", "cat ~/a && cat ~/b", 10))
    assert [(met.fixed, met.fix) for met in made.journal.errors] == [(True, "made a"), (True, "made b")]


def test_a_repair_that_fails_fixes_nothing(session: Any) -> None:
    made = bench(session, failure("No such file", Repair(what="tried", run=("false",))))
    assert made.do(Step("reading it", "cat ~/there", 10)) is None
    assert made.journal.errors[0].fix == "" and not made.journal.errors[0].fixed


def test_a_repair_may_change_the_command(session: Any) -> None:
    made = bench(session, failure("lacks", Repair(what="said yes", append=" yes")))
    passed = made.do(Step("asking", 'f() { test -n "$1" || { echo lacks; return 1; }; echo $1; }; f', 10))
    assert passed and passed.output == "yes\n" and made.journal.errors[0].fixed


def test_the_projects_own_modules_and_made_up_ones_are_asked_of_no_registry(session: Any) -> None:
    made = bench(session)
    made.values["python"] = "false"
    made.own.add("bird")
    for module in ("bird", "myapp", "example"):
        step = Step("importing", f"echo \"ModuleNotFoundError: No module named '{module}'\"; exit 1", 10)
        assert made.do(step) is None
    assert not [r for r in session.commands if "pip" in r.command]


def test_every_command_leaves_time_for_the_report(session: Any) -> None:
    made = bench(session)
    assert made.limit(10_000) <= session.remaining - 19
    session._end = 0
    with pytest.raises(OutOfTime):
        made.look("true")
