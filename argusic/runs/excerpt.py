"""The head and the tail of a long output, in bounded memory: what an agent gets to read of it."""

from __future__ import annotations

#: Bytes kept of each end.
HEAD_BYTES = 20_000
TAIL_BYTES = 20_000


class Excerpt:
    """Keeps the ends of what passes through it."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._size = 0

    def add(self, data: bytes) -> None:
        """Take the next piece of UTF-8 text."""
        self._size += len(data)
        room = HEAD_BYTES - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if len(data) > TAIL_BYTES:
            data = data[-TAIL_BYTES:]
        self._tail += data
        if len(self._tail) > 2 * TAIL_BYTES:
            del self._tail[:-TAIL_BYTES]

    def text(self) -> str:
        """Return the whole, or head and tail with a line between them that says how much was left out."""
        tail = bytes(self._tail[-TAIL_BYTES:])
        left_out = self._size - len(self._head) - len(tail)
        if left_out == 0:
            return (bytes(self._head) + tail).decode()
        # Either end may be cut inside a character; its rest belongs to what is left out.
        head = self._head.decode(errors="ignore")
        return f"{head}\n[... {left_out:,} bytes left out ...]\n{tail.decode(errors='ignore')}"
