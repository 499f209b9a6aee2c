"""What the bar below a reel's picture says at each moment. No program in the recording can write there."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Literal, NamedTuple

from argusic.evidence.commands import CommandRow
from argusic.evidence.reel.planning import Plan
from argusic.evidence.reel.source import Source
from argusic.evidence.reel.telling import failed, says_pause

#: How a line is meant: as a fact, a failure, a success after one, or what an agent wrote.
Tone = Literal["plain", "failed", "fixed", "quoted"]

#: How long, in seconds of the reel, a line stays behind the moment that it is about.
_STAYS = 1.0
#: A longer command is not drawn to its end anyway.
_MOST_SHOWN = 400


class Bar(NamedTuple):
    """The bar at one moment."""

    number: int
    """The command that runs or ran last; 0 before the first."""
    of: int
    """How many commands there are."""
    command: str
    """The command's first line."""
    clock: str
    """The second of the recording, and its length."""
    speed: str
    """How many times faster it runs."""
    caption: str
    """What is said of a command."""
    tone: Tone
    """How that is meant."""
    mark: str
    """What is left out or cut short here."""
    note: str
    """What the report says, or else which run this is."""
    note_tone: Tone
    """How that is meant."""
    reached: float
    """How far the recording is, from 0 to 1."""


@dataclass(frozen=True)
class _Line:
    starts: float
    ends: float
    says: str
    tone: Tone


class Showing:
    """The bar of one reel.

    Args:
        source: The run.
        plan: The edits.

    Attributes:
        failures: Where in the recording a command failed, from 0 to 1.
        trims: What is left out, from 0 to 1.
    """

    def __init__(self, source: Source, plan: Plan) -> None:
        self._source = source
        self._times = plan.times
        self._speed = f"×{plan.pace.speed:g}" if plan.pace.speed > 1 else ""
        self._starts = [row.started for row in source.rows]
        rows = {row.number: row for row in source.rows}
        times = plan.times

        def around(row: CommandRow, whole: bool) -> tuple[float, float]:
            end = source.seconds if row.ended is None else row.ended
            return times.at(row.started if whole else end), times.past(end) + _STAYS

        self._captions, self._notes = [], []
        for caption in plan.captions:
            row = rows[caption.command]
            if caption.kind == "reported":
                self._notes.append(_Line(*around(row, False), caption.says, "quoted"))
            else:
                tone: Tone = "failed" if caption.kind == "failed" else "fixed"
                self._captions.append(_Line(*around(row, caption.kind == "again"), caption.says, tone))
        marks = [_Line(times.at(trim.starts), times.past(trim.ends), trim.says, "plain") for trim in plan.trims]
        for start, end in times.pauses:
            since = times.at(start)
            marks.append(_Line(since, max(times.at(end), since + _STAYS), says_pause(start, end), "plain"))
        self._marks = sorted(marks, key=lambda line: line.starts)
        self._captions.sort(key=lambda line: line.starts)
        self._notes.sort(key=lambda line: line.starts)
        run = source.run
        self._who = f"{run.subject} by {run.agent}, run {run.run}, edition {run.edition}"
        long = max(source.seconds, 1e-6)
        ends = [source.seconds if row.ended is None else row.ended for row in source.rows if failed(row)]
        self.failures = tuple(min(1.0, end / long) for end in ends)
        self.trims = tuple((trim.starts / long, trim.ends / long) for trim in plan.trims)

    def at(self, moment: float) -> Bar:
        """Return the bar at a moment of the reel."""
        second = min(self._times.second(moment), self._source.seconds)
        before = bisect_right(self._starts, second)
        row = self._source.rows[before - 1] if before else None
        caption, note, mark = (_now(lines, moment) for lines in (self._captions, self._notes, self._marks))
        return Bar(
            number=row.number if row is not None else 0,
            of=len(self._source.rows),
            command=_first_line(row.command) if row is not None else "",
            clock=f"{clock(second)} of {clock(self._source.seconds)}",
            speed=self._speed,
            caption=caption.says if caption is not None else "",
            tone=caption.tone if caption is not None else "plain",
            mark=mark.says if mark is not None else "",
            note=note.says if note is not None else self._who,
            note_tone=note.tone if note is not None else "plain",
            reached=second / max(self._source.seconds, 1e-6),
        )


def _now(lines: list[_Line], moment: float) -> _Line | None:
    """Return the line that began last, if it is still to be read."""
    before = bisect_right(lines, moment, key=lambda line: line.starts) - 1
    return lines[before] if before >= 0 and moment < lines[before].ends else None


def _first_line(command: str) -> str:
    first, more, _ = command[:_MOST_SHOWN].partition("\n")
    plain = "".join(c if c.isprintable() else " " for c in first)
    return plain + " …" if more else plain


def clock(seconds: float) -> str:
    """Return a time as on a clock: `0:04`, `12:30`, `1:02:03`."""
    whole = int(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
