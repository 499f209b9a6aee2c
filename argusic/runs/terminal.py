"""One command's terminal as the recorder reads it: bytes to text, text to log lines, and the excerpt of both ends.

While its command runs, a terminal is in front: the agent reads its output, and its unfinished line is the log's.
When the command has ended and something it started still prints, the terminal goes to the back: its output stays
in recording and log, but belongs to no command's result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from argusic.evidence.plain import PlainText
from argusic.evidence.utf8 import Utf8Stream
from argusic.runs.excerpt import Excerpt
from argusic.sandbox.protocol import TerminalProcess

#: What one command may print, in bytes. Beyond it the command is killed.
OUTPUT_CAP: Final = 64_000_000
#: What all commands of one attempt may print, in bytes: recordings must not fill the host's disk.
ATTEMPT_OUTPUT_CAP: Final = 2_000_000_000


class Room:
    """How much an attempt's commands may still print.

    Args:
        left: In bytes.
    """

    def __init__(self, left: int) -> None:
        self.left = left


class Printed(NamedTuple):
    """What a terminal printed, for recording and log."""

    text: str
    """For the recording, as it came."""
    finished: bytes
    """For the log: final text."""
    pending: bytes | None
    """For the log: the line in progress; None leaves it as it was."""
    plain: bool = False
    """Whether `text` is known to hold no control characters but tabs and line ends."""


Show = Callable[[Printed], None]


class Terminal:
    """A terminal that is read.

    Args:
        process: The command.
        show: Takes what it prints.
        attempt: What the attempt's commands may still print, shared by all its terminals.

    Attributes:
        excerpt: The ends of what its command printed, cleaned.
        replaced: How many characters stand for bytes that were no UTF-8.
    """

    def __init__(self, process: TerminalProcess, show: Show, attempt: Room) -> None:
        self.process = process
        self.excerpt = Excerpt()
        self._show = show
        self._room = OUTPUT_CAP
        self._attempt = attempt
        self._decoder = Utf8Stream()
        self._plain = PlainText()
        self._in_front = True

    @property
    def replaced(self) -> int:
        """How many characters stand for bytes that were no UTF-8."""
        return self._decoder.replaced

    def take(self, data: bytes) -> bool:
        """Take output; return False once the command, or the attempt as a whole, has printed more than it may."""
        room = min(self._room, self._attempt.left)
        fits = len(data) <= room
        if not fits:
            data = data[:room]
        self._room -= len(data)
        self._attempt.left -= len(data)
        self._put(self._decoder.feed(data))
        return fits

    def end_command(self, *, terminal_open: bool) -> None:
        """Finish what the command printed. With an open terminal, go to the back."""
        if not terminal_open:
            self._put(self._decoder.finish())
        rest = self._plain.finish()
        self.excerpt.add(rest)
        self._show(Printed("", rest, b""))
        self._in_front = False

    def let_go(self) -> None:
        """Finish a terminal at the back."""
        self._put(self._decoder.finish())
        if rest := self._plain.finish():
            self._show(Printed("", rest + b"\n", None))
        self.process.close()

    def _put(self, text: str) -> None:
        cleaned = self._plain.feed(text)
        pending: bytes | None = cleaned.pending
        if self._in_front:
            self.excerpt.add(cleaned.finished)
        else:
            pending = None
        self._show(Printed(text, cleaned.finished, pending, cleaned.was_plain))
