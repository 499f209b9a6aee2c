"""The pictures of a reel: the terminal as agg drew it, with the bar below, each with how long it stays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from PIL import Image

from argusic.evidence.reel.gif import read_gif
from argusic.evidence.reel.picture import HEIGHT, BarDrawing
from argusic.evidence.reel.showing import Showing

#: How long the last picture stays, in milliseconds.
STAY: Final = 2000
#: How often the bar is looked at, and the shortest that a picture stays; browsers slow down shorter ones.
_TICK: Final = 250
_SHORTEST: Final = 100
#: The bar is asked about a moment just behind: agg knows hundredths of a second alone.
_BEHIND: Final = 0.05


class Picture(NamedTuple):
    """One picture."""

    image: Image.Image
    """What is seen."""
    starts: int
    """When it comes, in milliseconds."""
    lasts: int
    """How long it stays, in milliseconds."""


def pictures(terminal: Path, showing: Showing, seconds: float) -> Iterator[Picture]:
    """Yield the pictures of a reel, in order; never two that are the same behind each other.

    Args:
        terminal: The GIF of the terminal alone.
        showing: What the bar says.
        seconds: How long the reel is.
    """
    whole = round(seconds * 1000) + STAY
    drawing: BarDrawing | None = None
    waiting: Picture | None = None
    bar = None
    for shown, starts, lasts, is_last in read_gif(terminal):
        drawing = drawing or BarDrawing(showing, shown.width)
        ends = max(whole, starts + _SHORTEST) if is_last else starts + lasts
        moment = starts
        while moment == starts or moment <= ends - _SHORTEST:
            now = showing.at(moment / 1000 + _BEHIND)
            if moment == starts or now != bar:
                if waiting is not None:
                    yield waiting._replace(lasts=moment - waiting.starts)
                bar = now
                waiting = Picture(_composed(shown, drawing.draw(now)), moment, ends - moment)
            moment += _TICK
    if waiting is not None:
        yield waiting


def _composed(terminal: Image.Image, bar: Image.Image) -> Image.Image:
    image = Image.new("RGB", (terminal.width, terminal.height + HEIGHT))
    image.paste(terminal, (0, 0))
    image.paste(bar, (0, terminal.height))
    return image
