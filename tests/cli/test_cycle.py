"""`argusic cycle`: planned, run, refused to a second runner, stopped, and closed for good."""

from __future__ import annotations

import contextlib
import json
import signal
import time
from collections.abc import Callable

import psutil
import pytest

from argusic.database.database import Database
from tests.program import argusic, started

pytestmark = pytest.mark.sandbox

Make = Callable[..., Database]

#: These tests are about other things than signatures.
UNSIGNED = ("--sign", "none", "--json")
CONTROLS = {"standard_agent": None, "board_agents": (), "controls": ("oracle", "nop")}


def wait_for_an_attempt(database: Database) -> None:
    """Wait until an attempt has a recording, which is when its agent works."""
    deadline = time.monotonic() + 60
    while not list(database.work.glob("*/evidence/recording.cast")):
        assert time.monotonic() < deadline, "no attempt began"
        time.sleep(0.02)


@pytest.fixture
def slow(small_database: Make) -> Database:
    """Return a database whose only attempt takes a minute."""
    database = small_database(standard_agent=None, board_agents=(), controls=("oracle",))
    path = database.root / "pool/subjects/repository/g/greeter.yaml"
    path.write_text(path.read_text().replace("test -f subject/greet.py", "sleep 60"))
    return database


def test_a_plan_says_what_is_owed_and_under_which_limits(small_database: Make) -> None:
    database = small_database()
    done = argusic(database, "cycle", "plan", "small", "--json")
    rows = json.loads(done.stdout)["include"]
    assert [(row["agent"], row["purpose"], row["attempts"]) for row in rows] == [
        ("newcomer", "board", 3),
        ("oracle", "control", 1),
        ("nop", "control", 1),
    ]
    assert {(row["tier"], row["budget_minutes"], row["sandbox"]) for row in rows} == {("standard", 90, "bubblewrap")}


def test_a_cycle_that_was_run_owes_nothing_and_runs_nothing_more(small_database: Make) -> None:
    database = small_database(**CONTROLS)
    first = json.loads(argusic(database, "cycle", "run", "small", "--json").stdout)
    assert [(run["agent"], run["total"]) for run in first["runs"]] == [("oracle", 100.0), ("nop", 0.0)]
    second = argusic(database, "cycle", "run", "small", "--json")
    assert (second.returncode, json.loads(second.stdout)["runs"]) == (0, [])
    assert json.loads(argusic(database, "cycle", "plan", "small", "--json").stdout)["include"] == []


def test_only_what_was_asked_for_is_run(small_database: Make) -> None:
    database = small_database(**CONTROLS)
    done = json.loads(argusic(database, "cycle", "run", "small", "--agent", "nop", "--json").stdout)
    assert [run["agent"] for run in done["runs"]] == ["nop"]


def test_a_second_runner_is_refused_with_a_sentence(slow: Database) -> None:
    first = started(slow, "cycle", "run", "small")
    try:
        wait_for_an_attempt(slow)
        second = argusic(slow, "cycle", "run", "small")
        assert second.returncode == 2
        assert second.stderr.strip() == f"argusic: cycle small is being run by another process ({first.pid})."
    finally:
        first.send_signal(signal.SIGTERM)
        first.communicate(timeout=60)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_attempt_as_cancelled_and_it_is_owed_again(slow: Database, number: signal.Signals) -> None:
    # Whoever runs the tests may be deaf to a signal, as under nohup, and what it starts is deaf to it as well.
    before = signal.signal(number, signal.SIG_DFL) if signal.getsignal(number) is signal.SIG_IGN else None
    process = started(slow, "cycle", "run", "small")
    if before is not None:
        signal.signal(number, before)
    wait_for_an_attempt(slow)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "Traceback" not in said
    (stored,) = slow.runs("small")
    assert (stored.run.ending.how, [path for path in slow.work.iterdir() if path.is_dir()]) == ("cancelled", [])
    assert json.loads(argusic(slow, "cycle", "plan", "small", "--json").stdout)["include"][0]["attempts"] == 1


