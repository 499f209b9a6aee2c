"""A whole cycle through cycle.yml itself: attempts in parallel, and everything that goes wrong between machines."""

from __future__ import annotations

import json

import pytest

from argusic.database.database import Database
from tests.program import Done, argusic
from tests.workflows.act.referee import CYCLE, Referee
from tests.workflows.act.running import Ran

pytestmark = [pytest.mark.act, pytest.mark.timeout(420)]

BRANCH = f"results/{CYCLE}"
NEWCOMER = "Attempt 001: repository/greeter by newcomer"
ORACLE = "Attempt 002: repository/greeter by oracle"
NOP = "Attempt 003: repository/greeter by nop"
#: When the controls' run is all that is owed, its job is the first.
NOP_ALONE = "Attempt 001: repository/greeter by nop"
LADDER = ("Collect", "Sign", "Commit", "Check the pull request")


def dispatch(referee: Referee) -> Ran:
    return referee.run("cycle.yml", inputs={"cycle": CYCLE})


def runs(database: Database) -> list[str]:
    """Return the agents of the runs that lie in a checkout, sorted."""
    return sorted(stored.run.agent for stored in database.runs())


def program(referee: Referee, database: Database, *words: str) -> Done:
    return argusic(database, *words, ARGUSIC_KEYS=str(referee.scratch / "reader"))


def test_a_cycle_on_machines_that_die_race_and_lose_things_comes_to_every_run_once(referee: Referee) -> None:
    # The machine of one job dies in the middle of its attempt, and somebody else pushes while the commit is made.
    referee.arrange("dying", "003")
    referee.arrange("lost", "attempt-003-1")
    note = {"runs/small/README.md": b"Somebody else's.\n"}
    referee.platform.before_push = lambda: referee.platform.bare.commit(BRANCH, note, "A note")
    first = dispatch(referee)
    done = dict.fromkeys(("Plan", NEWCOMER, ORACLE, *LADDER), "success")
    assert first.conclusions() == done | {NOP: "failure"}, first.told()
    began, ended = zip(*((leg.began, leg.ended) for leg in first.legs_of("attempt")), strict=True)
    assert max(began[:2]) < min(ended[:2]), "two attempts ran at once"
    assert referee.platform.before_push is None, "the other one pushed"
    assert referee.platform.bare.log(BRANCH)[1:] == ["A note", "A small referee"]
    assert runs(referee.checkout("after-first", BRANCH)) == ["newcomer", "newcomer", "newcomer", "oracle"]
    (pull,) = referee.platform.pulls()
    assert (pull["head"], pull["base"], pull["state"]) == (BRANCH, "main", "open")
    assert "its job ended as failure and left nothing" in pull["body"]

    # The next run of the workflow plans what is still owed: one job, whose machine dies as well.
    referee.arrange("dying", "001")
    referee.arrange("lost", "attempt-001-1")
    second = dispatch(referee)
    assert second.conclusions()["Plan"] == "success", second.told()
    assert second.conclusions()[NOP_ALONE] == "failure"
    assert "Commit" not in second.conclusions()

    # What failed is run again, and succeeds; but the artifact is lost on GitHub's side, which is no lost machine.
    referee.arrange("dying")
    referee.arrange("lost")
    referee.arrange("dropped", "attempt-001-2")
    again = referee.rerun_failed(second)
    assert again.conclusions()[NOP_ALONE] == "success", again.told()
    assert again.conclusions()["Collect"] == "failure"
    assert "001" in again.leg("collect").log and "artifact" in again.leg("collect").log
    assert "Commit" not in again.conclusions()

    # It is there after all: collecting once more is enough.
    referee.arrange("dropped")
    referee.restore(again, "attempt-001-2", 2)
    last = referee.rerun_failed(again)
    assert last.conclusions() == dict.fromkeys(LADDER, "success"), last.told()
    whole = referee.checkout("after-last", BRANCH)
    assert runs(whole) == ["newcomer", "newcomer", "newcomer", "nop", "oracle"]
    (pull,) = referee.platform.pulls()
    assert pull["state"] == "open"
    assert "left nothing" not in pull["body"]
    assert "| rank | `small` | `newcomer` on the board of `repository` | – | 1 |" in pull["body"]

    # Every run is signed by that job, and a third run of the workflow finds nothing to do.
    verified = program(referee, whole, "verify", "--trust", str(referee.policy), "--json")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert json.loads(verified.stdout)["unsigned"] == []
    third = dispatch(referee)
    assert third.conclusions() == {"Plan": "success"}, third.told()
    assert set(referee.platform.bare.branches()) == {"main", BRANCH}

    # A person merges it, and what follows is derived on main, by nobody else.
    assert referee.platform.names("leaderboards") == []
    assert referee.platform.merge(pull["number"]) is not None
    derived = referee.run("recompute.yml", "push")
    assert derived.ok, derived.told()
    main = referee.checkout("main-after")
    assert list((main.root / "leaderboards").rglob("*.yaml"))
    for words in (("recompute", "--check"), ("check",), ("verify", "--trust", str(referee.policy))):
        done = program(referee, main, *words)
        assert done.returncode == 0, done.stdout + done.stderr
    built = referee.run("site.yml")
    assert built.conclusions() == {"Build": "success", "Deploy": "success"}, built.told()
