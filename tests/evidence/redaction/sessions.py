"""Recorded sessions made up for tests: what commands print is given, event by event; the log follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import NamedTuple

from argusic.evidence.asciicast import CastHeader, CastWriter, command_marker, prompt_event
from argusic.evidence.commands import CommandRow, CommandTableWriter
from argusic.evidence.coverage import measure
from argusic.evidence.layout import COMMANDS_NAME, LOG_NAME, RECORDING_NAME
from argusic.evidence.log import LogWriter
from argusic.evidence.plain import PlainText
from argusic.evidence.redaction.known import KnownSecret
from argusic.evidence.redaction.redact import redact
from argusic.evidence.redaction.redacted import Redacted, ServedFile
from argusic.records.manifest import Coverage

#: The terminal of every session.
COLUMNS, ROWS = 80, 24


class Ran(NamedTuple):
    """A command and what it printed, event by event."""

    command: str
    printed: Sequence[str]


def write_session(folder: Path, commands: Sequence[Ran], *, notes: Sequence[str] = ()) -> None:
    """Write recording, log and command table of a session as the recorder does."""
    ticks = count()
    cast = CastWriter(
        folder / RECORDING_NAME, CastHeader(COLUMNS, ROWS, None, {"TERM": "xterm"}), lambda: next(ticks) / 100
    )
    log = LogWriter(folder / LOG_NAME)
    table = CommandTableWriter(folder / COMMANDS_NAME)
    cast.write("m", "begin")
    for note in notes:
        cast.write("m", f"note: {note}")
    for number, (command, printed) in enumerate(commands, 1):
        offset = cast.events
        started = cast.write("m", command_marker(number))
        cast.write("o", prompt_event(command))
        row = CommandRow(
            number=number,
            command=command,
            started=started,
            ended=None,
            exit_status=None,
            cut=None,
            offset=offset,
            log_line=log.command(command),
        )
        table.start(row)
        plain = PlainText()
        for text in printed:
            cast.write("o", text)
            cleaned = plain.feed(text)
            log.add(cleaned.finished, cleaned.pending)
        log.add(plain.finish(), b"")
        log.end_line()
        cast.write("o", "\x1b[0m\r\n")
        table.end(row.model_copy(update={"ended": cast.now(), "exit_status": 0}))
    cast.write("m", "end")
    for file in (cast, log, table):
        file.close()


class Served:
    """A session and its served copies.

    Args:
        folder: An empty folder.
        commands: The session.
        known: The run's own credentials.
        notes: Markers of the recording.
    """

    def __init__(
        self, folder: Path, commands: Sequence[Ran], known: Sequence[KnownSecret] = (), notes: Sequence[str] = ()
    ) -> None:
        self.raw, self.served = folder / "raw", folder / "served"
        self.raw.mkdir()
        self.served.mkdir()
        write_session(self.raw, commands, notes=notes)
        self.known = known

    def redact(self) -> Redacted:
        """Redact it; the raw files must stay as they are."""
        before = {path.name: path.read_bytes() for path in self.raw.iterdir()}
        result = redact(self.raw, self.served, self.known)
        assert {path.name: path.read_bytes() for path in self.raw.iterdir()} == before
        return result

    def text(self, name: str = RECORDING_NAME) -> str:
        """Return a served file."""
        return (self.served / name).read_bytes().decode("utf-8", "replace")

    def coverage(self) -> tuple[Coverage, Coverage]:
        """Return what the raw files cover, and the served ones."""
        raw, served = (
            measure(folder / RECORDING_NAME, folder / COMMANDS_NAME, folder / LOG_NAME, 0)
            for folder in (self.raw, self.served)
        )
        return raw, served


def masks(redacted: Redacted, name: str = RECORDING_NAME) -> dict[str, int]:
    """Return what was masked in a file, by rule."""
    return {masked.rule: masked.count for masked in file_of(redacted, name).masked}


def file_of(redacted: Redacted, name: str) -> ServedFile:
    """Return one file's part of a redaction."""
    return next(file for file in redacted.files if file.name == name)
