"""Decode the picture of a virtual screen, and say what is drawn on it.

Usage: python screen.py FILE

FILE is the picture that Xvfb keeps of its screen (`-fbdir`). An empty screen is black all over. Exits 1 where nothing
is drawn, or one plain patch alone. This file is carried into the sandbox as it is, so it needs nothing but Python.
"""

from __future__ import annotations

import struct
import sys
from collections import Counter
from pathlib import Path

#: The number of a picture's format, and what its colours may use of a dot.
VERSION = 7
COLOUR = 0xFFFFFF


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")


def main(file: str) -> int:
    """Print what is drawn, and return the exit status."""
    data = Path(file).read_bytes()
    head = struct.unpack(">25I", data[:100])
    size, version, width, height, order, bits, row, colours = (head[n] for n in (0, 1, 4, 5, 7, 11, 12, 19))
    if version != VERSION or bits != 32:
        say("This is no picture of a screen with 32 bits a dot.")
        return 1
    begin = size + 12 * colours
    form = f"{'<' if order == 0 else '>'}{width}I"
    counts: Counter[int] = Counter()
    rows, left, right = [], width, 0
    for number in range(height):
        line = data[begin + number * row : begin + number * row + 4 * width]
        dots = [dot & COLOUR for dot in struct.unpack(form, line)] if line.strip(b"\0") else []
        drawn = [place for place, dot in enumerate(dots) if dot]
        if drawn:
            counts.update(dots[drawn[0] : drawn[-1] + 1])
            rows.append(number)
            left, right = min(left, drawn[0]), max(right, drawn[-1])
    say(f"The screen has {width} by {height} dots.")
    if not rows:
        say("Nothing is drawn on it.")
        return 1
    place = f"{right - left + 1} by {rows[-1] - rows[0] + 1} dots, from {left},{rows[0]}"
    say(f"Drawn on: {place}, in {len(counts)} colours.")
    say("Most of it: " + ", ".join(f"#{dot:06x} {count} dots" for dot, count in counts.most_common(4)))
    return 0 if len(counts) > 1 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
