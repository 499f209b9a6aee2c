"""The bodies of private keys between their markers, or beside the only marker that is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from argusic.evidence.redaction.patterns import Pattern
from argusic.evidence.redaction.rules import Armour

#: A line of a body: nothing but characters of base64, behind the marks that quote a line.
_BODY_LINE: Final = re.compile(rb"[ \t>|*#+\"'0-9:.]{0,12}([A-Za-z0-9+/=_-]{12,})[\"' \t,|\\nr+]{0,12}")
_BODY_HEADER: Final = re.compile(rb"[ \t>|#]{0,8}[A-Z][A-Za-z-]{2,30}: ")
_TOKEN: Final = re.compile(rb"[A-Za-z0-9+/=_-]+")
_ESCAPED_END: Final = re.compile(rb"\\+[rnt]")
_LINE: Final = re.compile(rb"[^\r\n]+")
#: The most lines and bytes of a body whose other marker is missing.
_MOST_BODY: Final = 32_768


class ArmourSearch:
    """The search for bodies.

    Args:
        armour: What the markers look like.
    """

    def __init__(self, armour: Armour) -> None:
        self._begins = Pattern(armour.begins)
        self._ends = Pattern(armour.ends)

    def bodies(self, text: bytes) -> Iterator[list[tuple[int, int]]]:
        """Yield the tokens of each body: between its markers, or on the side of the only one."""
        begins = list(self._begins.whole_matches(text))
        ends = list(self._ends.whole_matches(text))
        closed: set[int] = set()
        for number, (_, after) in enumerate(begins):
            limit = begins[number + 1][0] if number + 1 < len(begins) else len(text)
            end = next((start for start, _ in ends if after <= start <= min(limit, after + _MOST_BODY)), None)
            if end is None:
                yield _tokens_while_body(text, after, min(limit, after + _MOST_BODY))
            else:
                closed.add(end)
                yield _tokens_between(text, after, end)
        for start, _ in ends:
            if start not in closed:
                first = max((e for _, e in (*begins, *ends) if e <= start), default=0)
                yield _tokens_before(text, max(first, start - _MOST_BODY), start)


def _masked(token: bytes) -> bool:
    return not token.strip(b"X=_-")


def _lines(text: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the lines of a stretch, those ended by a written-out `\\n` too."""
    for line in _LINE.finditer(text, start, end):
        at = line.start()
        for mark in _ESCAPED_END.finditer(text, line.start(), line.end()):
            yield at, mark.start()
            at = mark.end()
        yield at, line.end()


def tokens(text: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the tokens of a stretch that are not masked already."""
    for token in _TOKEN.finditer(text, start, end):
        if not _masked(token.group()):
            yield token.span()


def _tokens_between(text: bytes, start: int, end: int) -> list[tuple[int, int]]:
    return [
        token
        for first, last in _lines(text, start, end)
        if not _BODY_HEADER.match(text, first, last)
        for token in tokens(text, first, last)
    ]


def _tokens_while_body(text: bytes, start: int, end: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for first, last in _lines(text, start, end):
        if _BODY_HEADER.match(text, first, last) or not text[first:last].strip(b" \t>|"):
            continue
        if not _BODY_LINE.fullmatch(text, first, last):
            break
        found += tokens(text, first, last)
    return found


def _tokens_before(text: bytes, start: int, end: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for first, last in reversed(list(_lines(text, start, end))):
        if not text[first:last].strip(b" \t>|"):
            continue
        if not _BODY_LINE.fullmatch(text, first, last) and not (
            last - first < 12 and _TOKEN.fullmatch(text[first:last].strip(b" \t>|"))
        ):
            break
        found += tokens(text, first, last)
    return sorted(found)
