"""Fork bombs, memory hogs and disk fillers are contained, and named."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from argusic.sandbox.docker.starting import UNSEEN
from argusic.sandbox.protocol import Limits, Sandbox, SandboxGone

pytestmark = pytest.mark.sandbox
Start = Callable[..., Sandbox]

SMALL = Limits(memory_mb=256, cpus=1, processes=50, disk_mb=60)
END_SECONDS = 20.0


def wait_for_end(box: Sandbox) -> str | None:
    """Return how the sandbox ended by itself, within a while."""
    deadline = time.monotonic() + END_SECONDS
    while (ending := box.ended()) is None and time.monotonic() < deadline:
        time.sleep(0.05)
    return ending.how if ending else None


def limits_hit(box: Sandbox) -> set[str]:
    return {hit.limit for hit in box.limits_hit()}


def test_nothing_is_said_to_be_hit_where_nothing_was(start: Start) -> None:
    box = start(SMALL)
    assert box.run(["true"]).exit_status == 0
    time.sleep(0.5)
    assert box.limits_hit() == () and box.ended() is None


def test_a_fork_bomb_is_contained_and_named(start: Start, marker: str, marked: Callable[[str], list[int]]) -> None:
    box = start(SMALL)
    bomb = "import os, time\nwhile True:\n try: os.fork()\n except OSError: time.sleep(0.01)"
    process = box.spawn(["python3", "-c", bomb, marker])
    most, deadline = 0, time.monotonic() + 2
    while time.monotonic() < deadline:
        most = max(most, len(marked(marker)))
    assert most <= SMALL.processes
    assert "processes" in limits_hit(box)
    process.kill()
    assert process.wait(10) is not None
    process.close()
    box.destroy()
    assert marked(marker) == []


def test_the_report_can_be_read_while_a_fork_bomb_goes_on(start: Start) -> None:
    box = start(SMALL)
    box.run(["sh", "-c", "echo said > /root/report"])
    process = box.spawn(["bash", "-c", "bomb() { bomb | bomb & }; trap '' TERM HUP; bomb; sleep 60"])
    time.sleep(1)
    assert box.get("/root/report", max_bytes=100) == b"said\n"
    process.close()


def test_a_command_that_cannot_start_for_want_of_processes_fails_as_in_a_shell(start: Start) -> None:
    box = start(SMALL)
    fill = "import os, time\ntry:\n while True:\n  if not os.fork(): time.sleep(60)\nexcept OSError: time.sleep(60)"
    process = box.spawn(["python3", "-c", fill])
    time.sleep(1)
    if process.poll() is None:
        completed = box.run(["true"])
        assert completed.exit_status == 126 and b"cannot start another process" in completed.output
    process.kill()
    process.close()
    assert box.run(["true"]).exit_status == 0


def test_a_memory_hog_is_killed_and_named(start: Start) -> None:
    box = start(SMALL)
    hog = "x = []\nwhile True: x.append(bytearray(10_000_000))"
    completed = box.run(["python3", "-c", hog], timeout=30)
    assert completed.exit_status != 0 and not completed.timed_out
    assert "memory" in limits_hit(box)
    assert box.run(["echo", "alive"]).output == b"alive\n"
    assert box.ended() is None


@pytest.mark.parametrize("place", ["/root", "/tmp", "/etc", "/var/tmp"])
def test_a_disk_filler_ends_the_sandbox_and_is_named(start: Start, place: str) -> None:
    box = start(SMALL)
    filler = "n=0; while head -c 5000000 /dev/zero > $n; do n=$((n+1)); sleep 0.02; done"
    process = box.spawn(["sh", "-c", filler], folder=place)
    assert wait_for_end(box) == "disk_limit"
    assert limits_hit(box) == {"disk"}
    with pytest.raises(SandboxGone) as gone:
        box.run(["true"])
    assert gone.value.ending.how == "disk_limit" and gone.value.ending.detail
    process.close()


@pytest.mark.parametrize(
    "filler",
    [
        # A file without a name.
        "import os, time; f = open('x', 'wb', 0); os.unlink('x')\nfor _ in range(11): f.write(bytes(1_000_000))\n"
        "g = open('y', 'wb', 0); os.unlink('y')\nfor _ in range(11): g.write(bytes(1_000_000))\ntime.sleep(60)",
        # Below a path that is longer than the kernel takes.
        "import os, time\nfor _ in range(60): os.mkdir('d' * 200); os.chdir('d' * 200)\n"
        "for n in range(20): open(str(n), 'wb').write(bytes(5_000_000))\ntime.sleep(60)",
        # In a folder that its own owner may not look into.
        "import os, time; os.mkdir('d'); os.mkdir('d/e'); os.chmod('d', 0o300)\n"
        "for n in range(22): open(f'd/e/{n}', 'wb').write(bytes(1_000_000))\ntime.sleep(60)",
        # Entries without content.
        "import time\nfor n in range(20_000): open(str(n), 'wb')\ntime.sleep(60)",
    ],
    ids=["unlinked", "deep", "closed", "empty"],
)
def test_a_disk_filler_cannot_hide(start: Start, filler: str) -> None:
    box = start(Limits(disk_mb=15))
    if UNSEEN in box.facts.lacks:
        pytest.skip(UNSEEN)
    process = box.spawn(["python3", "-c", filler])
    assert wait_for_end(box) == "disk_limit"
    process.close()


def test_one_file_cannot_be_larger_than_the_disk(start: Start) -> None:
    box = start(SMALL)
    box.run(["sh", "-c", "truncate -s 10G sparse; head -c 1000000000 /dev/zero > large"])
    wait_for_end(box)
    box.destroy()


def test_shared_memory_and_devices_are_no_way_around(start: Start) -> None:
    box = start(SMALL)
    assert box.run(["sh", "-c", "head -c 100000000 /dev/zero > /dev/shm/x"]).exit_status != 0
    assert box.run(["sh", "-c", "echo x > /dev/x"]).exit_status != 0


def test_the_processors_are_shared_out(start: Start) -> None:
    box = start(Limits(cpus=0.4))
    if box.facts.limits_by == "watchdog":
        pytest.skip("the watchdog can only leave out whole processors")
    burn = "import time\nend = time.monotonic() + 1.5\nwhile time.monotonic() < end: pass\nprint(time.process_time())"
    assert float(box.run(["python3", "-c", burn]).output) < 0.9


#: What code inside may try in order to kill or starve the first process, so that the machine seems to be lost.
TAMPER = """
import os, resource
tries = [
    lambda: resource.prlimit(1, resource.RLIMIT_CPU, (1, 1)),
    lambda: resource.prlimit(1, resource.RLIMIT_NOFILE, (3, 3)),
    lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0)),
    lambda: os.sched_setaffinity(1, {0}),
    lambda: os.setpriority(os.PRIO_PROCESS, 1, 19),
    lambda: os.setpriority(os.PRIO_USER, 0, 19),
]
for number, one in enumerate(tries):
    try:
        one()
        print(number)
    except OSError:
        pass
