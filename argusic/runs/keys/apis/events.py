"""Server-sent events: where one ends in a stream of bytes, and what it says. Not a byte is changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from argusic.runs.keys.apis.dialect import Json

#: An event that is longer is no answer of a model.
LONGEST: Final = 16 << 20
_ENDS: Final = (b"\r\n\r\n", b"\n\n", b"\r\r")


class TooLong(ValueError):
    """An event does not end."""


class Splitter:
    """Cuts a stream into its events, each with the empty line that ends it."""

    def __init__(self) -> None:
        self._rest = b""
        self._looked = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the events that `data` completes, byte for byte.

        Raises:
            TooLong: An event does not end.
        """
        self._rest += data
        while (end := self._end()) is not None:
            event, self._rest, self._looked = self._rest[:end], self._rest[end:], 0
            yield event
        if len(self._rest) > LONGEST:
            raise TooLong
        # An end may lie across two pieces.
        self._looked = max(0, len(self._rest) - 3)

    def rest(self) -> bytes:
        """Return what came behind the last whole event."""
        return self._rest

    def _end(self) -> int | None:
        found = [(at, len(end)) for end in _ENDS if (at := self._rest.find(end, self._looked)) >= 0]
        return sum(min(found)) if found else None


def said(event: bytes) -> Json | None:
    """Return the JSON object that an event says, or None where it says something else or nothing."""
    lines = event.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    data = b"\n".join(line[5:].removeprefix(b" ") for line in lines if line.startswith(b"data:"))
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
