"""A real terminal and real processes on this machine, behind the sandbox protocol, for the recorder's own tests.

It isolates nothing. The recorder's tests run again on the real sandbox, marked `sandbox`.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import signal
import socket
import struct
import subprocess
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from argusic.records.manifest import EnvironmentFacts, SandboxFacts
from argusic.records.run import Ending, LimitHit
from argusic.sandbox.protocol import Completed, SandboxGone, TerminalSize


class LocalProcess:
    """A process of this machine on a terminal of its own."""

    def __init__(self, argv: Sequence[str], size: TerminalSize, folder: Path, environment: Mapping[str, str]) -> None:
        self._host, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", size.rows, size.columns, 0, 0))
        try:
            self._process = subprocess.Popen(
                argv,
                stdin=inside,
                stdout=inside,
                stderr=inside,
                cwd=folder,
                env=dict(environment),
                # A session's leader would take the terminal, and its end would hang up on what it left behind.
                process_group=0,
            )
        finally:
            os.close(inside)

    @property
    def pid(self) -> int:
        return self._process.pid

    def fileno(self) -> int:
        return self._host

    def poll(self) -> int | None:
        return _status(self._process.poll())

    def wait(self, timeout: float | None = None) -> int | None:
        try:
            return _status(self._process.wait(timeout))
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        if self._host >= 0:
            os.close(self._host)
            self._host = -1


class LocalSandbox:
    """Commands on this machine, in a folder of the test."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self.processes: list[LocalProcess] = []
        self.gone: Ending | None = None

    @property
    def facts(self) -> SandboxFacts:
        raise NotImplementedError

    def environment(self) -> EnvironmentFacts:
        raise NotImplementedError

    def spawn(
        self,
        argv: Sequence[str],
        *,
        size: TerminalSize = TerminalSize(),
        folder: str = "",
        environment: Mapping[str, str] | None = None,
    ) -> LocalProcess:
        if self.gone is not None:
            raise SandboxGone(self.gone)
        given = {"PATH": os.environ["PATH"], "HOME": str(self._home), "LANG": "C.UTF-8", **(environment or {})}
        process = LocalProcess(argv, size, self._home, given)
        self.processes.append(process)
        return process

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        folder: str = "",
        timeout: float = 60,
        max_output: int = 64_000_000,
    ) -> Completed:
        raise NotImplementedError

    def put(self, source: Path, destination: str) -> None:
        raise NotImplementedError

    def get(self, path: str, *, max_bytes: int) -> bytes | None:
        raise NotImplementedError

    def open(self, path: str) -> BinaryIO | None:
        raise NotImplementedError

    def connect(self, path: str) -> socket.socket:
        raise NotImplementedError

    def watch(self) -> None:
        return None

    def limits_hit(self) -> tuple[LimitHit, ...]:
        return ()

    def ended(self) -> Ending | None:
        return self.gone

    def destroy(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait(5)
            process.close()


def _status(code: int | None) -> int | None:
    return 128 - code if code is not None and code < 0 else code
