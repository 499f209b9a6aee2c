"""Choosing the edits of a reel, so that a long recording is watched in a minute and no failure is missed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from argusic.errors import InputError
from argusic.evidence.reel.source import Source
from argusic.evidence.reel.telling import captions, failed, says_trim, stops, successes
from argusic.evidence.reel.timing import Pace, TimeMap, find_pauses, time_map
from argusic.records.reel import LONGEST, Caption, Trim

#: How long a reel is by default, in seconds, and the longest pause that is kept in it.
LENGTH: Final = 60.0
PAUSE: Final = 1.5
#: The fastest that text can still be followed; beyond it, commands that succeeded are left out first.
_FOLLOWED: Final = 8.0
_FASTEST: Final = 100.0
#: The picture stands still for at most so long, and all of that together for at most so much of a reel.
_HOLD: Final = 1.5
_LEAST_HOLD: Final = 0.3
_BEAT: Final = 0.6
_MOST_STILL: Final = 0.4


@dataclass(frozen=True)
class Plan:
    """The edits of one reel.

    Attributes:
        pace: How fast it goes.
        trims: What is left out.
        captions: What is said.
        times: The map that follows from these.
    """

    pace: Pace
    trims: tuple[Trim, ...]
    captions: tuple[Caption, ...]
    times: TimeMap


def plan(source: Source, *, length: float = LENGTH, speed: float | None = None, pause: float = PAUSE) -> Plan:
    """Choose the edits: a higher speed first, then trims of commands that succeeded, then haste.

    Args:
        source: The run.
        length: How long the reel is to be, in seconds.
        speed: The speed, where it is not to be chosen.
        pause: The longest time without output that is kept, in seconds of the recording.

    Raises:
        InputError: Whatever is done, the reel is longer than reels may be.
    """
    choosing = _Choosing(source, length, pause)
    rows = choosing.may_be_left_out()
    slow, followed, fast = (speed, speed, speed) if speed is not None else (1.0, _FOLLOWED, _FASTEST)
    chosen = choosing.made(choosing.needed(slow, followed, 0), 0)
    if chosen.times.length > length and rows:
        # The fewest commands that are enough; leaving out another never makes a reel longer by much.
        fewest, most = 1, len(rows)
        while fewest < most:
            middle = (fewest + most) // 2
            if choosing.made(followed, middle).times.length > length:
                fewest = middle + 1
            else:
                most = middle
        chosen = choosing.made(followed, fewest)
    if chosen.times.length > length:
        choosing.hurry()
        chosen = choosing.made(choosing.needed(followed, fast, len(rows)), len(rows))
    if chosen.times.length > LONGEST:
        raise InputError(
            f"the shortest lawful reel of run {source.run.run} has {chosen.times.length:.0f} seconds; at most "
            f"{LONGEST:.0f} are made.",
            advice="Watch the recording with: argusic evidence play",
        )
    return chosen


class _Choosing:
    """The edits of one recording, for any speed and number of commands left out."""

    def __init__(self, source: Source, length: float, pause: float) -> None:
        self._source = source
        self._length = length
        self._captions = captions(source)
        self._pauses = find_pauses(source.recording, source.rows, (), pause)
        self._pause = pause
        fixes = successes(source.rows)
        again = set(fixes.values())
        matter = sum(failed(row) or row.number in again for row in source.rows)
        still = _MOST_STILL * length
        self._hold = round(min(_HOLD, max(_LEAST_HOLD, still / max(matter, 1))), 2)
        left = max(0.0, still - self._hold * matter)
        self._beat = math.floor(100 * min(_BEAT, left / max(len(source.rows) - matter, 1))) / 100
        lasting = {row.number: row.ended - row.started for row in source.rows if row.ended is not None}
        for start, end in self._pauses:
            number = _within(source, start, end)
            if number in lasting:
                lasting[number] -= end - start - pause
        allowed = [
            row.number
            for row in source.rows[1:-1]
            if row.ended is not None and not failed(row) and row.number not in again
        ]
        # What stands between a failure and its success may be the fix, and goes last.
        fixing = {number for failure, success in fixes.items() for number in range(failure, success)}
        self._longest_first = sorted(allowed, key=lambda number: (number in fixing, -lasting[number], number))

    def may_be_left_out(self) -> list[int]:
        """Return the numbers of commands that succeeded, those that are missed least first."""
        return self._longest_first

    def hurry(self) -> None:
        """Stand still for no longer than it takes to see that something failed."""
        self._hold, self._beat = _LEAST_HOLD, 0.0

    def needed(self, slow: float, fast: float, out: int) -> float:
        """Return the lowest speed between two at which the reel is short enough, or the higher one."""
        if slow == fast:
            return slow
        at_one = self.made(1.0, out)
        still = sum(leave - arrive for arrive, leave in zip(at_one.times.arrives, at_one.times.leaves, strict=True))
        moving = at_one.times.length - still
        room = self._length - still
        return min(fast, max(slow, math.ceil(10 * moving / room) / 10)) if room > 0 else fast

    def made(self, speed: float, out: int) -> Plan:
        """Return the edits with the `out` longest commands left out."""
        trims = self._trims(set(self._longest_first[:out]))
        pace = Pace(speed, self._pause, self._hold, self._beat)
        return Plan(pace, trims, self._captions, map_of(self._source, pace, trims, self._pauses))

    def _trims(self, out: set[int]) -> tuple[Trim, ...]:
        made = []
        rows = self._source.rows
        at = 0
        while at < len(rows):
            last = at
            while last < len(rows) and rows[last].number in out:
                last += 1
            if last > at:
                # Neither the first nor the last command is ever left out.
                starts, ends = rows[at - 1].ended, rows[last].started
                assert starts is not None
                numbers = [row.number for row in rows[at:last]]
                made.append(Trim(starts=starts, ends=ends, says=says_trim(starts, ends, numbers)))
            at = last + 1
        return tuple(made)


def map_of(
    source: Source, pace: Pace, trims: Sequence[Trim], pauses: Sequence[tuple[float, float]] | None = None
) -> TimeMap:
    """Return the map of a reel with these edits.

    Args:
        source: The run.
        pace: How fast it goes.
        trims: What is left out.
        pauses: Where nothing is printed for longer than the pace keeps, where that is known.
    """
    if pauses is None:
        pauses = find_pauses(source.recording, source.rows, trims, pace.pause)
    return time_map(source.seconds, pace, pauses, trims, stops(source, pace, trims))


def _within(source: Source, start: float, end: float) -> int | None:
    """Return the number of the command during which a pause is; found by halves, for there may be many."""
    rows = source.rows
    low, high = 0, len(rows)
    while low < high:
        middle = (low + high) // 2
        if rows[middle].started <= start:
            low = middle + 1
        else:
            high = middle
    row = rows[low - 1] if low else None
    return row.number if row is not None and row.ended is not None and end <= row.ended else None
