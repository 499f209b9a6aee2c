"""The session as plain text, written while it happens: one line a prompt, and what each command printed.

Lines are stable once finished, so that a page can link to one by its number.
"""

from __future__ import annotations

from pathlib import Path

from argusic.evidence.asciicast import prompt
from argusic.evidence.livefile import LiveFile


class LogWriter:
    """A log in the making.

    Args:
        path: Where. It must not exist.

    Attributes:
        line: The number of the line in progress, from 1.
    """

    def __init__(self, path: Path) -> None:
        self._file = LiveFile(path)
        self._final = 0
        self._fresh = True
        self._pending = b""
        self.line = 1

    def command(self, command: str) -> int:
        """Write a command's prompt; return the number of its line.

        Raises:
            WriteFailed: The disk is full or fails.
        """
        self.end_line()
        line = self.line
        self.add(prompt(command).encode() + b"\n")
        return line

    def add(self, finished: bytes, pending: bytes | None = None) -> None:
        """Write final text, and behind it the line in progress, which may be written again.

        Args:
            finished: Final text, UTF-8.
            pending: The line in progress as it now stands; None leaves it as it was.

        Raises:
            WriteFailed: The disk is full or fails.
        """
        if pending is None:
            pending = self._pending
        if not finished and pending == self._pending:
            return
        self._file.write_tail(self._final, finished + pending)
        self._final += len(finished)
        self._pending = pending
        self.line += finished.count(b"\n")
        if finished:
            self._fresh = finished.endswith(b"\n")

    def end_line(self) -> None:
        """Make what is in progress final, and whatever comes next begin a line."""
        if self._pending or not self._fresh:
            self.add(self._pending + b"\n", b"")

    def close(self) -> None:
        """Close."""
        self._file.close()
