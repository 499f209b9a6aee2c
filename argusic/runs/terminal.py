"""One command's terminal as the recorder reads it: bytes to text, text to log lines, and the excerpt of both ends.

While its command runs, a terminal is in front: the agent reads its output, and its unfinished line is the log's.
When the command has ended and something it started still prints, the terminal goes to the back: its output stays
in recording and log, but belongs to no command's result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from argusic.evidence.plain import PlainText
from argusic.evidence.utf8 import Utf8Stream
from argusic.runs.excerpt import Excerpt
from argusic.sandbox.protocol import TerminalProcess

#: What one command may print, in bytes. Beyond it the command is killed.
OUTPUT_CAP: Final = 64_000_000
#: What all commands of one attempt may print, in bytes: recordings must not fill the host's disk.
ATTEMPT_OUTPUT_CAP: Final = 2_000_000_000
#: How many characters the log may be behind the recording while there is more to read.
SETTLE: Final = 65_536


class Room:
    """How much an attempt's commands may still print.

    Args:
        left: In bytes.
    """

    def __init__(self, left: int) -> None:
        self.left = left


#: Takes what a terminal printed, as it came, for the recording.
Show = Callable[[str], None]
#: Takes final text, and the line in progress behind it, for the log; None leaves that line as it was.
Log = Callable[[bytes, bytes | None], None]


class Terminal:
    """A terminal that is read.

    Args:
        process: The command.
        show: Takes what it prints, at once.
        log: Takes the same as plain text, when there is nothing more to read or much was read.
        attempt: What the attempt's commands may still print, shared by all its terminals.

    Attributes:
        excerpt: The ends of what its command printed, cleaned.
        replaced: How many characters stand for bytes that were no UTF-8.
    """

    def __init__(self, process: TerminalProcess, show: Show, log: Log, attempt: Room) -> None:
        self.process = process
        self.excerpt = Excerpt()
        self._show = show
        self._log = log
        self._room = OUTPUT_CAP
        self._attempt = attempt
        self._decoder = Utf8Stream()
        self._plain = PlainText()
        self._unlogged: list[str] = []
        self._unlogged_size = 0
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
        self.settle()
        rest = self._plain.finish()
        self.excerpt.add(rest)
        self._log(rest, b"")
        self._in_front = False

    def let_go(self) -> None:
        """Finish a terminal at the back."""
        self._put(self._decoder.finish())
        self.settle()
        if rest := self._plain.finish():
            self._log(rest + b"\n", None)
        self.process.close()

    def settle(self) -> None:
        """Bring the log up to what was taken. Small reads come faster than they can be cleaned one by one."""
        if not self._unlogged:
            return
        text = "".join(self._unlogged)
        self._unlogged.clear()
        self._unlogged_size = 0
        cleaned = self._plain.feed(text)
        if self._in_front:
            self.excerpt.add(cleaned.finished)
        self._log(cleaned.finished, cleaned.pending if self._in_front else None)

    def _put(self, text: str) -> None:
        if not text:
            return
        self._show(text)
        self._unlogged.append(text)
        self._unlogged_size += len(text)
        if self._unlogged_size >= SETTLE:
            self.settle()
