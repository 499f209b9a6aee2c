from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from argusic.evidence.coverage import measure
from argusic.records.manifest import Coverage

#: A session of two commands; the second has two lines. The agent's phase took 9.5 seconds.
EVENTS: list[list[object]] = [
    [0.0, "m", "begin"],
    [1.0, "m", "command 1"],
    [1.0, "o", "$ ls\r\n"],
    [1.1, "o", "a\r\n"],
    [3.0, "m", "command 2"],
    [3.0, "o", "$ cat\r\n> x\r\n"],
    [9.0, "m", "note: over"],
    [9.6, "m", "end"],
]
ROWS: list[dict[str, object]] = [
    {
        "number": 1,
        "command": "ls",
        "started": 1.0,
        "ended": 2.0,
        "exit_status": 0,
        "cut": None,
        "offset": 1,
        "log_line": 1,
    },
    {
        "number": 2,
        "command": "cat\nx",
        "started": 3.0,
        "ended": 4.0,
        "exit_status": 1,
        "cut": None,
        "offset": 4,
        "log_line": 3,
    },
]
LOG = "$ ls\na\n$ cat\n> x\n"


class Session:
    """The files of the session, to be changed before they are measured."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.events = [list(event) for event in EVENTS]
        self.rows = [dict(row, recorded_by="host") for row in ROWS]
        self.log = LOG
        self.seconds = 9.5

    def measure(self) -> Coverage:
        header = {"version": 2, "width": 80, "height": 24}
        recording = self.folder / "recording.cast"
        recording.write_text("".join(json.dumps(line) + "\n" for line in [header, *self.events]))
        commands = self.folder / "commands.jsonl"
        commands.write_text("".join(json.dumps(row) + "\n" for row in self.rows))
        log = self.folder / "session.log"
        log.write_text(self.log)
        return measure(recording, commands, log, self.seconds)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


def test_a_recording_that_covers_everything_is_complete(session: Session) -> None:
    assert session.measure() == Coverage(
        agent_seconds=9.5,
        recorded_seconds=9.6,
        events=8,
        commands=2,
        commands_seen=2,
        end_marked=True,
        complete=True,
    )


def test_an_agent_without_commands_is_covered_by_a_recording_that_spans_its_phase(session: Session) -> None:
    session.events, session.rows, session.log = [EVENTS[0], EVENTS[-1]], [], ""
    assert session.measure().complete


def test_a_recording_that_is_there_but_empty_is_not_complete(session: Session) -> None:
    session.events = []
    coverage = session.measure()
    assert not coverage.complete
    assert coverage.lacks == (
        "the recording carries no mark of its beginning",
        "the recording carries no mark of its regular end",
        "the recording ends 9.5 s before the agent's phase does",
        "command 1 ends outside of the recording or before it started",
        "command 2 ends outside of the recording or before it started",
        "command 1 is not in the recording where the table says",
        "command 2 is not in the recording where the table says",
    )


def _drop(index: int) -> Callable[[Session], None]:
    def change(session: Session) -> None:
        del session.events[index]

    return change


def _set(index: int, place: int, value: object) -> Callable[[Session], None]:
    def change(session: Session) -> None:
        session.events[index][place] = value

    return change


def _row(index: int, field: str, value: object) -> Callable[[Session], None]:
    def change(session: Session) -> None:
        session.rows[index][field] = value

    return change


def _log(text: str) -> Callable[[Session], None]:
    return lambda session: setattr(session, "log", text)


def _forged(session: Session) -> None:
    """Printed output that looks like a marker and a prompt is none."""
    session.events[4:6] = [[3.0, "o", "command 2"], [3.0, "o", "$ cat\r\n> x\r\n"]]


@pytest.mark.parametrize(
    ("change", "lack"),
    [
        (_drop(0), "no mark of its beginning"),
        (_set(0, 2, "note: begin"), "no mark of its beginning"),
        (_drop(-1), "no mark of its regular end"),
        (_set(-1, 1, "o"), "no mark of its regular end"),
        (lambda session: session.events.append([9.7, "o", "later"]), "no mark of its regular end"),
        (lambda session: setattr(session, "seconds", 60.0), "ends 50.4 s before the agent's phase does"),
        (_drop(4), "command 2 is not in the recording where the table says"),
        (_drop(5), "command 2 is not in the recording where the table says"),
        (_drop(3), "command 2 is not in the recording where the table says"),
        (_set(5, 2, "$ cat\r\n> y\r\n"), "command 2 is not in the recording where the table says"),
        (_set(4, 0, 2.5), "command 2 is not in the recording where the table says"),
        (_forged, "command 2 is not in the recording where the table says"),
        (_row(1, "command", "cat"), "command 2 is not in the recording where the table says"),
        (_row(1, "offset", 5), "command 2 is not in the recording where the table says"),
        (_row(1, "started", 3.5), "command 2 is not in the recording where the table says"),
        (_row(1, "ended", None), "command 2 has no end in the table"),
        (_row(1, "ended", 2.0), "command 2 ends outside of the recording or before it started"),
        (_row(1, "ended", 10.0), "command 2 ends outside of the recording or before it started"),
        (lambda session: session.rows.pop(), "the recording shows 2 commands and the table lists 1"),
        (lambda session: session.rows.pop(0), "the row has number 2 where 1 is due"),
        (_row(0, "recorded_by", "agent"), "the row is no command"),
        (_set(3, 0, 0.5), "the time goes backwards"),
        (_set(3, 0, "x"), "no number of seconds"),
        (_log(""), "command 1 is not in the log where the table says"),
        (_log("a\n" + LOG), "command 2 is not in the log where the table says"),
        (_log("$ ls\na\n$ cat\n> y\n"), "command 2 is not in the log where the table says"),
    ],
)
def test_each_thing_that_is_missing_makes_it_incomplete_and_is_said(
    session: Session, change: Callable[[Session], None], lack: str
) -> None:
    change(session)
    coverage = session.measure()
    assert not coverage.complete
    assert any(lack in said for said in coverage.lacks), coverage.lacks


def test_the_end_may_fall_short_by_the_moment_between_two_clocks(session: Session) -> None:
    session.seconds = 11.5
    assert session.measure().complete


@pytest.mark.parametrize("missing", ["recording", "command table", "log"])
def test_a_missing_file_is_said(session: Session, tmp_path: Path, missing: str) -> None:
    session.measure()
    recording, commands, log = (tmp_path / n for n in ("recording.cast", "commands.jsonl", "session.log"))
    coverage = measure(
        None if missing == "recording" else recording,
        None if missing == "command table" else commands,
        None if missing == "log" else log,
        9.5,
    )
    assert not coverage.complete
    assert coverage.lacks == (f"there is no {missing}",)
