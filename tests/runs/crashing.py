"""The small cycle in processes of its own that can be killed, and what has to be true of it when it is finished."""

from __future__ import annotations

import os
import random
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import psutil

from argusic.database.atomic import TEMPORARY_PREFIX
from argusic.database.database import Database
from argusic.database.paths import agent_path, subject_path
from argusic.evidence.layout import MANIFEST_NAME
from argusic.evidence.store import FolderStore
from argusic.evidence.verify import verify_run
from argusic.records.agent import Agent
from argusic.rules.scored import scored
from tests.program import argusic, variables_of, words_of

Make = Callable[..., Database]

#: An agent that plays the known solution. Its attempts are as whole as any, and take no environment of Python to make.
PLAYER = Agent(agent="player", title="Player", role="agent", program="none", implementation="oracle")


def played(make: Make, seconds: float = 0) -> Make:
    """Return a maker of the small cycle with the player as its agent, who takes at least so long for an attempt."""

    def made(name: str = "referee", **fields: object) -> Database:
        database = make(name, **{"standard_agent": PLAYER.agent, "board_agents": (PLAYER.agent,), **fields})
        database.write(agent_path(PLAYER.agent), PLAYER)
        path = database.root / subject_path("repository", "greeter")
        path.write_text(path.read_text().replace("test -f", f"sleep {seconds} && test -f"))
        return database

    return made


def expected(database: Database) -> dict[tuple[str, str], Counter[str]]:
    """Return the valid outcomes of each pair of the small cycle."""
    wanted = {"oracle": Counter(pass_full=1), "nop": Counter(fail=1)}
    wanted |= {agent: Counter(pass_full=3) for agent in database.cycle("small").board_agents}
    return {("repository/greeter", agent): outcome for agent, outcome in wanted.items()}


def command(database: Database) -> list[str]:
    return words_of(database, "cycle", "run", "small", "--json")


def run_to_the_end(database: Database) -> None:
    done = argusic(database, "cycle", "run", "small", "--json")
    assert done.returncode == 0, done.stderr


def killed_at_random_moments(make: Make, times: int, seed: int, longest: float = 4.0, **others: str) -> Database:
    """Run small cycles that are killed so many times, and return the last, finished; each ends as expected.

    Args:
        make: Makes a database with the cycle.
        times: How many times.
        seed: What the moments follow from.
        longest: How long a cycle that is killed may run, in seconds.
        others: Environment variables.
    """
    moments = random.Random(seed)
    database, kills, cycles = make(), 0, 0
    while True:
        process = subprocess.Popen(command(database), env=variables_of(database, **others), stdout=subprocess.DEVNULL)
        try:
            process.wait(timeout=moments.uniform(0.2, longest) if kills < times else 300)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            assert kills < times, "a cycle that nothing killed did not end"
            kills += 1
            continue
        assert process.returncode == 0
        assert outcomes(database) == expected(database)
        if kills == times:
            return database
        cycles += 1
        database = make(f"referee-{cycles}")


def outcomes(database: Database) -> dict[tuple[str, str], Counter[str]]:
    """Return the valid outcomes of each pair."""
    edition, _ = database.edition("v1.5")
    found: dict[tuple[str, str], Counter[str]] = {}
    for stored in database.runs("small"):
        run = scored(stored.run, edition)
        if run.valid:
            found.setdefault((run.subject, run.agent), Counter())[run.outcome] += 1
    return found


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
    # Groups of other tests come and go meanwhile, which this way of walking bears.
    groups = [f"{folder}/{name}" for folder, inside, _ in os.walk("/sys/fs/cgroup") for name in inside if name in names]
    assert groups == []
