"""Drawing the bar below the terminal's picture."""

from __future__ import annotations

from typing import Final

from PIL import Image, ImageDraw

from argusic.evidence.reel import colours
from argusic.evidence.reel.agg import LETTER_SIZE
from argusic.evidence.reel.showing import Bar, Showing, Tone
from argusic.evidence.reel.typeface import drawable, letters

_TRACK: Final = 4
_ROW: Final = 22
_EDGE: Final = 10
#: The height of the bar: the track, and three rows of text.
HEIGHT: Final = _TRACK + 3 * _ROW + _EDGE
_TONES: Final[dict[Tone, str]] = {
    "plain": colours.DIM,
    "failed": colours.RED,
    "fixed": colours.GREEN,
    "quoted": colours.AMBER,
}
_SIGNS: Final[dict[Tone, str]] = {"plain": "", "failed": "✗ ", "fixed": "✔ ", "quoted": ""}


class BarDrawing:
    """The drawing of one reel's bar.

    Args:
        showing: What it says.
        width: How wide it is.
    """

    def __init__(self, showing: Showing, width: int) -> None:
        self._showing = showing
        self._width = width
        self._empty = Image.new("RGB", (width, HEIGHT), colours.BAR)
        self._last: tuple[Bar, Image.Image] | None = None

    def draw(self, bar: Bar) -> Image.Image:
        """Return the bar as a picture."""
        if self._last is None or self._last[0] != bar:
            self._last = (bar, self._drawn(bar))
        return self._last[1]

    def _drawn(self, bar: Bar) -> Image.Image:
        image = self._empty.copy()
        pen = ImageDraw.Draw(image)
        self._track(pen, bar.reached)
        top = _TRACK + _EDGE // 2
        speed = f"{bar.speed}  " if bar.speed else ""
        right = self._right(pen, top, speed + bar.clock, colours.TEXT)
        count = f"{bar.number}/{bar.of}  "
        at = self._left(pen, top, _EDGE, right, count, colours.DIM)
        self._left(pen, top, at, right, f"$ {bar.command}" if bar.number else "", colours.TEXT, bold=True)
        right = self._right(pen, top + _ROW, f"» {bar.mark}" if bar.mark else "", colours.AMBER)
        said = _SIGNS[bar.tone] + bar.caption if bar.caption else ""
        self._left(pen, top + _ROW, _EDGE, right, said, _TONES[bar.tone], bold=True)
        self._left(pen, top + 2 * _ROW, _EDGE, self._width - _EDGE, bar.note, _TONES[bar.note_tone])
        return image

    def _track(self, pen: ImageDraw.ImageDraw, reached: float) -> None:
        wide = self._width
        pen.rectangle((0, 0, wide, _TRACK - 1), colours.LINE)
        pen.rectangle((0, 0, int(wide * reached), _TRACK - 1), colours.ACCENT)
        for start, end in self._showing.trims:
            pen.rectangle(
                (int(wide * start), 0, max(int(wide * end), int(wide * start) + 1), _TRACK - 1), colours.AMBER
            )
        for failure in self._showing.failures:
            x = min(int(wide * failure), wide - 3)
            pen.rectangle((x, 0, x + 2, _TRACK - 1), colours.RED)

    def _right(self, pen: ImageDraw.ImageDraw, top: int, text: str, colour: str) -> int:
        """Write at the right edge; return where that begins, with some room before it."""
        text = _cut(drawable(text), self._width * 3 // 5)
        left = self._width - _EDGE - _wide(text)
        pen.text((left, top), text, colour, letters(LETTER_SIZE))
        return left - 2 * _EDGE

    def _left(
        self, pen: ImageDraw.ImageDraw, top: int, left: int, right: int, text: str, colour: str, *, bold: bool = False
    ) -> int:
        """Write up to `right`; return where the next text goes."""
        text = _cut(drawable(text), right - left)
        pen.text((left, top), text, colour, letters(LETTER_SIZE, bold=bold))
        return left + _wide(text)


def _wide(text: str) -> int:
    return round(letters(LETTER_SIZE).getlength(text))


def _cut(text: str, room: int) -> str:
    most = max(0, int(room / letters(LETTER_SIZE).getlength("m")))
    return text if len(text) <= most else text[: max(0, most - 1)] + "…" if most else ""
