"""Asking for the stronger agent: what may be asked for, and that the cycle then owes it."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.database.paths import agent_path, cycle_path, reproduction_request_path, request_path, revealed_path
from argusic.errors import InputError
from argusic.records.agent import Agent
from argusic.records.cycle import Close, Cycle
from argusic.records.report import Report
from argusic.records.request import ReproductionRequest
from argusic.records.run import Ending, RunReport
from argusic.referee.checks.requests import check_requests
from argusic.referee.checks.survey import survey
from argusic.referee.requested import all_requests
from argusic.referee.requests import request_reproduction, request_stronger
from argusic.runs.cycle import still_owed
from tests.made_database import AGENTS, Size, make_database, make_run, write

AT = datetime(2026, 12, 1, tzinfo=UTC)
STANDARD, STRONGER = AGENTS[:2]


@pytest.fixture
def base(tmp_path: Path) -> Database:
    made = make_database(tmp_path / "made", Size(cycles=1, subjects=1))
    shutil.rmtree(made.root / "runs")
    change(made, standard_agent=STANDARD, stronger_agent=STRONGER, board_agents=(), controls=())
    return made


def change(base: Database, **fields: object) -> None:
    cycle = base.cycle("made-00")
    base.write(cycle_path("made-00"), Cycle.model_validate(cycle.model_copy(update=fields).model_dump()), replace=True)


def subject(base: Database) -> str:
    return base.cycle("made-00").subjects[0].subject


def attempt(base: Database, agent: str, minute: int, *, works: bool = False) -> str:
    cycle = base.cycle("made-00")
    run = make_run(cycle, subject(base), agent, cycle.opens + timedelta(minutes=minute), random.Random(minute))
    report = Report.model_validate(
        {
            "installed": works,
            "launched": works,
            "errors": (),
            "test_depth": "tier1_real" if works else "tier3_none",
            "verified_how": {"command": "made --check", "result": "3 rows"} if works else "not verified",
            "final_state": "It was tried.",
        }
    )
    facts = {"ending": Ending(how="completed"), "report": RunReport(state="read", content=report), "audit": None}
    write(base.root, run.model_copy(update={**facts, "purpose": "verdict"}))
    return run.run


def ask(base: Database) -> object:
    return request_stronger(base, "made-00", subject(base), reason="It works for me.", by="ada", at=AT, issue=7)


def owed(base: Database) -> list[str]:
    return [cell.agent for cell in still_owed(base, base.cycle("made-00")) if cell.subject == subject(base)]


def test_a_request_makes_the_cycle_owe_one_run_of_the_stronger_agent(base: Database) -> None:
    for minute in (1, 2):
        attempt(base, STANDARD, minute)
    assert owed(base) == []
    ask(base)
    assert base.holds(request_path("made-00", subject(base)))
    assert owed(base) == [STRONGER]
    attempt(base, STRONGER, 3)
    assert owed(base) == []


def _v10(base: Database) -> None:
    change(base, edition="v1.0", edition_sha256=base.edition("v1.0")[1])


def _v03(base: Database) -> None:
    change(base, edition="v0.3", edition_sha256=base.edition("v0.3")[1])


def _closed(base: Database) -> None:
    write(base.root, Close(cycle="made-00", closed=AT, by="ada", runs=0, derived={}))


@pytest.mark.parametrize(
    ("before", "why"),
    [
        (lambda base: attempt(base, STANDARD, 1, works=True), "was shown to run"),
        (lambda base: attempt(base, STRONGER, 1), "made a complete attempt"),
        (ask, "somebody asked before"),
        (lambda base: change(base, stronger_agent=None), "names no stronger agent"),
        (lambda base: change(base, standard_agent=None), "only compares agents"),
        (_v10, "third step anyway"),
        (_v03, "gives no verdicts"),
        (_closed, "is closed"),
    ],
)
def test_what_cannot_be_asked_for_is_refused_in_a_sentence(
    base: Database, before: Callable[[Database], object], why: str
) -> None:
    before(base)
    with pytest.raises(InputError, match=why):
        ask(base)


def test_a_request_for_a_subject_of_another_cycle_is_refused(base: Database) -> None:
    with pytest.raises(InputError, match="has no subject package/elsewhere"):
        request_stronger(base, "made-00", "package/elsewhere", reason="Why not.", by="ada", at=AT)


def test_check_names_a_request_that_nothing_can_be_owed_by(base: Database) -> None:
    ask(base)
    assert list(check_requests(survey(base))) == []
    change(base, stronger_agent=None)
    (only,) = check_requests(survey(base))
    assert "asks for a stronger agent, and its cycle names none" in str(only)


def seal(base: Database, agent: str) -> None:
    recipients = (f"age1{'q' * 58}", f"age1{'p' * 58}")
    facts = {"sealed_size": 1, "sealed_sha256": "1" * 64, "recipients": recipients}
    base.write(
        agent_path(agent),
        Agent.model_validate(
            {
                "agent": agent,
                "title": "Quiet",
                "role": "agent",
                "program": "shell",
                "implementation": "shell",
                "commitment": "1" * 64,
                "sealed": facts,
            }
        ),
        replace=True,
    )


def ask_again(base: Database, run: str) -> ReproductionRequest:
    return request_reproduction(base, run, reason="Another model may have run.", by="kim", at=AT, issue=8)


def test_a_sealed_agents_run_is_asked_for_once_and_stays_asked_for(base: Database) -> None:
    seal(base, STRONGER)
    run = attempt(base, STRONGER, 1)
    ask_again(base, run)
    assert base.holds(reproduction_request_path("made-00", run))
    (only,) = all_requests(base)
    assert (only.state, only.agent, only.request.issue) == ("open", STRONGER, 8)
    assert only.command == (
        f"argusic reproduce made-00 --subject {subject(base)} --agent {STRONGER} --record --by NAME"
    )
    with pytest.raises(InputError, match="somebody asked before that run"):
        ask_again(base, run)


def test_what_anybody_can_make_again_is_not_asked_for(base: Database) -> None:
    run = attempt(base, STANDARD, 1)
    with pytest.raises(
        InputError, match=r"is open: anybody can make run \S+ again, in a fork, with `argusic reproduce"
    ):
        ask_again(base, run)
    seal(base, STRONGER)
    sealed = attempt(base, STRONGER, 2)
    path = base.root / revealed_path(STRONGER)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("revealed")
    with pytest.raises(InputError, match="is open"):
        ask_again(base, sealed)
    with pytest.raises(InputError, match="there is no run"):
        ask_again(base, "20260101T000000Z-aaaaaa")


def test_a_request_for_the_stronger_agent_waits_is_open_and_is_given(base: Database) -> None:
    def states() -> list[tuple[str, bool]]:
        return [(one.state, one.command is not None) for one in all_requests(base, "made-00")]

    assert states() == []
    ask(base)
    assert states() == [("waits", False)]
    for minute in (1, 2):
        attempt(base, STANDARD, minute)
    assert states() == [("open", True)]
    attempt(base, STRONGER, 3)
    assert states() == [("given", False)]


@pytest.mark.parametrize("end", [lambda base: attempt(base, STANDARD, 1, works=True), _closed])
def test_a_request_lapses_with_a_pass_and_with_the_cycles_close(
    base: Database, end: Callable[[Database], object]
) -> None:
    ask(base)
    end(base)
    assert [one.state for one in all_requests(base)] == ["lapsed"]


def test_check_names_a_request_for_a_run_that_is_no_secret_or_not_there(base: Database) -> None:
    seal(base, STRONGER)
    run = attempt(base, STRONGER, 1)
    made = ask_again(base, run)
    assert list(check_requests(survey(base))) == []
    strange = "20260101T000000Z-aaaaaa"
    base.write(reproduction_request_path("made-00", strange), made.model_copy(update={"run": strange}))
    (only,) = check_requests(survey(base))
    assert f"names {strange}, which is no run of the cycle made-00" in str(only)
    base.remove(reproduction_request_path("made-00", strange))
    base.write(
        agent_path(STRONGER),
        Agent(agent=STRONGER, title="Open", role="agent", program="none", implementation="newcomer"),
        replace=True,
    )
    (only,) = check_requests(survey(base))
    assert "whose configuration is no secret" in str(only)
