"""The folders of attempts in progress: seen by many at once, and never taken for what they are not."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from argusic.database.database import Database
from argusic.runs.stop import stop
from argusic.runs.work import abandoned, begin, running

RUN = "20261130T014500Z-kax7q2"


def dead_attempt(work: Path) -> Path:
    """Leave the folder of an attempt whose process was some other program's by now."""
    with begin(work, RUN):
        pass
    return work / RUN


def test_whoever_looks_never_disturbs_an_attempt_that_begins_or_ends(tmp_path: Path) -> None:
    over = threading.Event()

    def look() -> int:
        taken_for_dead = 0
        while not over.is_set():
            running(tmp_path)
            with abandoned(tmp_path) as works:
                taken_for_dead += len(list(works))
        return taken_for_dead

    with ThreadPoolExecutor(3) as together:
        lookers = [together.submit(look) for _ in range(3)]
        try:
            for number in range(200):
                with begin(tmp_path, f"attempt-{number}") as work:
                    work.remove()
        finally:
            over.set()
        assert [looker.result() for looker in lookers] == [0, 0, 0]
    assert [path.name for path in tmp_path.iterdir()] == [".gate"]


def test_the_process_of_a_dead_attempt_that_is_being_recorded_is_sent_no_signal(tmp_path: Path) -> None:
    dead_attempt(tmp_path)
    with abandoned(tmp_path) as works:
        next(works)
        assert running(tmp_path) == []


def test_a_runner_between_two_attempts_is_stopped_as_well(tmp_path: Path) -> None:
    for folder in ("pool", "rules", "runs"):
        (tmp_path / folder).mkdir()
    database = Database(tmp_path)
    runner = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, time\nfrom pathlib import Path\nfrom argusic.database.database import Database\n"
            "from argusic.runs.cycle import _alone\n"
            "with _alone(Database(Path(sys.argv[1])), 'small'):\n    print('holds', flush=True)\n    time.sleep(60)",
            str(tmp_path),
        ],
        stdout=subprocess.PIPE,
    )
    try:
        assert runner.stdout is not None and runner.stdout.readline() == b"holds\n"
        assert stop(database, {}, emergency=True) == []
        assert runner.wait(timeout=10) == -9
    finally:
        runner.kill()
        runner.communicate()
