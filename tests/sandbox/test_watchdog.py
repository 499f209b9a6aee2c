"""Where no control group can be made, the watchdog contains and names the same things."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from argusic.sandbox.bubblewrap import Bubblewrap, life
from argusic.sandbox.bubblewrap.starting import Machine, start
from argusic.sandbox.protocol import Limits, Sandbox, SandboxSpec
from argusic.sandbox.watchdog import Watchdog, Watched

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


def test_memory_in_files_without_a_name_counts(begin: Begin) -> None:
    box = begin(Limits(memory_mb=150))
    fill = "for _ in range(30): os.write(f, bytes(10_000_000)); time.sleep(0.05)"
    hog = f"import os, time; f = os.memfd_create('x')\n{fill}\ntime.sleep(20)"
    completed = box.run(["python3", "-c", hog], timeout=30)
    assert completed.exit_status == 137 and not completed.timed_out
    assert "memory" in limits_hit(box)


def wait_for_end(box: Sandbox, seconds: float = 20) -> str | None:
    deadline = time.monotonic() + seconds
    while (ending := box.ended()) is None and time.monotonic() < deadline:
        time.sleep(0.05)
    return ending.how if ending else None


#: Starves the first process with all that the kernel grants, where nothing refuses the calls for it.
STARVE = """
import os
os.close(1); os.close(2)
try: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0))
except OSError: pass
for _ in range(200):
    if not os.fork():
        os.setsid()
        while True: pass
"""


def test_without_a_filter_a_starved_first_process_is_noticed_and_everything_dies(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(life, "call_filter", lambda: None)
    box = begin(Limits())
    process = box.spawn(["python3", "-c", STARVE])
    # Where no control group shares out the processors, whoever looks competes with 200 that spin.
    assert wait_for_end(box, 200) == "sandbox_destroyed"
    began = time.monotonic()
    box.destroy()
    assert time.monotonic() - began < 20
    process.close()


#: Holds 120 MB in files without a name that are only on their way from one socket to another.
IN_FLIGHT = """
import array, os, socket, time
kept = []
for n in range(6):
    f = os.open("x", os.O_RDWR | os.O_CREAT)
    os.unlink("x")
    for _ in range(20): os.write(f, bytes(1_000_000))
    pair = socket.socketpair()
    pair[0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [f]))])
    kept.append(pair)
    os.close(f)
print("held", flush=True)
time.sleep(60)
"""


def test_a_full_host_disk_is_laid_at_the_door_of_whoever_filled_it(
    without_groups: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One after the other: they share the disk whose free space tells.
    for filler, how in ((IN_FLIGHT, "disk_limit"), ("import time; time.sleep(60)", "host_disk_full")):
        with monkeypatch.context() as changed:
            assert end_of(filler, without_groups, changed) == how


def end_of(filler: str, machine: Machine, changed: pytest.MonkeyPatch) -> str | None:
    # On a disk in memory, which nobody else fills meanwhile.
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        Path(folder).chmod(0o755)
        spec = SandboxSpec(f"filled-{os.getpid()}", Path(folder), Limits(disk_mb=60), network=False)
        box = start(machine, spec)
        try:
            process = box.spawn(["python3", "-c", filler])
            time.sleep(3)
            assert box.ended() is None
            changed.setattr("argusic.sandbox.watchdog._FREE_BYTES", 1 << 60)
            ending = wait_for_end(box)
            process.close()
            return ending
        finally:
            box.destroy()


def test_the_watchdog_ends_with_what_it_watches(tmp_path: Path) -> None:
    watched = Watched(tmp_path, os.getpid(), grouped=True, measure=lambda enough: 0)
    watchdog = Watchdog(Limits(), watched, end=lambda cause: None)
    watchdog.start()
    watchdog.stop()
    assert (watchdog.seen.memory, watchdog.seen.processes, watchdog.seen.disk) == (0, 0, 0)
