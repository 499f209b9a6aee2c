"""The life of what runs under a supervisor: how it is ended from here, and what is known of how it ended."""

from __future__ import annotations

import os
import select
import socket
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final

from argusic.records.run import Ending
from argusic.sandbox.processes import inside, kill
from argusic.sandbox.supervised.link import Link

#: A killed process dies only when the disk has taken what it was writing.
DEATH_SECONDS: Final = 120
#: After how long what runs inside is killed one by one, so that it cannot keep the first process from dying.
_SLOW_SECONDS: Final = 0.5


class Life(ABC):
    """One sandbox's processes. What they are made by says how they are killed, and what their end means.

    Args:
        memory_hits: Counts the processes killed for want of memory.
    """

    def __init__(self, memory_hits: Callable[[], int]) -> None:
        self._memory_hits = memory_hits
        self._cause: Callable[[], Ending] | None = None
        self._ending: Ending | None = None
        self._wanted = False
        self._first: int | None = None
        self._channel: socket.socket
        self._keeper: threading.Thread | None = None
        self._killing = threading.Lock()
        self.pid = 0
        """The host's number of the first process inside."""

    def ending(self) -> Ending | None:
        """Return how it ended, where that was not by the harness's wish; None while it lives."""
        return self._ending

    def end(self, cause: Callable[[], Ending]) -> None:
        """Kill everything inside because of a limit.

        Args:
            cause: Says how it ended, once everything is dead.
        """
        self._cause = self._cause or cause
        self._kill()

    def kill(self) -> None:
        """Kill everything inside, and return when it is dead.

        Raises:
            OSError: It is not dead after a long while.
        """
        self._wanted = True
        self._kill()
        if self._keeper is not None and self._keeper is not threading.current_thread():
            self._keeper.join(DEATH_SECONDS)
        with self._killing:
            if self._first is not None:
                os.close(self._first)
                self._first = None

    def _listen(self, link: Link, name: str) -> None:
        """Serve the line to the supervisor until it closes, on a thread of its own."""
        self._keeper = threading.Thread(target=self._keep, args=(link,), name=name, daemon=True)
        self._keeper.start()

    def _keep(self, link: Link) -> None:
        with self._channel:
            link.listen(self._conclude)

    def _kill(self) -> None:
        with self._killing:
            self._kill_once()

    def _await_death(self, seconds: float) -> bool:
        """Wait until the first process is dead: it counts as dead only when everything in its namespace is."""
        if self._first is None:
            return True
        deadline = time.monotonic() + seconds
        death = select.poll()
        death.register(self._first, select.POLLIN)
        while not death.poll(_SLOW_SECONDS * 1000):
            if time.monotonic() > deadline:
                return False
            for pid in inside(self.pid):
                kill(pid)
        return True

    @abstractmethod
    def _kill_once(self) -> None:
        """Kill everything inside and wait for its death."""

    @abstractmethod
    def _conclude(self) -> None:
        """Find out, once the supervisor is gone, why."""
