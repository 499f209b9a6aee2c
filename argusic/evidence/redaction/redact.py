"""The served copies of a run's evidence: what must not be served is masked, proven gone, or the run is withheld.

The raw files are read and never changed. What needed no mask is served as it is: its copy is the same to the byte.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final

from argusic.evidence.castreader import CastReader
from argusic.evidence.fingerprint import fingerprint
from argusic.evidence.layout import (
    COMMANDS_NAME,
    EXCHANGES_NAME,
    LOG_NAME,
    RECORDING_NAME,
    REPORT_NAME,
    TRAJECTORY_NAME,
)
from argusic.evidence.redaction.banners import BannerSearch, banners
from argusic.evidence.redaction.commands import read_rows
from argusic.evidence.redaction.finding import Finder
from argusic.evidence.redaction.known import KnownSecret
from argusic.evidence.redaction.proof import Proof
from argusic.evidence.redaction.recordings import Redacting, redact_recording
from argusic.evidence.redaction.redacted import Masked, Redacted, ServedFile
from argusic.evidence.redaction.rules import rules
from argusic.evidence.redaction.screens import Screens
from argusic.evidence.redaction.whole import mask_commands, redact_json, redact_log, redact_table, redact_text

_JSON: Final = (COMMANDS_NAME, TRAJECTORY_NAME, EXCHANGES_NAME)
#: The terminal of a recording that does not say.
_SIZE: Final = (120, 40)
#: Passes after which the masks of the commands must have settled: each adds what the last one met in an echo.
_MOST_PASSES: Final = 4


def redact(
    folder_in: Path, folder_out: Path, known: Sequence[KnownSecret] = (), *, program: str | None = None
) -> Redacted:
    """Write the served copies of a run's evidence and prove them.

    Args:
        folder_in: The raw files: recording, log, command table, report, trajectory, as far as there are any.
        folder_out: Where the copies go. It must exist.
        known: The credentials that the attempt held.
        program: The agent's own program, where its banner is known (`argusic.evidence.redaction.banners.banners`): its
            start-up banner is blanked in what the command printed that started it.

    Raises:
        KeyError: No banner is known for that program.
        OSError: A file cannot be read or written.
    """
    columns, rows = terminal_size(folder_in / RECORDING_NAME)
    table = rules()
    finder = Finder(table, tuple(known), columns)
    banner = BannerSearch(banners()[program], rows) if program is not None else None
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
        of_recording = partial(redact_recording, finder=finder, screens=screens, echoes=echoes, banner=banner)
        settled = each(RECORDING_NAME, of_recording)
        settled &= each(LOG_NAME, partial(redact_log, finder=finder, commands=commands, banner=banner))
        if settled:
            break
    each(COMMANDS_NAME, partial(redact_table, finder=finder, commands=commands))
    each(REPORT_NAME, partial(redact_text, finder=finder))
    each(TRAJECTORY_NAME, partial(redact_json, finder=finder))
    each(EXCHANGES_NAME, partial(redact_json, finder=finder))
    reasons = [
        f"{name} holds {result.unsearchable} data that cannot be searched for the run's credential"
        for name, result in done.items()
        if result.unsearchable
    ]
    if screens.too_much:
        reasons.append("more of the recording is drawn at places than can be looked at")
    if not settled:
        reasons.append("the same masks cannot be given to the commands in table, recording and log")
    # Digests are taken beside the proof: neither needs the interpreter for long.
    with ThreadPoolExecutor(1) as beside:
        prints = [beside.submit(fingerprint, folder / name) for name in done for folder in (folder_in, folder_out)]
        proof = Proof(table, tuple(known), columns, rows)
        reasons += [
            f"{name} is not proven free of {left}"
            for name in done
            if (left := _left(proof, folder_out / name)) is not None
        ]
        files = tuple(
            ServedFile(
                name=name,
                raw=prints[2 * number].result(),
                served=prints[2 * number + 1].result(),
                banner=result.banner,
                masked=tuple(Masked(*key, count) for key, count in sorted(result.tally.counts().items())),
            )
            for number, (name, result) in enumerate(done.items())
        )
    return Redacted(files=files, withheld=reasons[0] if reasons else None)


def _left(proof: Proof, served: Path) -> str | None:
    if served.name == RECORDING_NAME:
        return proof.of_recording(served)
    return proof.of_text(served, json=served.name in _JSON)


def terminal_size(recording: Path) -> tuple[int, int]:
    """Return a recording's columns and rows, or the usual ones where it does not say."""
    if recording.is_file():
        with recording.open("rb") as stream:
            reader = CastReader(stream, recording.name)
            next(iter(reader), None)
            if reader.header is not None:
                return reader.header.width, reader.header.height
    return _SIZE
