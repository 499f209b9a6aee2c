"""A claim that the record contradicts: the run is held, its cycle stays open, and a person's word releases it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from argusic.cli.main import build
from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.database.paths import board_path, claim_screening_path, verdicts_path
from argusic.evidence.audit import publishing
from argusic.records.board import Board
from argusic.records.run import Run
from argusic.records.verdicts import Verdicts
from argusic.referee.check import check
from argusic.referee.recompute import check_derived, recompute
from argusic.runs.agents.given import Given
from argusic.runs.attempt import Equipment
from argusic.runs.cycle import run_cycle, still_owed
from argusic.runs.held import held_runs
from argusic.runs.session import AgentProgram, Mission, Session
from argusic.runs.watching import Cancellation
from argusic.sandbox.registry import provider, providers
from tests.quiet import Quiet

pytestmark = pytest.mark.sandbox

Make = Callable[..., Database]

REPORT = """installed: true
launched: true
errors: []
test_depth: tier1_real
verified_how: {command: "%s", result: "Hello, World!"}
final_state: It greets.
"""
RAN = "python3 subject/greet.py World"
NEVER_RAN = "python3 subject/check_everything.py --strict"


class Claiming:
    """An agent that runs the greeter, and names a command as its proof."""

    def __init__(self, proof: str) -> None:
        self._proof = proof

    def run(self, session: Session, mission: Mission) -> None:
        session.run(RAN)
        session.run(f"cat > {mission.report_path} <<'END'\n{REPORT % self._proof}END")


def equipment(database: Database, *proofs: str) -> Equipment:
    """Return what attempts are made with: the agent of each names the next of the proofs."""
    left = iter(proofs)

    def program(name: str, given: Given | None) -> AgentProgram:
        return Claiming(next(left))

    return Equipment(database, provider("bubblewrap"), Quiet(), Cancellation(), program)


def run(database: Database, *proofs: str) -> tuple[Run, ...]:
    return run_cycle(equipment(database, *proofs), database.cycle("small"), providers()).runs


def argusic(database: Database, *words: str) -> Result:
    return CliRunner().invoke(build(words[0]), ["--repo", str(database.root), *words])


def close(database: Database) -> Result:
    return argusic(database, "cycle", "close", "small", "--by", "ada", "--sign", "none")


def screen(database: Database, held: Run, finding: str) -> Result:
    why = ("--reason", "The recording was read.", "--by", "ada")
    return argusic(database, "screening", "--run", held.run, "--finding", finding, *why)


def verdict(database: Database) -> dict[str, Any]:
    recompute(database)
    (subject,) = database.read(verdicts_path("small", "repository"), Verdicts).subjects
    outcomes = [attempt.outcome for attempt in subject.attempts]
    return {"verdict": subject.verdict, "rule": subject.rule, "outcomes": outcomes}


@pytest.fixture
def chain(small_database: Make) -> Database:
    """Return a database whose cycle asks the standard agent alone."""
    return small_database(board_agents=(), controls=())


def test_a_command_that_never_ran_holds_the_run_and_the_cycle_waits(chain: Database) -> None:
    (held,) = run(chain, NEVER_RAN)
    assert held.audit is not None and held.audit.contradicted == ("verified_how.command",)
    assert [one.run for one in held_runs(chain, "small")] == [held.run]
    # It is neither a pass nor owed again.
    assert still_owed(chain, chain.cycle("small")) == []
    assert verdict(chain) == {"verdict": "not_yet_verified", "rule": "verdict.held", "outcomes": ["held"]}
    assert check(chain) == [] and check_derived(chain) == []
    refused = close(chain)
    assert refused.exit_code == 1 and held.run in str(refused.exception)
    assert chain.close("small") is None
    shown = json.loads(argusic(chain, "run", "show", held.run, "--json").stdout)
    assert (shown["score"]["outcome"], "lines" in shown["score"]) == ("held", False)
    said = argusic(chain, "cycle", "run", "small").stdout
    assert f"Held: {held.run}, repository/greeter by newcomer." in said and "--finding audit|record|agent" in said


@pytest.mark.parametrize("finding", ["audit", "agent"])
def test_a_person_who_says_what_it_is_lets_it_count(chain: Database, finding: str) -> None:
    (held,) = run(chain, NEVER_RAN)
    assert screen(chain, held, finding).exit_code == 0
    assert chain.claim_screenings("small")[held.run].fields == ("verified_how.command",)
    assert verdict(chain) == {"verdict": "runs", "rule": "verdict.runs", "outcomes": ["pass_full"]}
    assert check(chain) == []
    again = screen(chain, held, finding)
    assert again.exit_code != 0 and "a finding is never edited" in str(again.exception)
    assert close(chain).exit_code == 0
    assert check(chain) == [] and check_derived(chain) == []


def test_a_fault_of_ours_invalidates_it_and_it_is_owed_again(chain: Database) -> None:
    (held,) = run(chain, NEVER_RAN)
    assert screen(chain, held, "record").exit_code == 0
    (cell,) = still_owed(chain, chain.cycle("small"))
    assert (cell.agent, cell.attempts) == ("newcomer", 2)
    run(chain, RAN)
    assert verdict(chain) == {"verdict": "runs", "rule": "verdict.runs", "outcomes": ["invalid", "pass_full"]}
    assert check(chain) == []


def test_a_board_set_waits_for_its_held_run_and_takes_no_other(small_database: Make) -> None:
    database = small_database(controls=())
    runs = run(database, RAN, NEVER_RAN, RAN)
    recompute(database)
    board = database.read(board_path("small", "repository"), Board)
    ((row,), (subject,)) = board.agents, board.agents[0].subjects
    assert (subject.state, len(subject.runs), [one.run for one in subject.held or ()]) == (
        "incomplete",
        2,
        [runs[1].run],
    )
    assert subject.reason == "2 of 3 valid runs. 1 held until a person has looked."
    assert (row.score, row.attempts.held, row.pass_rate and row.pass_rate.valid) == (None, 1, 2)
    assert still_owed(database, database.cycle("small")) == []
    screen(database, runs[1], "agent")
    recompute(database)
    (row,) = database.read(board_path("small", "repository"), Board).agents
    assert (row.score and row.score.shown, row.attempts.held) == (100.0, None)


def test_the_liar_is_caught_and_holds_nothing_up(small_database: Make) -> None:
    database = small_database(standard_agent=None, board_agents=(), controls=("liar",))
    caught = Equipment(database, provider("bubblewrap"), Quiet(), Cancellation())
    (lied,) = run_cycle(caught, database.cycle("small"), providers()).runs
    assert lied.audit is not None and "verified_how.command" in lied.audit.contradicted
    assert held_runs(database, "small") == []
    assert "is not held" in str(screen(database, lied, "agent").exception)
    assert close(database).exit_code == 0
    assert check(database) == []


def test_an_audit_that_fails_holds_the_run(chain: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RecursionError("a report nests too deep")

    with monkeypatch.context() as patched:
        patched.setattr(publishing, "audit", broken)
        (held,) = run(chain, RAN)
    assert held.audit is not None and held.audit.problem == "RecursionError: a report nests too deep"
    assert verdict(chain)["outcomes"] == ["held"]
    assert screen(chain, held, "audit").exit_code == 0
    assert chain.claim_screenings("small")[held.run].fields == ()
    assert verdict(chain)["outcomes"] == ["pass_full"]
    assert check(chain) == []


def test_verify_finds_a_run_that_states_another_audit(chain: Database) -> None:
    (held,) = run(chain, NEVER_RAN)
    assert argusic(chain, "verify").exit_code == 0
    (stored,) = chain.runs()
    path = chain.root / stored.path
    hidden = held.model_copy(update={"audit": None})
    path.write_bytes(dump(hidden))
    found = [
        one for one in json.loads(argusic(chain, "verify", "--json").stdout)["findings"] if one["field"] == "audit"
    ]
    assert [one["what"] for one in found] == [
        "it says nothing; audited again it is that the record contradicts verified_how.command"
    ]
    # Another program may have judged otherwise: that is told, and is no fault of the run.
    assert held.audit is not None
    other = held.audit.model_copy(update={"program_sha256": "0" * 64, "contradicted": ()})
    path.write_bytes(dump(held.model_copy(update={"audit": other})))
    result = json.loads(argusic(chain, "verify", "--json").stdout)
    assert not [one for one in result["findings"] if one["field"] == "audit"]
    assert [one["file"] for one in result["audited_otherwise"]] == [str(stored.path)]


def test_check_names_a_screening_of_what_holds_nothing_up_or_of_something_else(chain: Database) -> None:
    (held,) = run(chain, NEVER_RAN)
    screen(chain, held, "agent")
    path = claim_screening_path("small", held.run)
    text = (chain.root / path).read_text()
    (chain.root / path).write_text(text.replace("verified_how.command", "installed"))
    assert [str(one) for one in check(chain)] == [
        f"{path}: fields: does not name the fields that the run says are contradicted: verified_how.command."
    ]
    (chain.root / path).write_text(text)
    (stored,) = chain.runs()
    Path(chain.root / stored.path).write_bytes(dump(held.model_copy(update={"audit": None})))
    assert f"{path}: run: is of {held.run}, which nothing holds." in [str(one) for one in check(chain)]


def test_what_was_asked_must_fit_what_is_screened(chain: Database) -> None:
    for words, said in (
        (("--run", "20261130T000000Z-aaaaaa", "--finding", "project"), "of a run's claims --finding is"),
        (("repository/greeter", "--cycle", "small", "--finding", "audit"), "of a subject --finding is"),
        (("repository/greeter", "--finding", "agents"), "a SUBJECT needs --cycle"),
        (("--finding", "agents"), "name either a SUBJECT under review"),
        (("--run", "20261130T000000Z-aaaaaa", "--finding", "agent"), "there is no run"),
    ):
        done = argusic(chain, "screening", *words, "--reason", "because", "--by", "ada")
        assert done.exit_code != 0 and said in str(done.exception), (words, done.exception)
