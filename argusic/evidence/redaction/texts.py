"""Searching files that are held whole: the log, the report, the trajectory, the command table."""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from argusic.evidence.redaction.finding import Finder, Looked

#: How much is searched at once, and how much of it again with the next piece.
PIECE: Final = 2 * 1024 * 1024
AGAIN: Final = 64 * 1024
#: What is found so near the beginning of a piece that is no first one was found whole before.
EDGE: Final = 1024
_ESCAPE: Final = re.compile(rb"\\(?:u[0-9a-fA-F]{4}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2})?|.)", re.DOTALL)


def look_at(data: bytes, finder: Finder) -> Iterator[tuple[Looked, int]]:
    """Yield each look at a piece of `data`, with the place in it that its findings' places count from."""
    for base, piece in pieces(data):
        looked = finder.look(piece)
        if base:
            looked = looked._replace(found=[found for found in looked.found if found.places[0][0] >= EDGE])
        yield looked, base


def pieces(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield `data` in pieces that overlap, with their places."""
    at = 0
    while True:
        yield at, data[at : at + PIECE + AGAIN]
        at += PIECE
        if at + AGAIN >= len(data):
            return


def unescaped(data: bytes) -> tuple[bytes, array[int]]:
    """Return JSON text with the escapes of its strings resolved, and where each byte's character is written."""
    out: list[bytes] = []
    places = array("q")
    at = 0
    for escape in _ESCAPE.finditer(data):
        out.append(data[at : escape.start()])
        places.extend(range(at, escape.start()))
        shown = _shown(escape.group())
        out.append(shown)
        places.extend([escape.start()] * len(shown))
        at = escape.end()
    out.append(data[at:])
    places.extend(range(at, len(data) + 1))
    return b"".join(out), places


def _shown(escape: bytes) -> bytes:
    try:
        shown: str = json.loads(b'"' + escape + b'"')
    except ValueError:
        return escape
    return shown.encode("utf-8", "surrogatepass")


def written_at(places: array[int], start: int, end: int) -> tuple[int, int]:
    """Return where a stretch of unescaped text is written, its last character with all of its escape."""
    last = bisect_right(places, places[end - 1])
    return places[start], places[last] if last < len(places) else places[end - 1] + 1
