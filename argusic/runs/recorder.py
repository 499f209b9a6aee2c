"""The host's recorder: everything that happens on an attempt's terminals goes into recording, log and table.

It runs outside of the sandbox and sees each terminal from its host end; nothing inside can stop or edit it. One
thread drives it. Memory is bounded whatever is printed; the disk is written as things happen.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal, NamedTuple

from argusic.evidence.asciicast import (
    BEGIN_MARKER,
    END_MARKER,
    CastHeader,
    CastWriter,
    command_marker,
    cut_marker,
    note_marker,
    prompt_event,
)
from argusic.evidence.commands import CommandRow, CommandTableWriter, Cut, Source
from argusic.evidence.layout import COMMANDS_NAME, LOG_NAME, RECORDING_NAME
from argusic.evidence.log import LogWriter
from argusic.runs.inner import MOST_INNER, Inner
from argusic.runs.pump import Pumped, pump, read_available
from argusic.runs.terminal import ATTEMPT_OUTPUT_CAP, Room, Terminal
from argusic.sandbox.protocol import SandboxGone, TerminalProcess, TerminalSize

#: How many terminals that commands left open are kept and emptied; the oldest is let go of first.
LEFT_OPEN: Final = 64
#: What describes a recorded command's terminal, to the command and in the recording.
TERMINAL_ENVIRONMENT: Final = {"TERM": "xterm-256color", "SHELL": "/bin/bash"}
#: Undoes what a command may have left a terminal in: a hidden cursor, colours, line drawing.
_RESET: Final = "\x1b[?25h\x1b[0m\x1b(B\x0f"
_OTHER_SCREEN, _MAIN_SCREEN = "\x1b[?1049h", "\x1b[?1049l"
_NOTE_CHARACTERS: Final = 500


class Recorded(NamedTuple):
    """One command that was recorded to its end."""

    row: CommandRow
    """Its row of the table."""
    output: str
    """What it printed, cleaned; head and tail where it was long."""
    attempt_over: bool
    """Whether it was killed because the attempt is over."""


class Recorder:
    """The recording of one attempt.

    Args:
        folder: Where recording, log and command table are made. It must exist and hold none of them.
        size: The terminal's size.
        clock: A monotonic clock in seconds.

    Attributes:
        commands: How many commands were recorded.
        replaced: How many characters of the recording stand for bytes that were no UTF-8.

    Raises:
        OSError: The files cannot be made.

    Every method raises `WriteFailed` once the disk is full or fails; what was recorded stays.
    """

    def __init__(
        self, folder: Path, size: TerminalSize = TerminalSize(), clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.size = size
        self.clock = clock
        self.commands = 0
        self.replaced = 0
        header = CastHeader(size.columns, size.rows, datetime.now(UTC), TERMINAL_ENVIRONMENT)
        self._cast = CastWriter(folder / RECORDING_NAME, header, clock)
        self._log = LogWriter(folder / LOG_NAME)
        self._table = CommandTableWriter(folder / COMMANDS_NAME)
        self._room = Room(ATTEMPT_OUTPUT_CAP)
        self._left_open: list[Terminal] = []
        self._at_line_start = True
        self._reset = ""
        self._cast.write("m", BEGIN_MARKER)

    def now(self) -> float:
        """Return the second of the recording that it is now."""
        return self._cast.second(self.clock())

    def note(self, text: str) -> None:
        """Put a marker with `text`, or its beginning, into the recording."""
        self._cast.write("m", note_marker(text[:_NOTE_CHARACTERS]))

    def record(
        self,
        command: str,
        spawn: Callable[[], TerminalProcess],
        *,
        until: float | None,
        attempt_over: Callable[[], bool],
        source: Source | None = None,
        seen_by: Literal["observed", "self_reported"] | None = None,
    ) -> Recorded:
        """Record one command from its prompt to its end.

        Args:
            command: The command line, as table, prompt and agent know it.
            spawn: Starts it.
            until: When, on the recorder's clock, its own time is up.
            attempt_over: Whether the attempt has ended; asked often.
            source: Where it comes from, where it is no command that the agent gave.
            seen_by: Who sees what it runs, where it is the agent's own program.

        Raises:
            SandboxGone: It could not be started; its row is in the table, without a status.
        """
        row = self._begin(command, source, seen_by)
        try:
            process = spawn()
        except SandboxGone:
            self._end(row, None, None)
            raise
        terminal = Terminal(process, self._print, self._log.add, self._room)
        try:
            pumped = pump(
                terminal,
                self._left_open,
                until=until,
                attempt_over=attempt_over,
                gone=self._let_go,
                clock=self.clock,
            )
        except BaseException:
            # Nothing may run on unrecorded.
            process.kill()
            process.close()
            raise
        return self._finish(row, terminal, pumped)

    def answer(self, command: str, message: str, exit_status: int) -> Recorded:
        """Record a command that no process can be started for, with the shell's own answer."""
        row = self._begin(command)
        self._print(message + "\r\n")
        self._log.add(message.encode() + b"\n")
        return Recorded(self._end(row, exit_status, None), message + "\n", False)

    def list_inner(self, program: CommandRow, inner: Sequence[Inner]) -> None:
        """Put what an agent's own program ran into the table.

        Args:
            program: The row of the command that started the program.
            inner: What it ran, by the clock of this recorder.
        """
        for one in inner[:MOST_INNER]:
            self.commands += 1
            started = self._cast.second(one.started)
            row = CommandRow(
                number=self.commands,
                command=one.command,
                started=started,
                ended=None if one.ended is None else max(started, self._cast.second(one.ended)),
                exit_status=one.exit_status,
                cut=None,
                offset=program.offset,
                log_line=program.log_line,
                recorded_by="host" if program.seen_by == "observed" else "sandbox",
                source=program.seen_by,
                whole=one.line,
            )
            self._table.add(row)
        if len(inner) > MOST_INNER:
            self.note(f"{len(inner) - MOST_INNER} further commands of the agent's program are not in the table")

    def end(self) -> None:
        """Mark the regular end and close. Without it the recording is not complete."""
        for terminal in tuple(self._left_open):
            while waiting := read_available(terminal.process.fileno()):
                if not terminal.take(waiting):
                    break
            self._let_go(terminal)
        self._log.end_line()
        self._cast.write("m", END_MARKER)
        self.close()

    def close(self) -> None:
        """Let go of everything without marking an end. Safe to call twice."""
        try:
            for terminal in tuple(self._left_open):
                self._let_go(terminal)
        finally:
            for file in (self._cast, self._log, self._table):
                file.close()

    def _begin(
        self,
        command: str,
        source: Source | None = None,
        seen_by: Literal["observed", "self_reported"] | None = None,
    ) -> CommandRow:
        if self._reset:
            self._cast.write("o", self._reset)
            self._reset = ""
        if not self._at_line_start:
            self._print("\r\n")
        offset = self._cast.events
        started = self._cast.write("m", command_marker(self.commands + 1))
        self._print(prompt_event(command))
        self.commands += 1
        row = CommandRow(
            number=self.commands,
            command=command,
            started=started,
            ended=None,
            exit_status=None,
            cut=None,
            offset=offset,
            log_line=self._log.command(command),
            source=source,
            seen_by=seen_by,
        )
        self._table.start(row)
        return row

    def _finish(self, row: CommandRow, terminal: Terminal, pumped: Pumped) -> Recorded:
        terminal.end_command(terminal_open=pumped.terminal_open)
        self._log.end_line()
        if pumped.terminal_open:
            if len(self._left_open) == LEFT_OPEN:
                self._let_go(self._left_open[0])
            self._left_open.append(terminal)
        else:
            self.replaced += terminal.replaced
            terminal.process.close()
        cut = None if pumped.stopped == "attempt" else pumped.stopped
        if cut is not None:
            self._cast.write("m", cut_marker(row.number, cut))
        ended = self._end(row, pumped.exit_status, cut)
        return Recorded(ended, terminal.excerpt.text(), pumped.stopped == "attempt")

    def _end(self, row: CommandRow, exit_status: int | None, cut: Cut | None) -> CommandRow:
        ended = row.model_copy(update={"ended": self._cast.now(), "exit_status": exit_status, "cut": cut})
        self._table.end(ended)
        return ended

    def _print(self, text: str) -> None:
        self._cast.write("o", text)
        self._at_line_start = text.endswith("\n")
        if "\x1b" in text or "\x0e" in text:
            other_screen = _OTHER_SCREEN in text or self._reset.startswith(_MAIN_SCREEN)
            self._reset = _MAIN_SCREEN + _RESET if other_screen else _RESET

    def _let_go(self, terminal: Terminal) -> None:
        self._left_open.remove(terminal)
        terminal.let_go()
        self.replaced += terminal.replaced
