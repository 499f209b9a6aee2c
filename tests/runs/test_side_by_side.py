"""Several attempts of a cycle at once: the same outcomes, and nothing runs on when something dies."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest

from argusic.database.database import Database
from argusic.records.cycle import Conditions
from argusic.runs.room import MOST_AT_ONCE, room
from tests import program
from tests.runs.crashing import PLAYER, Make, assert_nothing_is_left, expected, outcomes, played, run_to_the_end

WORDS = ("cycle", "run", "small", "--json")


@contextmanager
def started(database: Database, *options: str) -> Iterator[subprocess.Popen[str]]:
    """A cycle that runs three attempts at once; killed at the end if it still runs."""
    process = program.started(database, *WORDS, "--parallel", "3", *options)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def at_work(process: subprocess.Popen[str], database: Database, number: int) -> list[psutil.Process]:
    """Wait until `number` attempts run, each in a sandbox; return their processes."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        locks = [path for path in database.work.glob("*/lock") if (path.parent / "sandbox").is_dir()]
        busy = [int(path.read_text() or 0) for path in locks]
        alive = [psutil.Process(pid) for pid in busy if pid and pid != process.pid and psutil.pid_exists(pid)]
        if len(alive) >= number:
            return alive
        time.sleep(0.02)
    raise AssertionError(f"{number} attempts never ran at once: {process.poll()}")


def begun_by(process: subprocess.Popen[str], database: Database, agent: str) -> psutil.Process:
    """Wait until an attempt of `agent` begins, and return its process."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        for intent in database.work.glob("*/intent.yaml"):
            lock = (intent.parent / "lock").read_text()
            if f"agent: {agent}\n" in intent.read_text() and lock.strip().isdigit():
                return psutil.Process(int(lock))
        time.sleep(0.01)
    raise AssertionError(f"{agent} never began: {process.poll()}")


@pytest.mark.sandbox
@pytest.mark.timeout(300)
def test_attempts_at_once_end_as_they_do_in_turn(small_database: Make) -> None:
    database = played(small_database, seconds=2)()
    with started(database) as process:
        at_work(process, database, 2)
        out, err = process.communicate(timeout=240)
    assert process.returncode == 0, (out, err)
    assert outcomes(database) == expected(database)
    assert len(list(database.runs("small"))) == 5
    assert_nothing_is_left(database)


@pytest.mark.endurance
@pytest.mark.sandbox
@pytest.mark.timeout(300)
def test_an_attempt_whose_process_dies_is_recorded_and_made_again(small_database: Make) -> None:
    database = played(small_database, seconds=2)()
    with started(database) as process:
        begun_by(process, database, PLAYER.agent).kill()
        out, err = process.communicate(timeout=240)
    assert process.returncode == 0, (out, err)
    assert outcomes(database) == expected(database)
    endings = sorted(stored.run.ending.how for stored in database.runs("small"))
    assert endings == ["completed"] * 5 + ["interrupted"]
    assert_nothing_is_left(database)


@pytest.mark.endurance
@pytest.mark.sandbox
@pytest.mark.timeout(300)
def test_attempts_die_with_the_process_that_ordered_them(small_database: Make) -> None:
    database = played(small_database, seconds=2)()
    with started(database) as process:
        workers = at_work(process, database, 2)
        process.kill()
        _, alive = psutil.wait_procs(workers, timeout=10)
    assert alive == []
    run_to_the_end(database)
    assert outcomes(database) == expected(database)
    assert_nothing_is_left(database)


@pytest.mark.endurance
@pytest.mark.sandbox
@pytest.mark.timeout(300)
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_every_attempt_and_each_is_recorded(small_database: Make, how: signal.Signals) -> None:
    database = played(small_database, seconds=2)()
    with started(database) as process:
        at_work(process, database, 2)
        process.send_signal(how)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, (out, err)
    assert "Traceback" not in err
    run_to_the_end(database)
    assert outcomes(database) == expected(database)
    assert_nothing_is_left(database)


@pytest.mark.parametrize("number", ["0", "-1", "two", "65", "1.5", "９", "99999999999999999999"])
def test_a_number_that_is_none_is_refused(small_database: Make, number: str) -> None:
    database = small_database()
    done = program.argusic(database, *WORDS, f"--parallel={number}")
    assert done.returncode == 2
    assert f"--parallel is a number from 1 to {MOST_AT_ONCE}, or auto, not " in done.stderr
    assert "Traceback" not in done.stderr


def test_room_is_what_processors_and_memory_hold_and_at_least_one() -> None:
    cpus, memory_mb = os.cpu_count() or 1, psutil.virtual_memory().total // 2**20
    assert room(Conditions(cpus=cpus, memory_mb=1)) == 1
    assert room(Conditions(cpus=100_000, memory_mb=1)) == 1
    assert room(Conditions(cpus=0.001, memory_mb=memory_mb // 2)) == 2
    assert room(Conditions(cpus=0.001, memory_mb=1)) == min(MOST_AT_ONCE, cpus * 1000)
