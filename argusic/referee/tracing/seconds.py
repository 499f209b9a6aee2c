"""Where chains end: a command of the table, and the second of the recording at which it stands."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import PurePosixPath

from argusic.database.paths import withdrawal_path
from argusic.errors import Place
from argusic.evidence.asciicast import command_marker
from argusic.evidence.commands import CommandRow
from argusic.evidence.coverage import SAME_TIME
from argusic.evidence.layout import COMMANDS_NAME, LOG_NAME, RECORDING_NAME
from argusic.referee.tracing.address import figure_at
from argusic.referee.tracing.ground import Ground
from argusic.referee.tracing.link import Broken, Link
from argusic.referee.tracing.proven import ProvenRun

#: A command line in a link is cut behind this many characters.
_MOST_SHOWN = 200


def player(proven: ProvenRun, second: float) -> str:
    """Return the page of the site that plays a recording from a second on."""
    at = f"{second:.2f}".rstrip("0").rstrip(".")
    return f"runs/{proven.run.cycle}/{proven.run.run}/recording.html?t={at}"


def commands(ground: Ground, proven: ProvenRun, rows: Iterable[CommandRow]) -> tuple[Link, ...]:
    """Return links to commands; where there are none, to the end of the whole recording."""
    return tuple(command(proven, row) for row in rows) or (whole(ground, proven),)


def command(proven: ProvenRun, row: CommandRow) -> Link:
    """Return the link to one command, which ends in its second.

    Raises:
        Broken: The recording does not show it there.
    """
    file = proven.file("commands")
    assert file is not None, "rows are read from it"
    log, logged = proven.file("log"), proven.manifest.coverage.complete and not row.is_inner
    flat = " ".join(row.command.split())
    ended = "has no end" if row.exit_status is None else f"ended with status {row.exit_status}"
    path = proven.path.parent / COMMANDS_NAME
    return Link(
        what=f"command {row.number}, which {ended}",
        value=flat if len(flat) <= _MOST_SHOWN else flat[: _MOST_SHOWN - 1] + "…",
        file=str(path),
        sha256=file.sha256,
        address=figure_at(path, row.number),
        line=row.number,
        checked=("the log has its prompt at the line that the table names",) if logged else (),
        against=((str(proven.path.parent / LOG_NAME), log.sha256),) if logged and log else (),
        below=(_second(proven, row),),
    )


def _second(proven: ProvenRun, row: CommandRow) -> Link:
    file, recording = proven.file("recording"), proven.recording
    if file is None or recording is None:
        return _gone(proven)
    path = proven.path.parent / RECORDING_NAME
    if row.is_inner:
        return _second_within(proven, row, path, file.sha256)
    time, marker = recording.markers.get(row.offset, (-1.0, ""))
    if marker != command_marker(row.number) or abs(time - row.started) > SAME_TIME:
        raise Broken(
            Place(path), f"it does not show command {row.number} at second {row.started:g} and event {row.offset}"
        )
    return Link(
        what="the second of the recording at which it starts",
        value=time,
        file=str(path),
        sha256=file.sha256,
        line=row.offset + 2,
        second=time,
        play=player(proven, time),
        checked=("the recorder marked the command there",),
    )


def _second_within(proven: ProvenRun, row: CommandRow, path: PurePosixPath, sha256: str) -> Link:
    """Return the link to the second at which an agent's own program ran a command: within that program's own time."""
    program = next((one for one in proven.commands if one.offset == row.offset), None)
    if program is None or not program.started <= row.started <= (program.ended or math.inf) + SAME_TIME:
        raise Broken(Place(path), f"no program runs in it at second {row.started:g}, where command {row.number} starts")
    seen = "the host saw it from outside" if row.source == "observed" else "a shell inside said so, which proves less"
    return Link(
        what="the second of the recording at which the agent's program ran it",
        value=row.started,
        file=str(path),
        sha256=sha256,
        line=row.offset + 2,
        second=row.started,
        play=player(proven, row.started),
        checked=(seen,),
    )


def whole(ground: Ground, proven: ProvenRun) -> Link:
    """Return the link to a recording as a whole: to its last second, or to why there is none.

    Raises:
        Broken: It shows nothing, though the run counts.
    """
    file, recording = proven.file("recording"), proven.recording
    if file is None or recording is None:
        return _gone(proven)
    path = proven.path.parent / RECORDING_NAME
    if not recording.events and proven.score.outcome != "invalid":
        raise Broken(Place(path), "nothing in it can be played, though the run counts")
    return Link(
        what="the recording, to its last second",
        value=recording.last,
        file=str(path),
        sha256=file.sha256,
        address=figure_at(path, "seconds"),
        second=recording.last,
        play=player(proven, recording.last),
        checked=("measured again, it covers what the manifest says",),
        remarks=proven.manifest.coverage.lacks,
    )


def _gone(proven: ProvenRun) -> Link:
    """Return the link to why there is no recording."""
    tombstone, redaction = proven.withdrawal, proven.manifest.redaction
    if tombstone is not None:
        path = withdrawal_path(proven.run.cycle, proven.run.run)
        return Link("the recording was withdrawn", tombstone.reason, str(path), proven.sha256_at(path))
    why = redaction.withheld if redaction is not None and redaction.withheld else "The attempt left no recording."
    return Link("there is no recording", why, str(proven.manifest_path), proven.manifest_sha256)
