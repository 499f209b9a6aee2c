"""Where no control group can be made, the watchdog contains and names the same things."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from argusic.sandbox.bubblewrap import Bubblewrap
from argusic.sandbox.bubblewrap.starting import Machine, start
from argusic.sandbox.protocol import Limits, Sandbox, SandboxSpec
from argusic.sandbox.watchdog import Watchdog

pytestmark = pytest.mark.sandbox
Begin = Callable[[Limits], Sandbox]


@pytest.fixture(scope="module")
def without_groups() -> Machine:
    machine = Bubblewrap().machine
    assert isinstance(machine, Machine)
    return replace(machine, hierarchies=None)


@pytest.fixture
def begin(without_groups: Machine, tmp_path: Path) -> Iterator[Begin]:
    started: list[Sandbox] = []

    def one(limits: Limits) -> Sandbox:
        spec = SandboxSpec(f"watched-{os.getpid()}-{len(started)}", tmp_path, limits, network=False)
        started.append(start(without_groups, spec))
        return started[-1]

    yield one
    for sandbox in started:
        sandbox.destroy()


def limits_hit(box: Sandbox) -> set[str]:
    return {hit.limit for hit in box.limits_hit()}


def test_the_facts_name_the_weaker_guard(begin: Begin) -> None:
    assert begin(Limits()).facts.limits_by == "watchdog"


def test_a_memory_hog_is_killed_and_named(begin: Begin) -> None:
    box = begin(Limits(memory_mb=200))
    completed = box.run(["python3", "-c", "x = []\nwhile True: x.append(bytearray(10_000_000))"], timeout=30)
    assert completed.exit_status != 0 and not completed.timed_out
    assert "memory" in limits_hit(box)
    assert box.run(["echo", "alive"]).output == b"alive\n"


def test_memory_is_what_all_processes_take_together(begin: Begin) -> None:
    box = begin(Limits(memory_mb=200))
    hog = "if not os.fork(): x = bytearray(60_000_000); time.sleep(30); os._exit(0)"
    process = box.spawn(["python3", "-c", f"import os, time\nfor _ in range(5):\n {hog}\ntime.sleep(1)"])
    process.wait(10)
    assert "memory" in limits_hit(box)
    left = box.run(["sh", "-c", "ps ax -o rss= | awk '{ s += $1 } END { print s }'"])
    assert int(left.output) < 220_000
    process.close()


def test_a_fork_bomb_is_contained_and_named(begin: Begin) -> None:
    box = begin(Limits(processes=40))
    bomb = "import os, time\nwhile True:\n try: os.fork()\n except OSError: time.sleep(0.01)"
    process = box.spawn(["python3", "-c", bomb])
    time.sleep(1.5)
    assert "processes" in limits_hit(box)
    box.destroy()
    process.close()


def test_a_disk_filler_ends_the_sandbox(begin: Begin) -> None:
    box = begin(Limits(disk_mb=20))
    process = box.spawn(["sh", "-c", "n=0; while head -c 2000000 /dev/zero > $n; do n=$((n+1)); done"])
    deadline = time.monotonic() + 20
    while box.ended() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    ending = box.ended()
    assert ending is not None and ending.how == "disk_limit"
    process.close()


def test_the_watchdog_ends_with_what_it_watches(tmp_path: Path) -> None:
    watchdog = Watchdog(Limits(), tmp_path, os.getpid(), grouped=True, end=lambda ending: None)
    watchdog.start()
    watchdog.stop()
    assert (watchdog.seen.memory, watchdog.seen.processes, watchdog.seen.disk) == (0, 0, 0)
