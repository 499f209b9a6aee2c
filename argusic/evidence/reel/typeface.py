"""The typeface of pictures, which comes with Argusic: whatever fonts a machine has, pictures are the same.

What it has no letter for is shown as an empty box, because the renderer would ask the machine's fonts for it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from PIL import ImageFont
from wcwidth import wcwidth

from argusic.evidence.fingerprint import fingerprint

#: Where it lies, and its name for a renderer.
FOLDER: Final = Path(__file__).parent / "fonts"
FAMILY: Final = "Argusic Mono"
_REGULAR: Final = FOLDER / "ArgusicMono-Regular.ttf"
_BOLD: Final = FOLDER / "ArgusicMono-Bold.ttf"
_BOX: Final = "□"
#: No font has a letter here: what it draws is its sign for a letter that it lacks.
_NO_LETTER: Final = "\U0010fffe"


def digest() -> str:
    """Return the digest of its regular style, which names it."""
    return fingerprint(_REGULAR).sha256


@cache
def letters(size: int, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    """Return it for drawing."""
    return ImageFont.truetype(_BOLD if bold else _REGULAR, size, layout_engine=ImageFont.Layout.BASIC)


def drawable(text: str) -> str:
    """Return text with a box for each letter that the typeface lacks; columns stay where they are."""
    return text if text.isascii() else "".join(c if c.isascii() else _drawable(c) for c in text)


@cache
def _drawable(character: str) -> str:
    width = wcwidth(character)
    if width < 0:
        return character  # A control character is the terminal's business.
    if width == 1 and not any(_lacks(character, bold) for bold in (False, True)):
        return character
    return "" if width == 0 else _BOX + " " * (width - 1)


def _lacks(character: str, bold: bool) -> bool:
    font = letters(16, bold=bold)
    drawn, nothing = font.getmask(character), font.getmask(_NO_LETTER)
    return (drawn.size, bytes(drawn)) == (nothing.size, bytes(nothing))
