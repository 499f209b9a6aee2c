"""The still card of a run: one picture of its terminal, and the facts that it is to be read with."""

from __future__ import annotations

import math
from typing import Final

from PIL import Image, ImageDraw

from argusic.evidence.audit.matching import squeezed
from argusic.evidence.reel import colours
from argusic.evidence.reel.planning import Plan
from argusic.evidence.reel.source import Source
from argusic.evidence.reel.telling import failed, lasting
from argusic.evidence.reel.typeface import drawable, letters
from argusic.records.report import VerifiedHow

#: The size that previews of links have.
SIZE: Final = (1200, 630)
_EDGE: Final = 44
_TOP: Final = 132
_BOTTOM: Final = 84
#: A small terminal is not blown up beyond this.
_LARGEST: Final = 1.5


def card_moment(source: Source, plan: Plan) -> float:
    """Return the moment of the reel that the card shows.

    It is the end of the command that the report names as its proof, where that ran; else the end of the recording.
    """
    how = source.report.verified_how if source.report is not None else None
    if isinstance(how, VerifiedHow):
        claimed = squeezed(how.command)
        for row in reversed(source.rows):
            if row.ended is not None and squeezed(row.command) == claimed:
                return plan.times.at(min(row.ended, source.seconds))
    return plan.times.length


def draw_card(source: Source, terminal: Image.Image) -> Image.Image:
    """Return the card.

    Args:
        source: The run.
        terminal: The terminal at the card's moment.
    """
    image = Image.new("RGB", SIZE, colours.BAR)
    pen = ImageDraw.Draw(image)
    run = source.run
    pen.rectangle((0, 0, 8, SIZE[1]), colours.ACCENT)
    _write(pen, (_EDGE, 30), run.subject, 34, colours.TEXT, bold=True)
    failures = sum(failed(row) for row in source.rows)
    said = f"{failures} of them failed" if failures else "none of them failed"
    many = f"{len(source.rows)} commands in {lasting(source.seconds)}, {said}"
    _write(pen, (_EDGE, 82), f"recorded on {run.started:%Y-%m-%d}, played by {run.agent}: {many}", 19, colours.DIM)
    _shown(image, terminal, source.header.height)
    foot = SIZE[1] - _BOTTOM + 16
    _write(pen, (_EDGE, foot), f"run {run.run}, edition {run.edition}", 17, colours.TEXT)
    _write(pen, (_EDGE, foot + 28), f"recording sha256 {source.recording_sha256}", 15, colours.DIM)
    return image


def _shown(image: Image.Image, terminal: Image.Image, rows: int) -> None:
    """Put the terminal into the card, as wide as it fits; of its rows those that were written last."""
    wide, high = SIZE[0] - 2 * _EDGE, SIZE[1] - _TOP - _BOTTOM
    scale = min(_LARGEST, wide / terminal.width)
    # Half a row stands above the first and below the last.
    row = terminal.height / (rows + 1)
    seen = min(rows, int((high - 8) / scale / row))
    last = min(rows, math.ceil(_written(terminal) / row - 0.5))
    top = round(row * (max(0, last - seen) + 0.4))
    part = terminal.crop((0, top, terminal.width, min(terminal.height, top + round(row * seen))))
    part = part.resize((round(part.width * scale), round(part.height * scale)), Image.Resampling.LANCZOS)
    image.paste(Image.new("RGB", (wide, high), colours.BACKGROUND), (_EDGE, _TOP))
    image.paste(part, (_EDGE, _TOP + 4))
    ImageDraw.Draw(image).rectangle((_EDGE - 1, _TOP - 1, _EDGE + wide, _TOP + high), outline=colours.LINE)


def _written(terminal: Image.Image) -> int:
    """Return how far down something is written."""
    bright = terminal.convert("L").point(lambda value: 255 if value > 60 else 0)
    box = bright.getbbox()
    return box[3] if box is not None else terminal.height


def _write(
    pen: ImageDraw.ImageDraw, at: tuple[int, int], text: str, size: int, colour: str, *, bold: bool = False
) -> None:
    font = letters(size, bold=bold)
    most = int((SIZE[0] - at[0] - _EDGE) / font.getlength("m"))
    text = drawable(text)
    pen.text(at, text if len(text) <= most else text[: most - 1] + "…", colour, font)
