"""The map from a recording's time to a reel's: faster, with long pauses cut short and trims at one instant.

It never goes backwards and has no gap, so nothing is re-ordered and nothing is left out: what a trim skips is time.
"""

from __future__ import annotations

import heapq
import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from argusic.evidence.castreader import CastReader
from argusic.evidence.commands import CommandRow
from argusic.records.reel import Trim


@dataclass(frozen=True)
class Pace:
    """How fast a reel goes.

    Attributes:
        speed: How many times faster than the recording.
        pause: The longest time without output that is kept, in seconds of the recording.
        hold: How long the picture stands still at a failure, a success after one and a trim, in seconds of the reel.
        beat: How long it stands still where any other command ends.
    """

    speed: float
    pause: float
    hold: float
    beat: float


@dataclass(frozen=True)
class TimeMap:
    """Where each second of the recording is in the reel.

    Attributes:
        recorded: Seconds of the recording, growing; between two of them the reel runs evenly.
        arrives: When the reel comes to each.
        leaves: When it goes on from each; later where the picture stands still there.
        pauses: The pauses that were cut short.
    """

    recorded: tuple[float, ...]
    arrives: tuple[float, ...]
    leaves: tuple[float, ...]
    pauses: tuple[tuple[float, float], ...]

    @property
    def length(self) -> float:
        """How long the reel is."""
        return round(self.leaves[-1], 6)

    def at(self, second: float) -> float:
        """Return when the reel comes to a second of the recording."""
        after = min(max(bisect_left(self.recorded, second), 1), len(self.recorded) - 1)
        start, end = self.recorded[after - 1], self.recorded[after]
        share = min(1.0, max(0.0, (second - start) / (end - start)))
        return self.leaves[after - 1] + share * (self.arrives[after] - self.leaves[after - 1])

    def past(self, second: float) -> float:
        """Return when the reel goes on from a second of the recording."""
        found = bisect_left(self.recorded, second)
        if found < len(self.recorded) and self.recorded[found] == second:
            return self.leaves[found]
        return self.at(second)

    def second(self, moment: float) -> float:
        """Return the second of the recording that is shown at a moment of the reel."""
        before = max(bisect_right(self.arrives, moment) - 1, 0)
        if before == len(self.recorded) - 1 or moment <= self.leaves[before]:
            return self.recorded[before]
        run = self.arrives[before + 1] - self.leaves[before]
        share = min(1.0, (moment - self.leaves[before]) / run) if run > 0 else 1.0
        return self.recorded[before] + share * (self.recorded[before + 1] - self.recorded[before])


def find_pauses(
    recording: Path, rows: Sequence[CommandRow], trims: Sequence[Trim], pause: float
) -> list[tuple[float, float]]:
    """Return where nothing is printed, and no command starts or ends, for longer than `pause` seconds."""
    anchors = [0.0]
    for row in rows:
        anchors += [row.started] if row.ended is None else [row.started, row.ended]
    anchors += [second for trim in trims for second in (trim.starts, trim.ends)]
    found = []
    last = 0.0
    with recording.open("rb") as stream:
        for second in heapq.merge(sorted(anchors), _times(CastReader(stream, recording.name))):
            if second - last > pause:
                found.append((last, second))
            last = max(last, second)
    return found


def _times(reader: CastReader) -> Iterator[float]:
    """Yield when something was printed, never backwards, and when the recording ends."""
    last = 0.0
    for event in reader:
        last = max(last, event.time)
        if event.kind == "o":
            yield last
    yield last


def time_map(
    seconds: float,
    pace: Pace,
    pauses: Iterable[tuple[float, float]],
    trims: Sequence[Trim],
    stops: Mapping[float, float],
) -> TimeMap:
    """Return the map of one reel.

    Args:
        seconds: How long the recording is.
        pace: How fast the reel goes.
        pauses: Where nothing is printed for longer than the pace keeps, sorted.
        trims: What is left out, sorted.
        stops: At which seconds of the recording the picture stands still, and for how many of the reel.
    """
    kept = _outside(pauses, trims)
    inside = {(trim.starts, trim.ends): 0.0 for trim in trims}
    inside |= dict.fromkeys(kept, pace.pause / pace.speed)
    points = sorted({0.0, max(seconds, 1e-6), *stops, *(second for span in inside for second in span)})
    arrives, leaves = [0.0], [stops.get(0.0, 0.0)]
    # A point inside of a trim takes no time; none lies inside of a pause.
    covering = _Covering(inside)
    for start, end in itertools.pairwise(points):
        span = covering.of(start, end)
        runs = (end - start) / pace.speed if span is None else inside[span] * (end - start) / (span[1] - span[0])
        arrives.append(leaves[-1] + runs)
        leaves.append(arrives[-1] + stops.get(end, 0.0))
    return TimeMap(tuple(points), tuple(arrives), tuple(leaves), tuple(kept))


def _outside(pauses: Iterable[tuple[float, float]], trims: Sequence[Trim]) -> list[tuple[float, float]]:
    """Return the pauses that no trim leaves out; a trim's bounds never lie inside of a pause."""
    starts = [trim.starts for trim in trims]
    kept = []
    for start, end in pauses:
        before = bisect_right(starts, start) - 1
        if before < 0 or trims[before].ends < end:
            kept.append((start, end))
    return kept


class _Covering:
    """Which of some spans, none of which overlap, a stretch lies in."""

    def __init__(self, spans: Iterable[tuple[float, float]]) -> None:
        self._spans = sorted(spans)
        self._starts = [start for start, _ in self._spans]

    def of(self, start: float, end: float) -> tuple[float, float] | None:
        before = bisect_right(self._starts, start) - 1
        return self._spans[before] if before >= 0 and end <= self._spans[before][1] else None
