"""Whoever sees what is started inside leaves nothing behind; and the filter knows every table of its machine."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from argusic.sandbox.bubblewrap.traces import remove_traces
from argusic.sandbox.observing.filter import asking

OWNER = """
import os, signal, sys, time
from pathlib import Path
import psutil
from argusic.sandbox.protocol import SandboxSpec
from argusic.sandbox.registry import provider

box = provider("bubblewrap").start(SandboxSpec(sys.argv[1], Path(sys.argv[2])))
assert box.watch() is not None
box.spawn(["bash", "-c", "while :; do /bin/true; done"])
time.sleep(0.5)
started = psutil.Process().children(recursive=True)
assert any("observer.py" in word for one in started for word in one.cmdline())
print(*(f"{one.pid}:{one.create_time()}" for one in started), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def alive(started: list[str]) -> list[str]:
    """Return those of some processes, by number and start, that are there still."""
    found = []
    for one in started:
        pid, begun = one.split(":")
        with suppress(psutil.NoSuchProcess):
            process = psutil.Process(int(pid))
            if process.create_time() == float(begun) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(one)
    return found


@pytest.mark.sandbox
def test_a_killed_owner_leaves_neither_observer_nor_sandbox(tmp_path: Path) -> None:
    name = "20261130T014500Z-observ"
    owner = subprocess.run([sys.executable, "-c", OWNER, name, str(tmp_path)], stdout=subprocess.PIPE, timeout=60)
    assert owner.returncode == -signal.SIGKILL
    started = owner.stdout.decode().split()
    assert len(started) >= 3
    deadline = time.monotonic() + 10
    while alive(started) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert alive(started) == []
    remove_traces(name, tmp_path)


@pytest.mark.parametrize("machine", ["x86_64", "aarch64", "riscv64"])
def test_the_filter_is_whole_instructions_that_jump_inside_of_it(machine: str) -> None:
    ask = asking(machine)
    assert ask is not None and len(ask.program) % 8 == 0
    instructions = [ask.program[at : at + 8] for at in range(0, len(ask.program), 8)]
    for place, one in enumerate(instructions):
        assert place + 1 + max(one[2], one[3]) < len(instructions) or one[0] == 0x06
    assert instructions[-1][0] == 0x06
    assert ask.starting.count(":") == 2 * len(ask.starting.split(","))


def test_a_machine_that_is_not_known_is_not_watched() -> None:
    assert asking("pdp11") is None
