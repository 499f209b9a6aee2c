"""Server-sent events, from bytes as they come: the data of each event, whatever line ends and pings lie between."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

#: The longest line; whoever sends a longer one sends no events.
LONGEST_LINE: Final = 16_000_000


class LineTooLong(Exception):
    """The stream holds a line that is longer than any event's."""


async def events(chunks: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """Yield the data of each event.

    Lines are told apart on bytes: what else counts as a line end in Unicode may stand inside of JSON.

    Raises:
        LineTooLong: A line does not end.
    """
    data: list[str] = []
    async for line in _lines(chunks):
        name, _, value = line.partition(b":")
        if name == b"data":
            data.append(value.removeprefix(b" ").decode(errors="replace"))
        elif not line and data:
            yield "\n".join(data)
            data = []
    if data:
        yield "\n".join(data)


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    rest = bytearray()
    async for chunk in chunks:
        rest += chunk
        while (end := rest.find(b"\n")) >= 0:
            yield bytes(rest[:end]).removesuffix(b"\r")
            del rest[: end + 1]
        if len(rest) > LONGEST_LINE:
            raise LineTooLong
    if rest:
        yield bytes(rest)
