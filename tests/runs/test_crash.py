"""Killed at any moment and started again, a cycle ends as if nothing had happened."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from argusic.database.atomic import TEMPORARY_PREFIX
from argusic.database.database import Database
from argusic.database.faults import FAULT_POINTS, FAULT_VARIABLE
from argusic.evidence.layout import MANIFEST_NAME
from argusic.evidence.store import FolderStore
from argusic.evidence.verify import verify_run
from argusic.rules.scored import scored

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(600)]

Make = Callable[..., Database]


def command(database: Database) -> list[str]:
    return [sys.executable, "-m", "argusic", "--repo", str(database.root), "cycle", "run", "small", "--json"]


def environment(database: Database, fault: str | None = None) -> dict[str, str]:
    variables = {**os.environ, "ARGUSIC_CACHE": str(database.cache_folder)}
    return variables | {FAULT_VARIABLE: fault} if fault else variables


def run_to_the_end(database: Database) -> None:
    done = subprocess.run(command(database), env=environment(database), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def outcomes(database: Database) -> dict[tuple[str, str], Counter[str]]:
    """Return the valid outcomes of each pair."""
    edition, _ = database.edition("v1.5")
    found: dict[tuple[str, str], Counter[str]] = {}
    for stored in database.runs("small"):
        run = scored(stored.run, edition)
        if run.valid:
            found.setdefault((run.subject, run.agent), Counter())[run.outcome] += 1
    return found


EXPECTED = {
    ("repository/greeter", "newcomer"): Counter(pass_full=3),
    ("repository/greeter", "oracle"): Counter(pass_full=1),
    ("repository/greeter", "nop"): Counter(fail=1),
}


def assert_nothing_is_left(database: Database) -> None:
    """No half-written file, no unfinished run, no process, mount or cgroup of any attempt."""
    everything = list(database.root.rglob("*"))
    assert [path for path in everything if path.name.startswith(TEMPORARY_PREFIX)] == []
    assert [path for path in database.work.iterdir() if path.is_dir()] == []
    for stored in database.runs("small"):
        folder = database.root / stored.folder
        assert (folder / MANIFEST_NAME).is_file()
        assert verify_run(folder, FolderStore(database.store_folder)) == []
    names = {stored.run.run for stored in database.runs("small")}
    marks = {str(database.root), *names}
    for process in psutil.process_iter(["cmdline"]):
        line = " ".join(process.info["cmdline"] or ())
        assert process.pid == os.getpid() or not any(mark in line for mark in marks), line
    mounts = Path("/proc/self/mountinfo").read_text()
    assert not any(mark in mounts for mark in marks)
    groups = [path for path in Path("/sys/fs/cgroup").rglob("*") if path.is_dir() and path.name in names]
    assert groups == []


def test_an_undisturbed_cycle_ends_as_expected_and_leaves_nothing(small_database: Make) -> None:
    database = small_database()
    run_to_the_end(database)
    assert outcomes(database) == EXPECTED
    assert_nothing_is_left(database)


def test_killed_at_each_fault_point_a_cycle_still_ends_the_same(small_database: Make) -> None:
    database = small_database()
    for fault in FAULT_POINTS:
        done = subprocess.run(command(database), env=environment(database, fault), capture_output=True, timeout=300)
        assert done.returncode in (-signal.SIGKILL, 0), (fault, done.stderr)
    run_to_the_end(database)
    assert outcomes(database) == EXPECTED
    assert_nothing_is_left(database)


@pytest.mark.parametrize("fault", FAULT_POINTS)
def test_every_fault_point_is_passed_by_a_cycle(small_database: Make, fault: str) -> None:
    database = small_database(standard_agent=None, board_agents=(), controls=("nop",))
    done = subprocess.run(command(database), env=environment(database, fault), capture_output=True, timeout=300)
    assert done.returncode == -signal.SIGKILL, f"{fault} was not passed"
    run_to_the_end(database)
    assert outcomes(database) == {("repository/greeter", "nop"): Counter(fail=1)}
    assert_nothing_is_left(database)


def test_killed_at_twenty_random_moments_a_cycle_still_ends_the_same(small_database: Make) -> None:
    moments = random.Random(20261130)
    database = small_database()
    kills = 0
    cycles = 0
    while kills < 20:
        process = subprocess.Popen(
            command(database), env=environment(database), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            process.wait(timeout=moments.uniform(0.2, 4.0))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
            continue
        assert process.returncode == 0
        assert outcomes(database) == EXPECTED
        cycles += 1
        database = small_database(f"referee-{cycles}")
    run_to_the_end(database)
    assert outcomes(database) == EXPECTED
    time.sleep(0.5)
    assert_nothing_is_left(database)
