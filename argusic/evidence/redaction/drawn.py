"""What a recording shows where the cursor moves, for the proof: its events drawn anew, and each screen as text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import pyte

_MOVES: Final = re.compile(
    "\x1b\\[[0-9;?]*[A-HLMPST@X`abdefrsu]|\x1b[78DMEHc]|\x9b[0-9;?]*[A-HLMPST@X`abdefrsu]|[\x08\x0b\x0c]|\r(?!\r*\n)"
)
_MOST: Final = (500, 200)


def drawn_texts(lines: bytes, columns: int, rows: int) -> Iterator[bytes]:
    """Yield each different screen of the stretches in which the cursor moves; where rows are full, joined as well.

    Args:
        lines: Whole lines of a recording.
        columns: The terminal's width.
        rows: Its height.
    """
    columns, rows = min(columns, _MOST[0]), min(rows, _MOST[1])
    outputs = list(_outputs(lines))
    wanted = [False] * len(outputs)
    for number, output in enumerate(outputs):
        # A carriage return may be an event's last character, and its line feed the next one's first.
        following = outputs[number + 1] if output.endswith("\r") and number + 1 < len(outputs) else ""
        if _MOVES.search(output + following):
            _want(wanted, outputs, number, -1, rows)
            _want(wanted, outputs, number, 1, rows)
    drawing: _Drawing | None = None
    for output, want in zip(outputs, wanted, strict=True):
        if not want:
            drawing = None
            continue
        drawing = drawing or _Drawing(columns, rows)
        if drawing.draw(output):
            yield from drawing.texts()


class _Drawing:
    """A terminal that is drawn on."""

    def __init__(self, columns: int, rows: int) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream: Any = pyte.Stream(self._screen)
        self._rows = [""] * rows

    def draw(self, output: str) -> bool:
        """Draw an event; return whether the screen is another than before."""
        for part in re.split("(?=\x1b)", output):
            try:
                self._stream.feed(part)
            except Exception:  # the emulator fails in many ways on sequences that it half knows
                self._stream = pyte.Stream(self._screen)
        changed = False
        for row in sorted(self._screen.dirty):
            line = self._screen.buffer[row] if row < len(self._rows) else {}
            now = "".join(line[column].data for column in range(max(line, default=-1) + 1)).rstrip()
            changed |= row < len(self._rows) and now != self._rows[row]
            self._rows[row : row + 1] = [now] if row < len(self._rows) else []
        self._screen.dirty.clear()
        return changed

    def texts(self) -> Iterator[bytes]:
        """Yield the screen, and again with its full rows joined where there are any."""
        width = self._screen.columns
        yield "\n".join(self._rows).encode("utf-8", "replace")
        if any(len(row) >= width for row in self._rows):
            joined = "".join(row if len(row) >= width else row + "\n" for row in self._rows)
            yield joined.encode("utf-8", "replace")


def _outputs(lines: bytes) -> Iterator[str]:
    for line in lines.split(b"\n"):
        try:
            event: Any = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, list) and len(event) == 3 and event[1] == "o" and isinstance(event[2], str):
            yield event[2]


def _want(wanted: list[bool], outputs: list[str], start: int, step: int, rows: int) -> None:
    """Mark events from `start` in one direction until a screenful of line ends has passed."""
    left = float(rows + outputs[start].count("\n"))
    number = start
    while 0 <= number < len(outputs) and left > 0:
        wanted[number] = True
        left -= outputs[number].count("\n") + 1 / 64
        number += step
