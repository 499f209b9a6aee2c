"""What a cycle owes, by the runs that are there."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path

from argusic.database.codec import parse_record
from argusic.records.cycle import Cycle, PoolEntry
from argusic.records.edition import Edition
from argusic.records.sources.package import Pin
from argusic.rules.rubric import Outcome
from argusic.rules.scored import ScoredRun
from argusic.runs.plan import Owed, owed

TOP = Path(__file__).parents[2]

START = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
EDITION = parse_record((TOP / "rules/editions/v1.5.yaml").read_bytes(), Edition, file="v1.5.yaml")


def cycle(**changes: object) -> Cycle:
    facts: dict[str, object] = {
        "cycle": "c1",
        "title": "A cycle",
        "edition": "v1.5",
        "edition_sha256": "0" * 64,
        "opens": START,
        "closes": START + timedelta(days=30),
        "standard_agent": "newcomer",
        "board_agents": (),
        "controls": (),
        "subjects": tuple(
            PoolEntry(subject=f"package/{name}", pin=Pin(version="1", file=f"{name}-1.tar.gz", sha256="a" * 64))
            for name in ("one", "two")
        ),
    }
    return Cycle.model_validate({**facts, **changes})


def run(outcome: Outcome, subject: str = "package/one", agent: str = "newcomer", minute: int = 0) -> ScoredRun:
    totals: dict[Outcome, Fraction | None] = {"pass_full": Fraction(100), "pass_mock": Fraction(92), "invalid": None}
    started = START + timedelta(minutes=minute)
    return ScoredRun(
        run=f"{started:%Y%m%dT%H%M%SZ}-aaaaaa",
        subject=subject,
        agent=agent,
        control=agent in ("oracle", "nop"),
        started=started,
        outcome=outcome,
        total=totals.get(outcome, Fraction(0)),
    )


def test_a_fresh_cycle_owes_the_chain_of_each_subject() -> None:
    assert owed(cycle(), EDITION, []) == [
        Owed("package/one", "newcomer", "verdict", 2),
        Owed("package/two", "newcomer", "verdict", 2),
    ]


def test_one_pass_ends_a_chain() -> None:
    assert [cell.subject for cell in owed(cycle(), EDITION, [run("pass_mock")])] == ["package/two"]


def test_one_failure_leaves_one_retry_and_two_settle() -> None:
    cells = owed(cycle(), EDITION, [run("fail"), run("timeout", "package/two"), run("fail", "package/two", minute=5)])
    assert cells == [Owed("package/one", "newcomer", "verdict", 1)]


def test_an_invalid_run_leaves_its_attempt_owed() -> None:
    assert owed(cycle(), EDITION, [run("invalid")])[0].attempts == 2


def test_a_board_agent_owes_three_valid_runs_whatever_they_came_to() -> None:
    board = cycle(board_agents=("newcomer",))
    cells = owed(board, EDITION, [run("pass_full"), run("fail", minute=1), run("invalid", minute=2)])
    assert cells[0] == Owed("package/one", "newcomer", "board", 1)
    assert cells[1] == Owed("package/two", "newcomer", "board", 3)


def test_each_control_owes_one_valid_run_and_settles_nothing() -> None:
    controlled = cycle(controls=("oracle", "nop"))
    cells = owed(controlled, EDITION, [run("pass_full", agent="oracle")])
    assert [(cell.agent, cell.attempts) for cell in cells if cell.subject == "package/one"] == [
        ("newcomer", 2),
        ("nop", 1),
    ]


def test_a_cycle_without_a_standard_agent_owes_no_chain() -> None:
    assert owed(cycle(standard_agent=None), EDITION, []) == []


def test_the_order_is_that_of_the_cycle_file() -> None:
    both = cycle(board_agents=("newcomer",), controls=("oracle",))
    assert [(cell.subject, cell.agent) for cell in owed(both, EDITION, [])] == [
        ("package/one", "newcomer"),
        ("package/one", "oracle"),
        ("package/two", "newcomer"),
        ("package/two", "oracle"),
    ]
