"""What attempts cost side by side, beside the same attempts in turn in the same run: in processor time."""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable

import pytest

from argusic.database.database import Database
from argusic.sandbox.docker.provider import IMAGE_VARIABLE
from tests.docker_image import a_small_image
from tests.performance.times import machines_seconds

pytestmark = [pytest.mark.performance, pytest.mark.sandbox, pytest.mark.timeout(900)]

#: Times the processor time of four attempts in turn that four at once may take.
LIMIT = 1.3
#: How often both are measured at most. What else the machine does only ever adds to a time.
MOST_ROUNDS = 4
_PR_SET_CHILD_SUBREAPER = 36


def processor_seconds(database: Database, at_once: int) -> float:
    """Run what the cycle owes; return the processor time of everything that took part."""
    # What outlives the command for a moment comes to this process, which waits for it: its time counts as well.
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "argusic", "--repo", str(database.root), "cycle", "run", "small"]
    subprocess.run(
        [*command, "--agent=newcomer", "--agent=oracle", f"--parallel={at_once}", "--json"],
        env={**os.environ, "ARGUSIC_CACHE": str(database.cache_folder)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            break
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.docker
def test_four_attempts_at_once_in_docker_take_little_more_processor_time_than_in_turn(
    small_database: Callable[..., Database], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(IMAGE_VARIABLE, a_small_image())

    def seconds(database: Database, at_once: int) -> float:
        before = machines_seconds()
        processor_seconds(database, at_once)
        return machines_seconds() - before

    database = small_database(sandbox="docker")
    seconds(database, 1)  # The image is made ready, and everything is in memory.
    compare(database, seconds, "four attempts in Docker", capsys)


def test_four_attempts_at_once_take_little_more_processor_time_than_in_turn(
    small_database: Callable[..., Database], capsys: pytest.CaptureFixture[str]
) -> None:
    compare(small_database(), processor_seconds, "four attempts", capsys)


def compare(
    database: Database, seconds: Callable[[Database, int], float], what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Measure what the cycle owes in turn and at once, until that is within the limit or has been tried enough."""
    taken: dict[int, list[float]] = {1: [], 4: []}
    runs = database.root / "runs"
    for _ in range(MOST_ROUNDS):
        if taken[4] and min(taken[4]) <= LIMIT * min(taken[1]):
            break
        for at_once, found in taken.items():
            shutil.rmtree(runs, ignore_errors=True)
            runs.mkdir()
            found.append(seconds(database, at_once))
            assert len(list(database.runs("small"))) == 4
    in_turn, beside = min(taken[1]), min(taken[4])
    with capsys.disabled():
        print(
            f"\n{what}: {in_turn:.1f} s of processor time in turn, {beside:.1f} s at once, "
            f"{beside / in_turn:.2f} times, limit {LIMIT}"
        )
    assert beside <= LIMIT * in_turn
