"""The colours of pictures, of the terminal and of what stands around it."""

from __future__ import annotations

from typing import Final

BACKGROUND: Final = "#16181d"
TEXT: Final = "#d7dae0"
DIM: Final = "#8a919e"
BAR: Final = "#21252b"
LINE: Final = "#3a404a"
ACCENT: Final = "#62aeef"
RED: Final = "#ff8079"
GREEN: Final = "#8cd480"
AMBER: Final = "#e8b866"

_SIXTEEN: Final = (
    "#2b3038", "#f0716b", "#8cc570", "#e0b15e", "#62aeef", "#c77ddb", "#57bfc9", "#d7dae0",
    "#6b7280", "#ff8f88", "#a6da8d", "#f2ca7c", "#85c4ff", "#dd9bef", "#78dbe4", "#ffffff",
)  # fmt: skip

#: For agg: background, text, and the terminal's sixteen colours.
THEME: Final = ",".join(colour.removeprefix("#") for colour in (BACKGROUND, TEXT, *_SIXTEEN))
