"""Ask a display for its windows and its picture, decode the picture, and say what is drawn on it.

Usage: python screen.py

The display is the one that DISPLAY names, reached over TCP (`127.0.0.1:10`), and this speaks what it takes of the X
protocol. An empty screen is black all over. Exits 1 where nothing is drawn, or one plain patch alone. This file is
carried into the sandbox as it is, so it needs nothing but Python.
"""

from __future__ import annotations

import os
import re
import socket
import struct
import sys
from collections import Counter

#: What of a dot is colour.
COLOUR = 0xFFFFFF
PORT = 6000
SECONDS = 30
#: Windows that are told of.
MOST = 20
#: Numbers of the protocol: its requests, its property and type of a window's name, its whole picture.
ATTRIBUTES, GEOMETRY, TREE, PROPERTY, IMAGE = 3, 14, 15, 20, 73
NAME, DOTS, EVERY_PLANE = 39, 2, 0xFFFFFFFF
SHOWN = 2


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")


def reach(name: str) -> socket.socket:
    """Return a connection to a display by its name, as programs are given it.

    Raises:
        OSError: Nobody answers there.
        ValueError: It is no name of a display that is reached over TCP.
    """
    found = re.fullmatch(r"([\w.-]+):(\d{1,4})(?:\.\d+)?", name)
    if found is None:
        raise ValueError(f"DISPLAY is {name!r}, which names no display that is reached over TCP")
    return socket.create_connection((found[1], PORT + int(found[2])), SECONDS)


class Display:
    """A display that is talked to.

    Args:
        line: A connection to it.

    Raises:
        OSError: It went away.
        ValueError: Its answer cannot be understood, or it lets nobody in.
    """

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        line.sendall(struct.pack("<cxHHHHxx", b"l", 11, 0, 0, 0))
        answer = self._read(8)
        said = self._read(4 * struct.unpack("<H", answer[6:])[0])
        if answer[0] != 1:
            raise ValueError("the display lets nobody in")
        (vendor,) = struct.unpack_from("<H", said, 16)
        screen = 32 + (vendor + 3) // 4 * 4 + 8 * said[21]
        self.root, _, _, _, _, self.width, self.height = struct.unpack_from("<IIIIIHH", said, screen)
        if said[22]:
            raise ValueError("the display orders bytes the other way round")

    def ask(self, number: int, detail: int, body: bytes) -> bytes | None:
        """Make a request and return the answer's bytes from the ninth on; None where it is refused."""
        self._line.sendall(struct.pack("<BBH", number, detail, 1 + len(body) // 4) + body)
        while True:
            head = self._read(32)
            if head[0] == 0:
                return None
            if head[0] == 1:
                return head[8:] + self._read(4 * struct.unpack_from("<I", head, 4)[0])

    def windows(self) -> list[tuple[str, int, int]]:
        """Return name, width and height of each window that is shown."""
        tree = self.ask(TREE, 0, struct.pack("<I", self.root)) or bytes(24)
        found = []
        for window in struct.unpack_from(f"<{struct.unpack_from('<H', tree, 8)[0]}I", tree, 24)[:MOST]:
            asked = struct.pack("<I", window)
            attributes, geometry = self.ask(ATTRIBUTES, 0, asked), self.ask(GEOMETRY, 0, asked)
            if attributes is None or geometry is None or attributes[18] != SHOWN:
                continue
            width, height = struct.unpack_from("<HH", geometry, 8)
            held = self.ask(PROPERTY, 0, struct.pack("<IIIII", window, NAME, 0, 0, 60)) or bytes(24)
            (length,) = struct.unpack_from("<I", held, 8)
            name = held[24 : 24 + min(length, 240)].decode("utf-8", "replace")
            found.append(("".join(letter if letter.isprintable() else "?" for letter in name), width, height))
        return found

    def picture(self) -> bytes:
        """Return the dots of the whole screen, four bytes each, row by row."""
        body = struct.pack("<IhhHHI", self.root, 0, 0, self.width, self.height, EVERY_PLANE)
        answer = self.ask(IMAGE, DOTS, body)
        if answer is None or len(answer) < 24 + 4 * self.width * self.height:
            raise ValueError("the display gives no picture with 32 bits a dot")
        return answer[24:]

    def _read(self, length: int) -> bytes:
        data = b""
        while len(data) < length:
            part = self._line.recv(min(1 << 20, length - len(data)))
            if not part:
                raise ConnectionError("the display went away")
            data += part
        return data


def tell(dots: bytes, width: int, height: int) -> int:
    """Print what is drawn in a picture, and return the exit status."""
    counts: Counter[int] = Counter()
    rows, left, right = [], width, 0
    for number in range(height):
        line = dots[4 * width * number : 4 * width * (number + 1)]
        row = [dot & COLOUR for dot in struct.unpack(f"<{width}I", line)] if line.strip(b"\0") else []
        drawn = [place for place, dot in enumerate(row) if dot]
        if drawn:
            counts.update(row[drawn[0] : drawn[-1] + 1])
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


def main() -> int:
    """Print what is to be seen, and return the exit status."""
    try:
        with reach(os.environ.get("DISPLAY", "")) as line:
            display = Display(line)
            for name, width, height in display.windows():
                say(f"Window: {width} by {height} dots" + (f": {name}" if name else ""))
            return tell(display.picture(), display.width, display.height)
    except (OSError, ValueError, struct.error) as error:
        say(f"There is no display that can be looked at: {error}.")
        return 1


if __name__ == "__main__":
    sys.exit(main())
