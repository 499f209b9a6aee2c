"""The command table: every command that the harness ran, one JSON line each, with its place in the recording.

A row is written when its command starts and written again, in the same place, when it ends. A kill between the
two leaves a readable table whose last row has no end.

What an agent's own program ran follows behind the row of the program, and says by its source who saw it. Such inner
rows have no place of their own in recording and log: they name that of the program.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, BinaryIO, Final, Literal

from pydantic import Field, ValidationError

from argusic.errors import Finding, Place
from argusic.evidence.livefile import LiveFile
from argusic.records.base import Part

#: Why a command was cut off: its time limit, or the limit on its output.
Cut = Literal["command_time", "output"]

#: Where a row comes from, where it is no command that an agent of ours gave. `set_up`: the harness put the agent's own
#: program in place. `program`: the harness started that program. `observed`: the program ran it, as the host saw from
#: outside. `self_reported`: the program ran it, as a shell inside wrote down, which code inside could have changed.
Source = Literal["set_up", "program", "observed", "self_reported"]

#: Fields that a row has only where they say something.
_RARE: Final = ("source", "whole", "seen_by")

#: The longest row that is read: a command line is at most 128 KiB, each character six bytes as JSON.
MAX_ROW: Final = 1024 * 1024
#: How many findings one table gets; a file of another kind would give one a line.
MAX_FINDINGS: Final = 50


class CommandRow(Part):
    """One command."""

    number: Annotated[int, Field(ge=1)]
    """Its number, from 1."""
    command: str
    """The shell command line."""
    started: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    """When it started, in seconds of the recording."""
    ended: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None
    """When it ended, in seconds of the recording; None while it runs."""
    exit_status: int | None
    """Its exit status (128 + n for signal n); None where it did not end by itself."""
    cut: Cut | None
    """Why it was cut off, where its own limits did that."""
    offset: Annotated[int, Field(ge=0)]
    """The place of its marker in the recording: the number of the event, from 0."""
    log_line: Annotated[int, Field(ge=1)]
    """The line of its prompt in the log, from 1."""
    recorded_by: Literal["host", "sandbox"] = "host"
    """Who saw it run."""
    source: Source | None = None
    """Where it comes from; absent where it is a command that the agent gave to the harness."""
    whole: str | None = None
    """The whole command line, where the agent's own program wraps its commands in lines of its own."""
    seen_by: Literal["observed", "self_reported"] | None = None
    """Of an agent's own program: by whom the commands were seen that it ran."""

    @property
    def is_inner(self) -> bool:
        """Whether the agent's own program ran it."""
        return self.source in ("observed", "self_reported")

    def line(self) -> bytes:
        """Return the row as its line of the table."""
        fields = self.model_dump(exclude={name for name in _RARE if getattr(self, name) is None})
        for name in ("started", "ended"):
            if fields[name] is not None:
                fields[name] = round(fields[name], 6)
        return json.dumps(fields, ensure_ascii=False).encode() + b"\n"


class CommandTableWriter:
    """A command table in the making.

    Args:
        path: Where. It must not exist.
    """

    def __init__(self, path: Path) -> None:
        self._file = LiveFile(path)
        self._row_at = 0

    def start(self, row: CommandRow) -> None:
        """Write the row of a command that starts.

        Raises:
            WriteFailed: The disk is full or fails.
        """
        self._row_at = self._file.size
        self._file.append(row.line())

    def end(self, row: CommandRow) -> None:
        """Write the row of the command that started last again, with its end.

        Raises:
            WriteFailed: The disk is full or fails.
        """
        self._file.write_tail(self._row_at, row.line())

    def add(self, row: CommandRow) -> None:
        """Write the row of a command that is over, or that is not followed any further.

        Raises:
            WriteFailed: The disk is full or fails.
        """
        self._file.append(row.line())

    def close(self) -> None:
        """Close."""
        self._file.close()


class CommandTableReader:
    """One pass over a command table: iterate for what the harness ran, then look at the rest and at the findings.

    Args:
        stream: The file's bytes.
        file: What to call it in a finding.

    Attributes:
        findings: What is wrong with what was read so far.
        inner: What the agent's own program ran, of what was read so far.
    """

    def __init__(self, stream: BinaryIO, file: Path | str) -> None:
        self._stream = stream
        self._file = file
        self.findings: list[Finding] = []
        self.inner: list[CommandRow] = []

    def __iter__(self) -> Iterator[CommandRow]:
        number = 0
        line = 0
        while raw := self._stream.readline(MAX_ROW):
            line += 1
            try:
                row = CommandRow.model_validate_json(raw)
            except ValidationError as error:
                cut_off = " and cut off" if not raw.endswith(b"\n") else ""
                what = error.errors()[0]["msg"]
                self._note(line, f"the row is no command{cut_off}: {what}")
                continue
            if row.number != number + 1:
                self._note(line, f"the row has number {row.number} where {number + 1} is due")
            number = row.number
            if row.is_inner:
                self.inner.append(row)
            else:
                yield row

    def _note(self, line: int, what: str) -> None:
        if len(self.findings) < MAX_FINDINGS:
            self.findings.append(Finding(Place(self._file, line), what))


def read_commands(path: Path) -> list[CommandRow]:
    """Return what the harness ran, leaving out what cannot be read."""
    return read_table(path)[0]


def read_table(path: Path) -> tuple[list[CommandRow], list[CommandRow]]:
    """Return what the harness ran, and what the agent's own program ran, leaving out what cannot be read."""
    with path.open("rb") as stream:
        reader = CommandTableReader(stream, path.name)
        return list(reader), reader.inner
