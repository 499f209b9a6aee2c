"""Where things are drawn: scores on a line, and a benchmark's curve in its box. Numbers alone; templates draw them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from argusic.leaderboards.index.fitting import ORIGIN, UNIT
from argusic.leaderboards.index.standings import Index, Range


@dataclass(frozen=True)
class Axis:
    """A line of scores.

    Attributes:
        low: The score at its left end.
        high: The score at its right end.
    """

    low: float
    high: float

    @classmethod
    def of(cls, scores: Iterable[float]) -> Axis:
        """Return the line, with whole tens at its ends, that all scores lie on."""
        known = [value for value in scores if math.isfinite(value)] or [ORIGIN]
        low, high = math.floor(min(known) / 10) * 10, math.ceil(max(known) / 10) * 10
        return cls(float(low), float(high if high > low else low + 10))

    def at(self, score: float) -> float:
        """Return where a score lies, from 0 to 100, with two decimals; what lies outside is at the nearer end."""
        return round(100 * min(max((score - self.low) / (self.high - self.low), 0.0), 1.0), 2)

    def span(self, drawn: Range) -> tuple[float, float]:
        """Return where a range begins and how long it is."""
        left = self.at(drawn.low)
        return left, round(self.at(drawn.high) - left, 2)

    @property
    def ticks(self) -> tuple[int, ...]:
        """Round scores along it: at most eight."""
        step = next(step for step in (10, 20, 50, 100, 200, 500, 10**9) if (self.high - self.low) / step <= 7)
        first = math.ceil(self.low / step) * step
        return tuple(range(first, int(self.high) + 1, step))


def axis_of(index: Index) -> Axis:
    """Return the line that every published score and range of an index lies on."""
    known = [standing for standing in index.models if standing.refused is None]
    ends = [
        end for standing in known for kind in (standing.conditional, standing.joint) for end in (kind.low, kind.high)
    ]
    return Axis.of(ends)


@dataclass(frozen=True)
class Box:
    """A box that curves are drawn in: scores to the right, results from 0 to 1 upwards.

    Attributes:
        axis: The scores from its left to its right side.
        width: Its width, in units of the drawing.
        height: Its height.
    """

    axis: Axis
    width: float = 640
    height: float = 320

    def x(self, score: float) -> float:
        """Return how far from the left a score lies."""
        return round(self.width * self.axis.at(score) / 100, 1)

    def y(self, share: float) -> float:
        """Return how far from the top a result lies."""
        return round(self.height * (1 - min(max(share, 0.0), 1.0)), 1)

    def curve(self, difficulty: float, discrimination: float, steps: int = 64) -> str:
        """Return a benchmark's curve as the path of an SVG: the result expected at each score."""
        scores = [self.axis.low + (self.axis.high - self.axis.low) * step / steps for step in range(steps + 1)]
        places = [(self.x(score), self.y(expected(score, difficulty, discrimination))) for score in scores]
        return "M" + " ".join(f"{x:g} {y:g}" for x, y in _thinned(places))


def expected(score: float, difficulty: float, discrimination: float) -> float:
    """Return the result, from 0 to 1, that is expected at a score of a benchmark with these parameters."""
    z = discrimination * ((score - ORIGIN) / UNIT - difficulty)
    return 1 / (1 + math.exp(-z)) if z > -700 else 0.0


def _thinned(places: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """Leave out what lies on the same height as both of its neighbours."""
    inner = zip(places, places[1:], places[2:], strict=False)
    return [places[0], *(here for before, here, after in inner if not before[1] == here[1] == after[1]), places[-1]]