"""


def test_the_first_process_can_be_neither_limited_nor_starved_from_inside(start: Start) -> None:
    box = start(SMALL)
    assert box.run(["python3", "-c", TAMPER]).output == b""
    spin = "import os\nfor _ in range(40):\n if not os.fork():\n  os.close(1); os.close(2)\n  while True: pass"
    box.run(["python3", "-c", spin])
    began = time.monotonic()
    assert box.run(["echo", "alive"]).output == b"alive\n"
    box.destroy()
    assert box.ended() is None and time.monotonic() - began < 15


def test_processes_that_end_without_end_do_not_keep_the_first_process_from_answering(start: Start) -> None:
    box = start(Limits(processes=300))
    flood = """
import os
os.close(1); os.close(2)
for _ in range(100):
    if not os.fork(): break
while True:
    try:
        if not os.fork():
            os.fork()
            os._exit(0)
        os.wait()
    except OSError: pass
"""
    process = box.spawn(["python3", "-c", flood])
    for _ in range(3):
        assert box.run(["echo", "alive"], timeout=20).output == b"alive\n"
    process.close()


def test_a_sandbox_killed_from_outside_is_lost(
    start: Start, fresh_name: Callable[[], str], marked: Callable[[str], list[int]]
) -> None:
    name = fresh_name()
    box = start(SMALL, name=name)
    for pid in marked(f"argusic-sandbox:{name}"):
        try:
            os.kill(pid, 9)
        except PermissionError:  # It is another user's, whom the engine serves.
            subprocess.run(["docker", "kill", f"argusic-{name}"], check=True, capture_output=True)
    assert wait_for_end(box) == "sandbox_lost"


def test_starting_and_destroying_is_quick(start: Start, capsys: pytest.CaptureFixture[str]) -> None:
    seconds = []
    for _ in range(5):
        began = time.monotonic()
        box = start()
        box_kind = box.facts.kind
        box.destroy()
        seconds.append(time.monotonic() - began)
    with capsys.disabled():
        print(f"\nstart and destroy: {min(seconds):.3f} s at best of {len(seconds)}")
    # Ten times what an idle machine takes: others may be at work here.
    assert min(seconds) < (1 if box_kind == "bubblewrap" else 2)


def test_the_facts_say_what_holds_the_limits(start: Start) -> None:
    facts = start(SMALL).facts
    assert (facts.memory_mb, facts.cpus, facts.processes, facts.disk_mb) == (256, 1, 50, 60)
    if os.geteuid() == 0 and Path("/sys/fs/cgroup").is_dir():
        assert facts.limits_by != "watchdog"
