"""The search of what a terminal shows where text is drawn at places rather than printed in a row.

Only stretches in which the cursor is moved about are drawn at all, by a terminal emulator in which every cell knows
the byte that it came from. That is a thousand times slower than searching, and such stretches are short.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import pyte
from wcwidth import wcswidth

from argusic.evidence.redaction.finding import Finder, Found
from argusic.evidence.redaction.patterns import Pattern
from argusic.evidence.redaction.views import MOVES

_MOVES: Final = Pattern(MOVES)
#: A line that is begun again from its left end.
_BEGUN_AGAIN: Final = Pattern(r"[^\n]*\r[^\r\n][^\n]*")
_TOKEN: Final = re.compile(
    rb"\x1b(?:\[[0-?]{0,256}[ -/]{0,16}[@-~]|[\]PX^_][^\x07\x18\x1a\x1b\r\n]{0,65536}(?:\x07|\x1b\\)"
    rb"|[ -/]{1,4}[0-~]|[0-OQ-WYZ\\`-~])?|[\x00-\x1f\x7f]|\xc2[\x80-\x9f]"
)
#: Takes away something that may have been seen.
_TAKES_AWAY: Final = re.compile(rb"\x1b\[[0-9;?]*[JKLMPSTX@hl]|\x1bc|\x1b[DM]")
_ERASES: Final = re.compile(rb"\x1b\[[012]?K")
#: Sequences are of no use to the emulator where they ask it something or name it; some of them make it fail.
_WORD: Final = re.compile(r"[A-Za-z0-9+/=_.~-]")
#: Between two stops of a viewer, so many rows about those that changed are looked at; where something goes, all are.
_AROUND_ROWS: Final = 6
_MOST_COLUMNS: Final = 500
_MOST_ROWS: Final = 200
#: The most that is drawn of one recording.
MOST_DRAWN: Final = 24_000_000


class _Traced(pyte.Screen):
    """A screen whose cells carry, in place of a colour, the byte that each character came from."""

    def __init__(self, columns: int, rows: int) -> None:
        super().__init__(columns, rows)
        self.byte = 0

    def draw(self, data: str) -> None:
        for character in data:
            self.cursor.attrs = self.cursor.attrs._replace(fg=self.byte)  # type: ignore[arg-type]
            super().draw(character)
            self.byte += len(character.encode("utf-8", "surrogatepass"))


class Screens:
    """The search of drawn stretches of one recording.

    Args:
        finder: The search of a text.
        columns: The terminal's width.
        rows: The terminal's height.

    Attributes:
        drawn: How many bytes were drawn.
    """

    def __init__(self, finder: Finder, columns: int, rows: int) -> None:
        self._finder = finder
        self._columns = min(columns, _MOST_COLUMNS)
        self._rows = min(rows, _MOST_ROWS)
        self.drawn = 0

    @property
    def too_much(self) -> bool:
        """Whether there was more to be drawn than is drawn."""
        return self.drawn > MOST_DRAWN

    def find(self, text: bytes, stops: Callable[[], Sequence[int]]) -> list[Found]:
        """Return what is seen in drawn stretches.

        Args:
            text: A terminal's output.
            stops: Says where a viewer may stop and look: the ends of its events, sorted.
        """
        found: dict[tuple[tuple[int, int], ...], Found] = {}
        windows = self.windows(text)
        ends = stops() if windows else ()
        for start, end in windows:
            self.drawn += end - start
            if self.too_much:
                break
            for one in self._drawn(text, start, end, ends):
                found.setdefault(one.places, one)
        return list(found.values())

    def windows(self, text: bytes) -> list[tuple[int, int]]:
        """Return the stretches that must be drawn, sorted, with a screenful before and behind each."""
        spans = [(start, end) for start, end in _MOVES.whole_matches(text)]
        spans += [(start, end) for start, end in _BEGUN_AGAIN.whole_matches(text) if _overlaps(text[start:end])]
        windows: list[tuple[int, int]] = []
        for start, end in sorted(spans):
            if windows and end <= windows[-1][1]:
                continue
            first, last = self._lines_before(text, start), self._lines_behind(text, end)
            if windows and first <= windows[-1][1]:
                windows[-1] = (windows[-1][0], max(last, windows[-1][1]))
            else:
                windows.append((first, last))
        return windows

    def _lines_before(self, text: bytes, at: int) -> int:
        limit = max(0, at - self._rows * self._columns)
        for _ in range(self._rows):
            at = text.rfind(b"\n", limit, at)
            if at < 0:
                return limit
        return at + 1

    def _lines_behind(self, text: bytes, at: int) -> int:
        limit = min(len(text), at + self._rows * self._columns)
        for _ in range(self._rows):
            at = text.find(b"\n", at, limit) + 1
            if at == 0:
                return limit
        return at

    def _drawn(self, text: bytes, start: int, end: int, stops: Sequence[int]) -> Iterator[Found]:
        screen = _Traced(self._columns, self._rows)
        rows = _Rows(screen)
        stream: Any = pyte.Stream(screen)
        for at, piece, draws in _steps(text, start, end, stops):
            if draws:
                screen.byte = at
                screen.draw(piece.decode("utf-8", "replace"))
                continue
            if piece == b"" or _TAKES_AWAY.fullmatch(piece):
                yield from self._on(rows, around=None if piece else _AROUND_ROWS)
            if piece:
                try:
                    stream.feed(piece.decode("utf-8", "replace"))
                except Exception:
                    stream = pyte.Stream(screen)
        yield from self._on(rows, around=None)

    def _on(self, rows: _Rows, around: int | None) -> Iterator[Found]:
        """Search what the screen shows now: row by row, and full rows joined with the next."""
        for now, places in rows.texts(around):
            for found in self._finder.find(now):
                yield _traced(found, now, places)


class _Rows:
    """The rows of a screen as text, worked out anew only where something was drawn."""

    def __init__(self, screen: _Traced) -> None:
        self._screen = screen
        self._rows: list[tuple[bytes, list[int], bool]] = [(b"", [], False)] * screen.lines
        screen.dirty.update(range(screen.lines))

    def texts(self, around: int | None) -> Iterator[tuple[bytes, list[int]]]:
        """Yield the screen's text and the byte that each of its bytes is from; where rows are full, joined as well.

        Args:
            around: Only so many rows about those that have changed; None for the whole screen.
        """
        changed = sorted(row for row in self._screen.dirty if row < len(self._rows))
        self._screen.dirty.clear()
        changed = [row for row in changed if self._renew(row)]
        rows = self._rows
        if around is not None:
            rows = rows[max(0, changed[0] - around) : changed[-1] + around + 1] if changed else []
        for joined in (False, True):
            if not rows or (joined and not any(full for _, _, full in rows)):
                return
            pieces: list[bytes] = []
            places: list[int] = []
            for shown, of, full in rows:
                pieces.append(shown if full and joined else shown + b"\n")
                places += of if full and joined else [*of, -1]
            yield b"".join(pieces), places

    def _renew(self, row: int) -> bool:
        """Work a row out again; return whether it shows something else."""
        before, self._rows[row] = self._rows[row], self._row(row)
        return before[0] != self._rows[row][0]

    def _row(self, row: int) -> tuple[bytes, list[int], bool]:
        line = self._screen.buffer[row]
        pieces: list[bytes] = []
        places: list[int] = []
        last = max(line, default=-1)
        for column in range(last + 1):
            cell = line[column]
            raw = cell.data.encode("utf-8", "surrogatepass")
            pieces.append(raw)
            places += [cell.fg if isinstance(cell.fg, int) and cell.data != " " else -1] * len(raw)
        full = last == self._screen.columns - 1 and line[last].data != " "
        return b"".join(pieces), places, full


def _steps(text: bytes, start: int, end: int, stops: Sequence[int]) -> Iterator[tuple[int, bytes, bool]]:
    """Yield what is drawn (place, characters, True), what controls (place, sequence, False), and stops (empty)."""
    near = [*stops[bisect_right(stops, start) : bisect_left(stops, end)], end]
    number = 0
    at = start
    for token in (*_TOKEN.finditer(text, start, end), None):
        until = token.start() if token else end
        while at < until:
            to = min(until, near[number])
            if to > at:
                yield at, text[at:to], True
                at = to
            if near[number] <= at < end:
                yield at, b"", False
                number += 1
        if token:
            if near[number] <= at:
                yield at, b"", False
            yield at, token.group(), False
            at = token.end()
        while near[number] < at:
            number += 1


def _traced(found: Found, text: bytes, places: list[int]) -> Found:
    """Return a finding of a screen's text in the places of the text that was drawn."""
    spans = []
    for start, end in found.places:
        at = start
        while at < end:
            size = 1
            while at + size < len(text) and text[at + size] & 0xC0 == 0x80:
                size += 1
            if places[at] >= 0:
                spans.append((places[at], places[at] + size))
            at += size
    return found._replace(places=tuple(sorted(set(spans))))


def _overlaps(line: bytes) -> bool:
    """Return whether a line that is begun again shows a word made of what was written at different times."""
    shown = ""
    for number, piece in enumerate(line.split(b"\r")):
        erased = _ERASES.search(piece) is not None
        new = _TOKEN.sub(b"", piece.replace(b"\t", b"\x00\t")).decode("utf-8", "replace")
        if number and shown and new:
            if "\t" in new or wcswidth(new) != len(new) or wcswidth(shown) != len(shown):
                return True
            if not erased and len(new) < len(shown):
                if _WORD.match(new[-1]) and _WORD.match(shown[len(new)]):
                    return True
                new += shown[len(new) :]
        shown = new or ("" if erased else shown)
    return False
