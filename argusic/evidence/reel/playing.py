"""Playing a recording in the reader's own terminal, which none of its bytes reach.

They go to an emulator, and what that shows is drawn anew: a recording can hold sequences that set a terminal's title,
write to its clipboard, or make it answer as if the reader had typed.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TextIO

import pyte
from pyte.screens import Char

from argusic.evidence.asciicast import Event
from argusic.evidence.castreader import CastReader
from argusic.evidence.reel.source import Source
from argusic.evidence.reel.telling import lasting

#: How often the screen is drawn, in seconds.
_DRAWN: Final = 0.05
#: How often the clock moves where nothing else does.
_TICK: Final = 0.5
_ENTER: Final = "\x1b[?1049h\x1b[?25l\x1b[0m\x1b[2J"
_LEAVE: Final = "\x1b[0m\x1b[?25h\x1b[?1049l"
_COLOURS: Final = ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white")


@dataclass(frozen=True)
class Watching:
    """How a recording is watched.

    Attributes:
        speed: How many times faster.
        pause: The longest time without output that is waited for, in seconds of the recording.
        since: From which second; what was printed before is there at once.
    """

    speed: float = 1.0
    pause: float = 2.0
    since: float = 0.0


class Player:
    """The playing of one recording.

    Args:
        source: The run.
        watching: How it is watched.
        out: The reader's terminal.
        size: Its columns and lines.
        now: A clock that never goes backwards.
        sleep: Waits for so many seconds.
    """

    def __init__(
        self,
        source: Source,
        watching: Watching,
        out: TextIO,
        size: tuple[int, int],
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._source = source
        self._watching = watching
        self._out = out
        # The last line is ours.
        self._columns, self._lines = size[0], max(1, size[1] - 1)
        self._screen = pyte.Screen(source.header.width, source.header.height)
        self._stream: Any = pyte.Stream(self._screen)
        self._now = now
        self._sleep = sleep
        self._drawn = -_DRAWN
        self._offset = -1
        self._top = 0

    def play(self) -> None:
        """Play it to its end, and give the terminal back as it was, however that goes."""
        self._out.write(_ENTER)
        try:
            self._play()
        finally:
            self._out.write(_LEAVE)
            self._out.flush()

    def _play(self) -> None:
        watching = self._watching
        last = watching.since
        due = self._now()
        for event, second in self._events():
            wait = max(0.0, second - last)
            if wait > 0:
                kept = min(wait, watching.pause)
                self._wait(due, kept / watching.speed, last, wait)
                due += kept / watching.speed
                last = second
            if event.kind == "o":
                self._feed(event.data)
                if second > watching.since and self._now() - self._drawn >= _DRAWN:
                    self._draw(second)
        self._draw(last)
        self._wait(self._now(), 1.0, last, 0.0)

    def _events(self) -> Iterator[tuple[Event, float]]:
        last = 0.0
        with self._source.recording.open("rb") as stream:
            for offset, event in enumerate(CastReader(stream, self._source.recording.name)):
                self._offset = offset
                last = max(last, event.time)
                yield event, last

    def _wait(self, since: float, length: float, second: float, recorded: float) -> None:
        """Let `length` seconds go by since a moment, with what is shown up to date and the clock moving."""
        if since + length - self._now() > _DRAWN:
            self._draw(second)
        while (left := since + length - self._now()) > 0:
            self._sleep(min(left, _TICK))
            share = min(1.0, (self._now() - since) / length) if length > 0 else 1.0
            if recorded > _TICK * self._watching.speed:
                self._status(second + share * recorded, recorded)

    def _feed(self, output: str) -> None:
        for part in re.split("(?=\x1b)", output):
            try:
                self._stream.feed(part)
            except Exception:  # the emulator fails in many ways on sequences that it half knows
                self._stream = pyte.Stream(self._screen)

    def _draw(self, second: float) -> None:
        high = min(self._lines, self._screen.lines)
        # Where the reader's terminal is the smaller one, it follows the cursor.
        top = min(max(self._top, self._screen.cursor.y - high + 1), self._screen.cursor.y)
        if top != self._top:
            self._top = top
            self._screen.dirty.update(range(self._screen.lines))
        for row in sorted(self._screen.dirty):
            if top <= row < top + high:
                self._out.write(f"\x1b[{row - top + 1};1H{self._row(row)}\x1b[0m\x1b[K")
        self._screen.dirty.clear()
        self._status(second, 0.0)
        self._drawn = self._now()

    def _row(self, row: int) -> str:
        line = self._screen.buffer[row]
        pieces = []
        style = ""
        for column in range(min(self._columns, self._screen.columns, max(line, default=-1) + 1)):
            cell = line[column]
            if (own := _style(cell)) != style:
                pieces.append(f"\x1b[0{own}m")
                style = own
            pieces.append("".join(c if c.isprintable() else " " for c in cell.data))
        return "".join(pieces)

    def _status(self, second: float, pause: float) -> None:
        source, watching = self._source, self._watching
        ran = sum(row.offset <= self._offset for row in source.rows)
        said = f" {lasting(min(second, source.seconds))} of {lasting(source.seconds)} · ×{watching.speed:g}"
        said += f" · command {ran} of {len(source.rows)}"
        if pause > watching.pause:
            said += f" · {lasting(pause)} without output, cut to {lasting(watching.pause)}"
        said += " · Ctrl-C ends "
        line = min(self._lines, self._screen.lines) + 1
        self._out.write(f"\x1b[{line};1H\x1b[0;7m{said[: self._columns]}\x1b[0m\x1b[K")
        self._out.flush()


def _style(cell: Char) -> str:
    """Return a cell's style as the end of a sequence that begins with a reset."""
    words = []
    for wanted, code in ((cell.bold, "1"), (cell.italics, "3"), (cell.underscore, "4"), (cell.reverse, "7")):
        if wanted:
            words.append(code)
    words += [*_colour(cell.fg, 30), *_colour(cell.bg, 40)]
    return "".join(f";{word}" for word in words)


def _colour(name: str, base: int) -> Iterator[str]:
    bright = name.startswith("bright")
    plain = name.removeprefix("bright")
    plain = "brown" if plain in ("yellow", "brown") else plain
    if plain in _COLOURS:
        yield str(base + _COLOURS.index(plain) + (60 if bright else 0))
    elif re.fullmatch(r"[0-9a-f]{6}", name):
        yield f"{base + 8};2;{int(name[:2], 16)};{int(name[2:4], 16)};{int(name[4:], 16)}"
