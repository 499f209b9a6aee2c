"""The served copies of a run's evidence: what must not be served is masked, proven gone, or the run is withheld.

The raw files are read and never changed. What needed no mask is served as it is: its copy is the same to the byte.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from argusic.evidence.castreader import CastReader
from argusic.evidence.fingerprint import fingerprint
from argusic.evidence.layout import COMMANDS_NAME, LOG_NAME, RECORDING_NAME, REPORT_NAME
from argusic.evidence.redaction.commands import read_rows
from argusic.evidence.redaction.finding import Finder
from argusic.evidence.redaction.known import KnownSecret
from argusic.evidence.redaction.recordings import Redacting, redact_recording
from argusic.evidence.redaction.redacted import Masked, Redacted, ServedFile
from argusic.evidence.redaction.rules import rules
from argusic.evidence.redaction.screens import Screens
from argusic.evidence.redaction.whole import mask_commands, redact_json, redact_log, redact_table, redact_text

#: The agent's own steps, where it left any.
TRAJECTORY_NAME: Final = "trajectory.json"
#: The terminal of a recording that does not say.
_SIZE: Final = (120, 40)
#: Passes after which the masks of the commands must have settled: each adds what the last one met in an echo.
_MOST_PASSES: Final = 4


def redact(folder_in: Path, folder_out: Path, known: Sequence[KnownSecret] = ()) -> Redacted:
    """Write the served copies of a run's evidence and prove them.

    Args:
        folder_in: The raw files: recording, log, command table, report, trajectory, as far as there are any.
        folder_out: Where the copies go. It must exist.
        known: The credentials that the attempt held.

    Raises:
        OSError: A file cannot be read or written.
    """
    columns, rows = terminal_size(folder_in / RECORDING_NAME)
    finder = Finder(rules(), tuple(known), columns)
    commands = read_rows(folder_in / COMMANDS_NAME)
    mask_commands(commands, finder)
    done: dict[str, Redacting] = {}

    def each(name: str, work: Callable[[Path, Path], Redacting]) -> bool:
        """Redact a file that is there; return whether the commands' masks were all known before."""
        if not (folder_in / name).is_file():
            return True
        done[name] = work(folder_in / name, folder_out / name)
        return not done[name].new_in_commands

    echoes = {echoed.row.offset + 1: echoed for echoed in commands}
    for _ in range(_MOST_PASSES):
        screens = Screens(finder, columns, rows)
        settled = each(RECORDING_NAME, partial(redact_recording, finder=finder, screens=screens, echoes=echoes))
        settled &= each(LOG_NAME, partial(redact_log, finder=finder, commands=commands))
        if settled:
            break
    each(COMMANDS_NAME, partial(redact_table, finder=finder, commands=commands))
    each(REPORT_NAME, partial(redact_text, finder=finder))
    each(TRAJECTORY_NAME, partial(redact_json, finder=finder))
    reasons = [
        f"{name} holds {result.unsearchable} data that cannot be searched for the run's credential"
        for name, result in done.items()
        if result.unsearchable
    ]
    if screens.too_much:
        reasons.append("more of the recording is drawn at places than can be looked at")
    if not settled:
        reasons.append("the same masks cannot be given to the commands in table, recording and log")
    return Redacted(
        files=tuple(_served(name, folder_in, folder_out, result) for name, result in done.items()),
        withheld=reasons[0] if reasons else None,
    )


def _served(name: str, folder_in: Path, folder_out: Path, result: Redacting) -> ServedFile:
    return ServedFile(
        name=name,
        raw=fingerprint(folder_in / name),
        served=fingerprint(folder_out / name),
        masked=tuple(Masked(what, rule, count) for (what, rule), count in sorted(result.tally.counts().items())),
    )


def terminal_size(recording: Path) -> tuple[int, int]:
    """Return a recording's columns and rows, or the usual ones where it does not say."""
    if recording.is_file():
        with recording.open("rb") as stream:
            reader = CastReader(stream, recording.name)
            next(iter(reader), None)
            if reader.header is not None:
                return reader.header.width, reader.header.height
    return _SIZE
