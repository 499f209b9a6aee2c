"""The life of a sandbox's first process on the host: its start, its death, and which of the two sides it was."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from typing import IO

from argusic.records.run import Ending
from argusic.sandbox.bubblewrap.account import Account
from argusic.sandbox.bubblewrap.layout import Handed
from argusic.sandbox.bubblewrap.program import Program
from argusic.sandbox.calls import call_filter
from argusic.sandbox.supervised.life import DEATH_SECONDS, Life
from argusic.sandbox.supervised.link import Link

_START_SECONDS = 30
_REPORT_SECONDS = 10
_KILLED = 128 + signal.SIGKILL


class BubblewrapLife(Life):
    """One sandbox's processes, from the first's start to the last's death.

    Args:
        program: The bubblewrap to run.
        account: As whom.
        errors: Where bubblewrap and the supervisor complain.
        memory_hits: Counts the processes killed for want of memory.
    """

    def __init__(self, program: Program, account: Account, errors: IO[bytes], memory_hits: Callable[[], int]) -> None:
        super().__init__(memory_hits)
        self._program = program
        self._account = account
        self._errors = errors
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, title: str, source: bytes, arguments: Callable[[Handed], Sequence[str]]) -> Link:
        """Start the first process and return the line to it once it serves.

        Args:
            title: What the process is called in the host's list of processes.
            source: The program text of the supervisor.
            arguments: Given the descriptors handed to bubblewrap, returns its arguments.

        Raises:
            OSError: It could not be started; the message is what bubblewrap said.
        """
        self._channel, inner = socket.socketpair()
        link = Link(self._channel)
        # A file in memory, not a pipe: a pipe whose reader has been killed would kill bubblewrap half way.
        with os.fdopen(os.memfd_create("told"), "wb+", buffering=0) as told:
            self._launch(inner, told, title, source, arguments)
            self._listen(link, title)
            if not link.ready.wait(_START_SECONDS) or link.closed.is_set():
                self.kill()
                self._errors.seek(0)
                raise OSError(self._errors.read(65536).decode(errors="replace").strip() or "it died at once")
            told.seek(0)
            self.pid = int(json.loads(told.read())["child-pid"])
            self._first = os.pidfd_open(self.pid)
        return link

    def _launch(
        self,
        inner: socket.socket,
        told: IO[bytes],
        title: str,
        source: bytes,
        arguments: Callable[[Handed], Sequence[str]],
    ) -> None:
        with ExitStack() as handing:
            program = handing.enter_context(self._program.opened())
            handing.enter_context(inner)
            text = handing.enter_context(_in_memory(source))
            refused = call_filter()
            calls = handing.enter_context(_in_memory(refused)).fileno() if refused is not None else None
            handed = Handed(inner.fileno(), calls)
            try:
                self._process = subprocess.Popen(
                    [title, "--info-fd", str(told.fileno()), *arguments(handed)],
                    executable=program.executable,
                    env=program.environment,
                    stdin=text,
                    stdout=subprocess.DEVNULL,
                    stderr=self._errors,
                    pass_fds=(*program.fds, told.fileno(), *(fd for fd in handed if fd is not None)),
                    start_new_session=True,
                    **self._account.popen_options(),
                )
            except BaseException:
                self._channel.close()
                raise

    def _conclude(self) -> None:
        """Find out, once the first process is gone, why."""
        assert self._process is not None
        try:
            status = self._process.wait(_REPORT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        if self._cause is not None:
            self._ending = self._cause()
        elif not self._wanted:
            self._ending = self._explain(status)

    def _explain(self, status: int) -> Ending:
        if status not in (_KILLED, -signal.SIGKILL):
            what = f"The sandbox's first process ended from inside, with status {status}."
            return Ending(how="sandbox_destroyed", detail=what)
        if self._memory_hits():
            return Ending(how="memory_limit", detail="The sandbox ran out of memory, and its first process with it.")
        return Ending(how="sandbox_lost", detail="The sandbox was killed from outside.")

    def _kill_once(self) -> None:
        if self._first is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._first, signal.SIGKILL)
            if not self._await_death(DEATH_SECONDS):
                raise OSError("the sandbox's processes could not be killed")
        if self._process is not None:
            with suppress(OSError):  # It is closed already.
                self._channel.shutdown(socket.SHUT_RDWR)
            self._process.kill()


def _in_memory(content: bytes) -> IO[bytes]:
    file = os.fdopen(os.memfd_create("handed"), "wb+")
    file.write(content)
    file.seek(0)
    return file
