"""Putting masks where something was found: as many columns as before, and no other byte touched."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from typing import Final, NamedTuple

from wcwidth import wcwidth

from argusic.evidence.redaction.finding import Class, Found
from argusic.evidence.redaction.rules import BLANK, MASK

_PRIORITY: Final[dict[Class, int]] = {"known": 0, "key": 1, "shape": 2}
#: One character of a JSON string as it is written.
_UNIT: Final = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\."
    rb"|[\x00-\x7f]|[\xc0-\xff][\x80-\xbf]*|[\x80-\xbf]",
    re.DOTALL,
)


class Tally:
    """What was found in one file, each thing once, however many views showed it."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, int], tuple[int, Class, str]] = {}

    def add(self, found: Found, base: int) -> None:
        """Take one thing found; `base` is where the text that was searched begins in its stream."""
        span = (base + found.places[0][0], base + found.places[-1][1])
        entry = (_PRIORITY[found.what], found.what, found.rule)
        self._found[span] = min(entry, self._found.get(span, entry))

    def counts(self) -> Counter[tuple[Class, str]]:
        """Return how many there are by class and rule; of those that overlap, the first and longest counts."""
        counts: Counter[tuple[Class, str]] = Counter()
        reached = -1
        for (start, end), (_, what, rule) in sorted(
            self._found.items(), key=lambda item: (item[0][0], item[1][0], -item[0][1])
        ):
            if start >= reached:
                counts[what, rule] += 1
            reached = max(reached, end)
        return counts


class Run(NamedTuple):
    """A stretch of bytes to be masked."""

    start: int
    end: int


def merged(places: Iterable[tuple[int, int]]) -> list[Run]:
    """Return stretches sorted, and those that touch as one."""
    runs: list[Run] = []
    for start, end in sorted(places):
        if runs and start <= runs[-1].end:
            runs[-1] = Run(runs[-1].start, max(end, runs[-1].end))
        else:
            runs.append(Run(start, end))
    return runs


def mask_of(text: str, mark: bytes = MASK) -> bytes:
    """Return the mask of a text without control characters: one mark for each column."""
    return mark * (len(text) if text.isascii() else sum(max(0, wcwidth(character)) for character in text))


def masked_bytes(data: bytes, places: Iterable[tuple[int, int]], blanks: Iterable[tuple[int, int]] = ()) -> bytes:
    """Return `data` with stretches of it masked, and others blanked."""
    blank = merged(blanks)
    runs = [(run, MASK) for run in without(merged(places), blank)] + [(run, BLANK) for run in blank]
    pieces: list[bytes] = []
    at = 0
    for (start, end), mark in sorted(runs):
        pieces += [data[at:start], mask_of(data[start:end].decode("utf-8", "replace"), mark)]
        at = end
    pieces.append(data[at:])
    return b"".join(pieces)


def without(runs: Iterable[Run], unwanted: Iterable[tuple[int, int]]) -> list[Run]:
    """Return what of some stretches lies in none of others."""
    left = list(runs)
    for start, end in unwanted:
        left = [
            Run(first, last)
            for run in left
            for first, last in ((run.start, min(run.end, start)), (max(run.start, end), run.end))
            if first < last
        ]
    return left


def characters(data: str, places: Iterable[tuple[int, int]]) -> set[int]:
    """Return the numbers of the characters of `data` that stretches of its UTF-8 cover."""
    if data.isascii():
        return {number for start, end in places for number in range(start, end)}
    raw = data.encode("utf-8", "surrogatepass")
    found: set[int] = set()
    for start, end in places:
        first = len(raw[:start].decode("utf-8", "ignore"))
        found.update(range(first, first + len(raw[start:end].decode("utf-8", "replace"))))
    return found


def units(text: bytes, start: int) -> Iterator[tuple[int, int]]:
    """Yield where each character of the JSON string that begins at `start`, behind its quote, is written."""
    at = start
    while (unit := _UNIT.match(text, at)) is not None and unit.group() != b'"':
        yield unit.span()
        at = unit.end()


def masked_string(line: bytes, start: int, data: str, numbers: Set[int], blanks: Set[int] = frozenset()) -> bytes:
    """Return a line with characters of a JSON string in it masked.

    Args:
        line: The line.
        start: Where the string's first character is written.
        data: The string.
        numbers: Which of its characters.
        blanks: Which of them are blanked instead.

    Raises:
        ValueError: The line does not hold that string there.
    """
    pieces: list[bytes] = []
    at = start
    count = 0
    for number, (first, last) in enumerate(units(line, start)):
        count += 1
        if number in numbers or number in blanks:
            pieces += [line[at:first], mask_of(data[number], BLANK if number in blanks else MASK)]
            at = last
    if count != len(data):
        raise ValueError("the line does not hold that text")
    return b"".join((line[:start], *pieces, line[at:]))
