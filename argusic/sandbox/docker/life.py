"""The life of a container: its end, and which of the two sides it was; or neither, where the engine went away."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress

from argusic.records.run import Ending
from argusic.sandbox.docker.engine import ContainerState, Engine, EngineError
from argusic.sandbox.supervised.life import DEATH_SECONDS, Life
from argusic.sandbox.supervised.link import Link

#: How long the engine may take to notice that a container has ended.
_REPORT_SECONDS = 10.0
_LOOK_SECONDS = 0.05
_KILLED = 128 + signal.SIGKILL


class ContainerLife(Life):
    """One container's processes, from the moment that its supervisor serves.

    Args:
        engine: The engine.
        container: The container's id.
        channel: The host's end of the line to its supervisor.
        memory_hits: Counts the processes killed for want of memory.
    """

    def __init__(self, engine: Engine, container: str, channel: socket.socket, memory_hits: Callable[[], int]) -> None:
        super().__init__(memory_hits)
        self._engine = engine
        self._container = container
        self._channel = channel
        self.link = Link(channel)

    def begin(self, seconds: float) -> bool:
        """Listen to the supervisor; return whether it serves within a while."""
        self._listen(self.link, self._container[:12])
        return self.link.ready.wait(seconds) and not self.link.closed.is_set()

    def watch(self, pid: int) -> None:
        """Take hold of the first process.

        Raises:
            OSError: It is not a process of this machine, or gone.
        """
        self.pid = pid
        self._first = os.pidfd_open(pid)

    def _conclude(self) -> None:
        """Find out, once the supervisor is gone, why."""
        if self._wanted and self._cause is None:
            return
        if self._cause is not None:
            self._await_death(_REPORT_SECONDS)
            self._ending = self._cause()
            return
        try:
            self._ending = self._explain(self._final_state())
        except EngineError as error:
            self._ending = Ending(how="sandbox_lost", detail=f"The container engine went away: {error}"[:500])

    def _final_state(self) -> ContainerState | None:
        deadline = time.monotonic() + _REPORT_SECONDS
        while (state := self._engine.state(self._container)) is not None and state.running:
            if time.monotonic() > deadline:
                break
            time.sleep(_LOOK_SECONDS)
        return state

    def _explain(self, state: ContainerState | None) -> Ending:
        if state is None:
            return Ending(how="sandbox_lost", detail="The container was removed from outside.")
        if state.status != _KILLED:
            what = f"The sandbox's first process ended from inside, with status {state.status}."
            return Ending(how="sandbox_destroyed", detail=what)
        if state.out_of_memory or self._memory_hits():
            what = "The sandbox ran out of memory, and its first process with it."
            return Ending(how="memory_limit", detail=what)
        return Ending(how="sandbox_lost", detail="The container was killed from outside.")

    def _kill_once(self) -> None:
        # The supervisor ends by itself when its line does, even where no engine is there to kill it.
        with suppress(OSError):
            self._channel.shutdown(socket.SHUT_RDWR)
        if self._first is None:
            return
        try:
            signal.pidfd_send_signal(self._first, signal.SIGKILL)
        except ProcessLookupError:
            pass
        except PermissionError:  # It belongs to another user: the engine may, we may not.
            with suppress(EngineError):
                self._engine.kill(self._container)
        if not self._await_death(DEATH_SECONDS):
            raise OSError("the container's processes could not be killed")
