"""Runs a prepared command under PRoot: in the foreground with the caller's terminal, or kept in the background."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from types import FrameType

from . import kernel
from .ports import Forwarder, lowest
from .prepared import Prepared
from .store import Container
from .wrong import Wrong

#: Seconds that a container has to end by itself once it is asked to.
_ENDS = 10.0
#: Seconds between two looks whether a container's first program is still there.
_LOOKS = 0.3


def proot() -> str:
    """Return the program that images are run with.

    Raises:
        Wrong: This machine has none.
    """
    found = shutil.which("proot")
    if found is None:
        raise Wrong("this machine has no PRoot, with which images are run here (Debian: apt-get install proot).")
    return found


def hold(prepared: Prepared) -> list[Forwarder]:
    """Take the ports of a command. What an image listens on below the lowest is said, because it will be refused."""
    for published in prepared.ports:
        if published.inside < lowest():
            say(f"this machine gives nobody a port below {lowest()}: listening on {published.inside} will be refused")
    return [Forwarder(published) for published in prepared.ports]


def say(note: str) -> None:
    """Tell whoever runs a command something beside what it prints."""
    sys.stderr.write(f"docker: {note}.\n")


def foreground(prepared: Prepared, forwarders: list[Forwarder] | None = None) -> int:
    """Run a command with the caller's terminal, and return the status that it ends with."""
    process = _start(prepared, None)
    for forwarder in forwarders or ():
        forwarder.begin()

    def pass_on(number: int, frame: FrameType | None) -> None:
        end(process.pid, number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, pass_on)
    return _status(_wait(process))


def background(container: Container, prepared: Prepared, forwarders: list[Forwarder]) -> None:
    """Run a command in a process of its own, which goes on when its caller ends. Its output goes to the log."""
    with open(container.log, "wb"):
        pass
    if os.fork():
        _wait_for(container)
        return
    os.setsid()
    with open(container.log, "ab") as log, open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    container.note(keeper=os.getpid())
    status = 1
    try:
        status = foreground(prepared, forwarders)
    finally:
        container.note(exit=status)
        os._exit(0)


def stop(container: Container, number: int, seconds: float = _ENDS) -> None:
    """Ask a container to end, and kill what has not after a while."""
    keeper = container.state.get("keeper", 0)
    if not container.runs:
        return
    for tracer in _children(keeper):
        end(tracer, number)
    until = time.monotonic() + (0 if number == signal.SIGKILL else seconds)
    while container.runs and time.monotonic() < until:
        time.sleep(0.05)
    for tracer in _children(keeper):
        _kill_all(tracer)
    until = time.monotonic() + seconds
    while container.runs and time.monotonic() < until:
        time.sleep(0.05)


def end(tracer: int, number: int) -> None:
    """Send a signal to the first program of a container, which PRoot itself would not pass on."""
    for process in _children(tracer):
        with suppress(ProcessLookupError):
            os.kill(process, number)


def _start(prepared: Prepared, output: int | None) -> subprocess.Popen[bytes]:
    program = kernel.call_filter(os.uname().machine)
    if program is None:
        say("the newest system calls are not kept from the image on this kind of machine")

    def before() -> None:
        if program is not None:
            kernel.apply(program)

    return subprocess.Popen(
        prepared.command(proot()), env=prepared.environment, stdout=output, preexec_fn=before, cwd="/"
    )


def _wait(process: subprocess.Popen[bytes]) -> int:
    """Wait for the end of a command. With its first program everything that it started ends, as with an engine."""
    first: list[int] = []
    while True:
        try:
            return process.wait(_LOOKS)
        except subprocess.TimeoutExpired:
            first = first or _children(process.pid)
        if first and not os.path.isdir(f"/proc/{first[0]}"):
            _kill_all(process.pid)


def _kill_all(tracer: int) -> None:
    """Kill every program of a container; who traced them ends by itself, and says how they ended."""
    for one in _traced(tracer):
        with suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)


def _wait_for(container: Container) -> None:
    """Wait until the one who keeps a container has written down that it does."""
    until = time.monotonic() + _ENDS
    while "keeper" not in container.state and time.monotonic() < until:
        time.sleep(0.02)


def _status(code: int) -> int:
    return 128 - code if code < 0 else code


def _children(parent: int) -> list[int]:
    return [process for process, above, _ in _processes() if above == parent]


def _traced(tracer: int) -> list[int]:
    return [process for process, _, by in _processes() if by == tracer]


def _processes() -> list[tuple[int, int, int]]:
    """Return every process: its number, its parent's, and that of whoever traces it."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/status", encoding="utf-8", errors="replace") as file:
                says = dict(line.partition(":")[::2] for line in file)
            found.append((int(name), int(says["PPid"]), int(says["TracerPid"])))
        except (OSError, KeyError, ValueError):
            continue
    return found