@pytest.mark.parametrize("words", [("cycle", "stop"), ("cycle", "stop", "--emergency")])
def test_stop_ends_what_runs_and_leaves_it_invalid(slow: Database, words: tuple[str, ...]) -> None:
    process = started(slow, "cycle", "run", "small")
    wait_for_an_attempt(slow)
    stopped = json.loads(argusic(slow, *words, "--json").stdout)["stopped"]
    process.communicate(timeout=60)
    (stored,) = slow.runs("small")
    assert (stopped, stored.run.ending.how) == ([stored.run.run], "cancelled")
    assert [path for path in slow.work.iterdir() if path.is_dir()] == []


def test_stop_says_so_when_nothing_runs(small_database: Make) -> None:
    done = argusic(small_database(), "cycle", "stop")
    assert (done.returncode, done.stdout.strip()) == (0, "No attempt was running.")


def test_a_cycle_closes_only_when_nothing_is_owed_and_is_frozen_then(small_database: Make) -> None:
    database = small_database(**CONTROLS)
    early = argusic(database, "cycle", "close", "small", "--by", "a maintainer")
    assert (early.returncode, "still owes 2 runs" in early.stderr) == (1, True)
    argusic(database, "cycle", "run", "small")
    closed = argusic(database, "cycle", "close", "small", "--by", "a maintainer", *UNSIGNED)
    assert (closed.returncode, json.loads(closed.stdout)["runs"]) == (0, 2)
    for words in (("cycle", "run", "small"), ("attempt", "small", "repository/greeter", "nop")):
        again = argusic(database, *words)
        assert (words, again.returncode, "cycle small is closed" in again.stderr) == (words, 2, True)
    assert argusic(database, "check").returncode == 0
    assert argusic(database, "recompute", "--check").returncode == 0


def test_a_cycle_does_not_close_under_a_running_attempt(slow: Database) -> None:
    process = started(slow, "attempt", "small", "repository/greeter", "oracle")
    wait_for_an_attempt(slow)
    early = argusic(slow, "cycle", "close", "small", "--by", "a maintainer", "--incomplete", *UNSIGNED)
    assert (early.returncode, "of cycle small is not over" in early.stderr) == (1, True), early.stderr
    assert argusic(slow, "cycle", "stop").returncode == 0
    process.communicate(timeout=60)
    closed = argusic(slow, "cycle", "close", "small", "--by", "a maintainer", "--incomplete", *UNSIGNED)
    assert json.loads(closed.stdout)["runs"] == 1
    assert json.loads(argusic(slow, "cycle", "plan", "small", "--json").stdout)["include"] == []
    for words in (("check",), ("recompute", "--check")):
        assert argusic(slow, *words).returncode == 0


def test_what_a_dead_attempt_left_is_recorded_before_its_cycle_closes(slow: Database) -> None:
    process = started(slow, "attempt", "small", "repository/greeter", "oracle")
    wait_for_an_attempt(slow)
    process.kill()
    process.communicate(timeout=60)
    closed = argusic(slow, "cycle", "close", "small", "--by", "a maintainer", "--incomplete", *UNSIGNED)
    assert json.loads(closed.stdout)["runs"] == 1
    assert [stored.run.ending.how for stored in slow.runs("small")] == ["interrupted"]
    assert argusic(slow, "check").returncode == 0


def test_a_cycle_outside_of_its_window_is_refused(small_database: Make) -> None:
    database = small_database(**CONTROLS)
    path = database.root / "pool/cycles/small.yaml"
    path.write_text(path.read_text().replace("2100-01-01", "2026-01-02"))
    done = argusic(database, "cycle", "run", "small")
    assert (done.returncode, "cycle small runs from" in done.stderr) == (2, True)


def test_an_attempt_whose_run_is_invalid_says_so_by_its_exit_status(slow: Database) -> None:
    process = started(slow, "attempt", "small", "repository/greeter", "oracle", "--json")
    wait_for_an_attempt(slow)
    for child in psutil.Process(process.pid).children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            child.kill()
    out, err = process.communicate(timeout=60)
    assert json.loads(out)["outcome"] == "invalid", (out, err)
    assert process.returncode == 1
