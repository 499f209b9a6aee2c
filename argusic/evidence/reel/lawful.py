"""Whether an edit list is lawful for the run it names: every fault, with the field that it is in."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

from argusic.evidence.commands import CommandRow
from argusic.evidence.reel.planning import map_of
from argusic.evidence.reel.source import Source
from argusic.evidence.reel.telling import (
    failed,
    left_out,
    order,
    says_again,
    says_failed,
    says_reported,
    says_trim,
    successes,
)
from argusic.evidence.reel.timing import Pace, TimeMap
from argusic.records.reel import LONGEST, Caption, EditList, Trim

#: Where in a list something is wrong, and what.
Fault = tuple[tuple[str | int, ...], str]
#: How far times may differ by the way they were written.
_SAME: Final = 1e-4


def pace_of(edits: EditList) -> Pace:
    """Return how fast the reel of a list goes."""
    return Pace(edits.speed, edits.pause, edits.hold, edits.beat)


def faults_of_source(edits: EditList, source: Source) -> Iterator[Fault]:
    """Yield where a list names other evidence than the run's."""
    for field, listed, found in (
        ("run", edits.run, source.run.run),
        ("recording", edits.recording, source.recording_sha256),
        ("commands", edits.commands, source.commands_sha256),
        ("report", edits.report, source.report_sha256),
    ):
        if listed != found:
            yield (field,), f"it names {listed or 'none'}; the run's own is {found or 'none'}"
    if abs(edits.seconds - source.seconds) > _SAME:
        yield ("seconds",), f"the recording has {source.seconds} seconds"


def faults_of_edits(edits: EditList, source: Source) -> Iterator[Fault]:
    """Yield what a list does to the recording, or says of it, that is not allowed."""
    trims = list(_of_trims(edits.trims, source))
    yield from trims
    yield from _of_captions(edits, source)
    if trims:
        return  # How long the reel is means nothing then.
    length = map_of(source, pace_of(edits), edits.trims).length
    if length > LONGEST:
        yield ("speed",), f"the reel has {length:.0f} seconds at this speed; at most {LONGEST:.0f} are allowed"


def faults_of_result(edits: EditList, times: TimeMap, cast_sha256: str) -> Iterator[Fault]:
    """Yield where what a list says of its result is not what its edits come to."""
    if abs(edits.reel_seconds - times.length) > _SAME:
        yield ("reel_seconds",), f"these edits come to {times.length} seconds"
    if edits.cast_sha256 != cast_sha256:
        yield ("cast_sha256",), f"these edits of the recording come to {cast_sha256}"


def _of_trims(trims: Sequence[Trim], source: Source) -> Iterator[Fault]:
    again = {number: of for of, number in successes(source.rows).items()}
    last = 0.0
    for index, trim in enumerate(trims):
        place = ("trims", index)
        if trim.starts < last:
            yield (*place, "starts"), "it begins before the trim above it ends; trims stand in the recording's order"
            continue
        if trim.ends <= trim.starts:
            yield (*place, "ends"), "it does not end behind its start"
            continue
        if trim.ends > source.seconds:
            yield (*place, "ends"), f"it ends behind the recording, which has {source.seconds} seconds"
            continue
        last = trim.ends
        bounds = (("starts", trim.starts), ("ends", trim.ends))
        cut = [(field, row) for field, at in bounds if (row := _running_at(at, source.rows)) is not None]
        for field, row in cut:
            what = "failed" if failed(row) else "succeeded"
            yield (
                (*place, field),
                f"it cuts inside of command {row.number}, which {what}; only between commands is allowed",
            )
        skipped = left_out(trim, source.rows)
        for row in skipped:
            if failed(row):
                yield place, f"it leaves out command {row.number}, which failed; no failure is left out"
            elif row.number in again:
                yield (
                    place,
                    f"it leaves out command {row.number}, which got past the failure of command {again[row.number]}",
                )
        mark = says_trim(trim.starts, trim.ends, [row.number for row in skipped])
        if not cut and trim.says != mark:
            yield (*place, "says"), f"its mark must be: {mark}"


def _running_at(second: float, rows: Sequence[CommandRow]) -> CommandRow | None:
    """Return the command that had started before a second and had not ended."""
    before = bisect_left(rows, second, key=lambda row: row.started) - 1
    row = rows[before] if before >= 0 else None
    return row if row is not None and (row.ended is None or second < row.ended) else None


def _of_captions(edits: EditList, source: Source) -> Iterator[Fault]:
    rows = {row.number: row for row in source.rows}
    for index, caption in enumerate(edits.captions):
        place = ("captions", index)
        before = edits.captions[index - 1] if index else None
        if before is not None and order(before) >= order(caption):
            yield (*place, "command"), "it is out of order; captions stand in the order of the commands, each once"
        if caption.command not in rows:
            yield (*place, "command"), f"the command table has no command {caption.command}"
            continue
        yield from _of_words(place, caption, rows, source)
    said = {caption.command for caption in edits.captions if caption.kind == "failed"}
    for row in source.rows:
        if failed(row) and row.number not in said:
            yield ("captions",), f"command {row.number} failed, and no caption says so"
            return


def _of_words(
    place: tuple[str | int, ...], caption: Caption, rows: dict[int, CommandRow], source: Source
) -> Iterator[Fault]:
    row = rows[caption.command]
    words: str | None = None
    if caption.kind == "again":
        of = caption.of or 0
        if successes(source.rows).get(of) != row.number:
            yield (*place, "of"), f"command {row.number} is not the first success of a command {of} that had failed"
            return
        words = says_again(of, row.number)
    elif not failed(row):
        yield (*place, "kind"), f"command {row.number} did not fail: it ended with exit status 0"
        return
    elif caption.kind == "failed":
        if caption.of is not None:
            yield (*place, "of"), "a failure is of no other command"
        words = says_failed(row)
    else:
        words = says_reported(source.report, caption.of or 0) if source.report is not None else None
        if words is None:
            yield (*place, "of"), f"the report says nothing of an error {caption.of}"
            return
    if caption.says != words:
        yield (*place, "says"), f"by the record it must be: {words}"
