"""How much of an attempt its recording proves. A recording that is there proves nothing: it must cover.

Complete means: it opens with the begin marker and its last event is the end marker; between the two lies the
whole of the agent's phase; every command of the table stands in it at the place, and at the time, that the table
names, with its echoed prompt, and it holds no command that the table does not; every prompt stands in the log at
the line that the table names; and the files read whole. An agent that ran no command is covered by a recording
that spans its phase. What an agent's own program ran is counted, and no part of this: it has no place in the recording.

Not proven: that nothing else ran inside the sandbox, and that the files are the ones the host wrote (signatures).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, Final

from argusic.errors import Finding
from argusic.evidence.asciicast import BEGIN_MARKER, END_MARKER, Event, command_marker, prompt, prompt_event
from argusic.evidence.castreader import CastReader
from argusic.evidence.commands import CommandRow, CommandTableReader
from argusic.records.manifest import Coverage

#: How far the recording may fall short of the agent's phase: the two clocks are read a moment apart.
SLACK_SECONDS: Final = 2.0
#: Times in recording and table are written to the microsecond.
SAME_TIME: Final = 2e-6
#: The most of the log that is held at once.
_PIECE: Final = 1024 * 1024
#: How many lacks are listed; a file of another kind would give thousands.
_MOST_LACKS: Final = 40
#: How many missing commands are named one by one.
_NAMED: Final = 10

_COMMAND_MARKER = re.compile(r"command \d+")


def measure(recording: Path | None, commands: Path | None, log: Path | None, agent_seconds: float) -> Coverage:
    """Measure what a recording covers.

    Args:
        recording: The recording, or None where there is none.
        commands: The command table, or None where there is none.
        log: The log, or None where there is none.
        agent_seconds: The length of the agent's phase.
    """
    files = {"recording": recording, "command table": commands, "log": log}
    if recording is None or commands is None or log is None:
        lacks = [f"there is no {what}" for what, path in files.items() if path is None]
        return _coverage(agent_seconds, _Watch({}), 0, lacks)
    with commands.open("rb") as stream:
        table = CommandTableReader(stream, "the command table")
        rows = list(table)
    watch = _Watch({row.offset: row for row in rows})
    with recording.open("rb") as stream:
        reader = CastReader(stream, "the recording")
        for event in reader:
            watch.see(event)
    lacks = [_sentence(finding) for finding in (*reader.findings, *table.findings)]
    lacks += _lacks(watch, rows, agent_seconds)
    lacks += _named("is not in the recording where the table says", rows, watch.seen)
    with log.open("rb") as stream:
        lacks += _named("is not in the log where the table says", rows, _prompts_in(stream, rows))
    return _coverage(agent_seconds, watch, len(rows), lacks).model_copy(update=_inner(rows, table.inner))


def _inner(rows: list[CommandRow], inner: list[CommandRow]) -> dict[str, object]:
    program = next((row for row in rows if row.source == "program"), None)
    return {"inner": len(inner), "inner_seen": program.seen_by} if program is not None else {}


class _Watch:
    """What is remembered while the events pass by."""

    def __init__(self, due: Mapping[int, CommandRow]) -> None:
        self._due = due
        self._echo: CommandRow | None = None
        self.events = 0
        self.last = 0.0
        self.begun_at: float | None = None
        self.ended = False
        self.markers = 0
        self.seen: set[int] = set()

    def see(self, event: Event) -> None:
        if self._echo is not None:
            if event.kind == "o" and event.data == prompt_event(self._echo.command):
                self.seen.add(self._echo.number)
            self._echo = None
        marker = event.data if event.kind == "m" else None
        if marker == BEGIN_MARKER and self.events == 0:
            self.begun_at = event.time
        if marker is not None and _COMMAND_MARKER.fullmatch(marker):
            self.markers += 1
            row = self._due.get(self.events)
            if row and marker == command_marker(row.number) and abs(event.time - row.started) <= SAME_TIME:
                self._echo = row
        self.ended = marker == END_MARKER
        self.last = max(self.last, event.time)
        self.events += 1


def _lacks(watch: _Watch, rows: list[CommandRow], agent_seconds: float) -> list[str]:
    lacks = []
    if watch.begun_at is None or watch.begun_at > SLACK_SECONDS:
        lacks.append("the recording carries no mark of its beginning")
    if not watch.ended:
        lacks.append("the recording carries no mark of its regular end")
    if watch.last + SLACK_SECONDS < agent_seconds:
        lacks.append(f"the recording ends {agent_seconds - watch.last:.1f} s before the agent's phase does")
    if watch.markers > len(rows):
        lacks.append(f"the recording shows {watch.markers} commands and the table lists {len(rows)}")
    for row in rows:
        if row.ended is None:
            lacks.append(f"command {row.number} has no end in the table")
        elif row.ended < row.started or row.ended > watch.last + SAME_TIME:
            lacks.append(f"command {row.number} ends outside of the recording or before it started")
    return lacks


def _named(what: str, rows: list[CommandRow], seen: set[int]) -> list[str]:
    missing = [row.number for row in rows if row.number not in seen]
    lacks = [f"command {number} {what}" for number in missing[:_NAMED]]
    if len(missing) > _NAMED:
        lacks.append(f"this holds of {len(missing) - _NAMED} further commands")
    return lacks


def _prompts_in(log: BinaryIO, rows: list[CommandRow]) -> set[int]:
    """Return the numbers of the commands whose prompt stands in the log at its line."""
    due = {row.log_line: row for row in rows}
    seen = set()
    line = 1
    while piece := log.readline(_PIECE):
        if (row := due.pop(line, None)) is not None:
            expected = prompt(row.command).encode() + b"\n"
            piece += log.read(max(0, len(expected) - len(piece)))
            if piece == expected:
                seen.add(row.number)
        line += piece.count(b"\n")
    return seen


def _coverage(agent_seconds: float, watch: _Watch, commands: int, lacks: list[str]) -> Coverage:
    return Coverage(
        agent_seconds=agent_seconds,
        recorded_seconds=round(watch.last, 6),
        events=watch.events,
        commands=commands,
        commands_seen=len(watch.seen),
        end_marked=watch.ended,
        complete=not lacks,
        lacks=tuple(lacks[:_MOST_LACKS]),
    )


def _sentence(finding: Finding) -> str:
    return f"{finding.place.file}, line {finding.place.line}: {finding.what}"
