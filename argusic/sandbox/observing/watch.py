"""The host's watch over the programs of one sandbox, kept by an observer in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final

from argusic.sandbox.observing.filter import asking
from argusic.sandbox.protocol import Started
from argusic.sandbox.supervised.link import Link, LinkClosed

_OBSERVER: Final = Path(__file__).with_name("observer.py")
_STOP_SECONDS: Final = 10.0
_TRIAL_SECONDS: Final = 5.0
_LOOK_SECONDS: Final = 0.01


class Watch:
    """A watch over a sandbox's programs; implements `argusic.sandbox.protocol.Watch`.

    Once begun it has to be kept until the sandbox is dead: whoever starts a program inside waits for its answer.

    Args:
        listener: The descriptor that the kernel asks through. It is closed here.
        starting: The calls that start a program.
    """

    def __init__(self, listener: int, starting: str) -> None:
        self._lines: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - kept open
        own = self._lines.fileno()
        argv = [sys.executable, "-I", "-S", "-B", str(_OBSERVER), str(listener), str(own), starting]
        try:
            self._process = subprocess.Popen(argv, stdin=subprocess.PIPE, pass_fds=(listener, own), env={})
        except OSError:
            self._lines.close()
            raise
        finally:
            os.close(listener)

    def seen(self, since: float, until: float) -> list[Started]:
        """Return the programs started in a span of time, in order."""
        found: list[Started] = []
        latest: dict[int, list[int]] = {}
        ends: dict[int, tuple[float, int | None]] = {}
        for line in self._read():
            if "end" in line:
                for at in latest.pop(line["end"], ()):
                    ends[at] = (line["at"], line["status"])
                continue
            if line["at"] > until:
                break
            if line["at"] < since or line["argv"] is None:
                continue
            pid, under = line["start"], line["under"]
            mine = latest.setdefault(pid, [])
            # A program that is not where it was looked for first is asked for again, under the same words.
            if mine and found[mine[-1]].argv == tuple(line["argv"]):
                continue
            starters = mine or latest.get(under) or []
            above = starters[-1] if starters else None
            mine.append(len(found))
            found.append(Started(tuple(line["argv"]), pid, line["at"], None, None, above))
        return [
            one._replace(ended=ends[at][0], exit_status=ends[at][1]) if at in ends else one
            for at, one in enumerate(found)
        ]

    def tries(self, run: Callable[[list[str]], object]) -> bool:
        """Whether a trial shows that what is started can be seen."""
        word = f"seen-{os.urandom(8).hex()}"
        run(["/bin/sh", "-c", ":", word])
        deadline = time.monotonic() + _TRIAL_SECONDS
        while time.monotonic() < deadline:
            for line in self._read():
                if "start" in line and line["argv"] is not None and word in line["argv"]:
                    return True
            time.sleep(_LOOK_SECONDS)
        return False

    def stop(self) -> None:
        """End the watch. The sandbox must be dead."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._lines.close()

    def _read(self) -> Iterator[dict[str, Any]]:
        with suppress(OSError), os.fdopen(os.dup(self._lines.fileno()), "rb") as file:
            at = 0
            while piece := os.pread(file.fileno(), 1 << 20, at):
                whole = piece[: piece.rfind(b"\n") + 1]
                if not whole:
                    return
                at += len(whole)
                for line in whole.splitlines():
                    yield json.loads(line)


def begin(link: Link) -> Watch | None:
    """Begin a watch over what a sandbox's supervisor starts from now on; None where this host does not let it."""
    ask = asking()
    if ask is None:
        return None
    for flags in ask.flags:
        try:
            (listener,) = link.order("notify", call=ask.call, flags=flags, program=ask.program.hex())
        except OSError:
            continue
        except LinkClosed:
            return None
        return Watch(listener, ask.starting)
    return None
