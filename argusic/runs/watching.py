"""How the outside follows and stops the work: what is told to a watcher, and how a signal becomes a cancellation."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Protocol

from argusic.records.run import Run
from argusic.rules.rubric import Score


class Watcher(Protocol):
    """Told what happens, as it happens."""

    def begin(self, subject: str, agent: str, purpose: str, number: int, of: int) -> None:
        """An attempt begins: the `number`-th of `of` that were owed when the work began."""

    def now(self, what: str) -> None:
        """In a few words, what is being done right now."""

    def end(self, run: Run, score: Score) -> None:
        """An attempt's run was published."""

    def say(self, text: str) -> None:
        """A sentence that should stay visible."""

    def beside(self) -> Watcher:
        """Return another watcher, for an attempt that runs at the same time."""


class Cancelled(Exception):
    """The work was asked to stop where it could stop at once."""


class Cancellation:
    """Whether the work was asked to stop, and by what.

    SIGINT, SIGTERM and SIGHUP set `event`, which a recorded command looks at many times a second. Stages that only wait
    (fetching a subject, say) run inside `interruptible()`, where a signal raises `Cancelled` at once.
    """

    def __init__(self) -> None:
        self.event = threading.Event()
        self.why = ""
        self._interruptible = False

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Listen to the signals; the handlers from before come back at the end."""
        numbers = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # Under nohup a terminal that goes is no reason.
            numbers.append(signal.SIGHUP)
        before = {number: signal.signal(number, self._handle) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Let a signal break off what runs inside."""
        if self.event.is_set():
            raise Cancelled(self.why)
        self._interruptible = True
        try:
            yield
        finally:
            self._interruptible = False

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.why = f"stopped by {signal.Signals(number).name}"
        self.event.set()
        if self._interruptible:
            self._interruptible = False
            raise Cancelled(self.why)
