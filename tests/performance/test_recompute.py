"""What recomputing ten thousand runs costs, as ratios within one run on one machine.

All in processor time, children's included, so that whatever else the machine does changes little. Recomputing is
measured as the function in a program that is loaded, as the C loader is; git is measured as the command. Loading
the program costs the same at any number of runs, and is not what these ratios are about.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
import yaml

from argusic.database.database import Database
from argusic.referee.recompute import recompute
from tests.made_database import Size, commit, make_database, make_run, write
from tests.performance.times import Work, compared

pytestmark = [pytest.mark.performance, pytest.mark.timeout(600)]

SMALL = Size(cycles=5, subjects=10)
LARGE = Size(cycles=5, subjects=100)

#: Recomputes from nothing and prints the most memory that the process ever held, in KiB.
_MEMORY = """
import resource, sys
from pathlib import Path
from argusic.database.database import Database
from argusic.referee.recompute import recompute
recompute(Database(Path(sys.argv[1])))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Database:
    return _made(tmp_path_factory.mktemp("small") / "database", SMALL, 1_000)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Database:
    return _made(tmp_path_factory.mktemp("large") / "database", LARGE, 10_000)


def _made(root: Path, size: Size, runs: int) -> Database:
    assert size.runs == runs
    database = make_database(root, size)
    (root / ".gitignore").write_text(".argusic/\n")
    commit(root)
    return database


def _forget(database: Database) -> None:
    for folder in (".argusic", "leaderboards"):
        shutil.rmtree(database.root / folder, ignore_errors=True)


def _cold(database: Database) -> Work:
    return Work(lambda: recompute(Database(database.root)), before=lambda: _forget(database))


def _load_alone(database: Database) -> None:
    """Read the same files with nothing but libyaml's C loader."""
    for path in database.root.glob("runs/*/*/*/*/*/*/run.yaml"):
        yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader)


def _say(what: str, ratio: float, most: float, *times: float) -> None:
    shown = ", ".join(f"{seconds * 1000:.0f} ms" for seconds in times)
    print(f"{what}: {ratio:.2f} (at most {most:g}; {shown})")


def test_a_cold_recompute_takes_at_most_three_times_the_c_loader_alone(large: Database) -> None:
    reading = Work(lambda: _load_alone(large))
    cold, loading = compared(_cold(large), reading, limit=3, rounds=2, most_rounds=8)
    _say("cold recompute / C loader", cold / loading, 3, cold, loading)
    assert cold <= 3 * loading


def test_after_one_new_run_it_takes_at_most_three_times_git_status(large: Database) -> None:
    recompute(large)
    cycle = large.cycles()[0]
    chance = random.Random(5)

    def one_more() -> None:
        started = cycle.opens + timedelta(days=20, seconds=chance.randrange(80_000))
        write(large.root, make_run(cycle, cycle.subjects[0].subject, "first", started, chance))

    def again() -> None:
        assert recompute(Database(large.root)).written

    def status() -> None:
        subprocess.run(["git", "status", "--porcelain"], cwd=large.root, check=True, capture_output=True)

    status()
    renewed, asking = compared(Work(again, before=one_more), Work(status), limit=3, rounds=9, most_rounds=40)
    _say("recompute after one run / git status", renewed / asking, 3, renewed, asking)
    assert renewed <= 3 * asking


def test_ten_times_the_runs_take_at_most_twelve_times_as_long(small: Database, large: Database) -> None:
    many, few = compared(_cold(large), _cold(small), limit=12, rounds=2, most_rounds=8)
    _say("10,000 runs / 1,000 runs", many / few, 12, many, few)
    assert many <= 12 * few


def test_ten_thousand_runs_fit_in_a_gigabyte(large: Database) -> None:
    _forget(large)
    done = subprocess.run([sys.executable, "-c", _MEMORY, str(large.root)], check=True, capture_output=True, text=True)
    used = int(done.stdout) * 1024
    print(f"most memory held: {used / 1e6:.0f} MB (at most 1,074)")
    assert used < 2**30
