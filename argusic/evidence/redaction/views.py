"""What a viewer sees of a terminal's output, as text in which every byte knows where it came from.

A view is a text made from another by leaving bytes out. Making one is quick, since nearly all text holds no secret;
the places are worked out only when something was found in it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import accumulate, compress, islice
from typing import Final

from argusic.evidence.redaction.patterns import Pattern

_CONTROLS: Final = bytes([*range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F])
#: What begins or ends a control string, and must therefore outlive the other controls.
_STRUCTURE: Final = b"\x07\x18\x1a\x1b"
_IDLE: Final = bytes(byte for byte in _CONTROLS if byte not in _STRUCTURE)
_STRING: Final = rb"[^\x07\x18\x1a\x1b\r\n]{0,65536}(?:\x07|\x1b\\)"
_SEQUENCE: Final = re.compile(
    rb"\x1b(?:\[[0-?]{0,256}[ -/]{0,16}[@-~]|[\]PX^_]" + _STRING + rb"|[ -/]{1,4}[0-~]|[0-OQ-WYZ\\`-~])?"
)
_HARMLESS: Final = re.compile(rb"\x1b(?:\[(?:[0-9;:]{0,64}m|[02]?K|\?(?:25|2004|12|7|1)[hl])|\(B\x0f?)")
#: Characters of UTF-8 that show nothing: C1 controls with the sequences they begin, zero-width ones, a soft hyphen.
_UNSEEN: Final = (
    rb"\xc2\x9b[0-?]{0,256}[ -/]{0,16}[@-~]|\xc2[\x80-\x9f\xad]|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xaf]"
    rb"|\xef\xbb\xbf|\xcd\x8f|\xef\xb8[\x80-\x8f]"
)
_UNSEEN_CHARACTER: Final = re.compile(_UNSEEN)
#: Whatever makes a text, but for `without_harmless`, show something else than its bytes in a row.
SPECIAL: Final = (
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r[^\r\n]"
    r"|\xc2[\x80-\x9f\xad]|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf|\xcd\x8f|\xef\xb8[\x80-\x8f]"
)
#: Moves the cursor to where something may already stand, or moves what stands there.
MOVES: Final = r"(?:\x1b\[|\xc2\x9b)[0-9;?]{0,32}[A-HLMPST@X`abdefrsu]|\x1b[78DMEHc]|[\x08\x0b\x0c]"
_NO_LETTER: Final = bytes(byte for byte in range(256) if not (byte < 128 and chr(byte).isalnum()))


class _Cut:
    """Where the bytes of a text stand that was made by cutting spans out of another.

    Args:
        spans: What was cut out, sorted, without overlaps.
    """

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self._seams: list[int] = []
        self._shifts = [0]
        for start, end in spans:
            self._seams.append(start - self._shifts[-1])
            self._shifts.append(self._shifts[-1] + end - start)

    def places(self, start: int, end: int) -> list[int]:
        return [place + self._shifts[bisect_right(self._seams, place)] for place in range(start, end)]


class _Kept:
    """Where the bytes of a text stand that was made by leaving byte values out of another.

    Args:
        text: The other.
        unwanted: The byte values.
    """

    _STEP = 1024

    def __init__(self, text: bytes, unwanted: bytes) -> None:
        self._text = text
        self._table = bytes(byte not in unwanted for byte in range(256))
        counts = (len(text[at : at + self._STEP].translate(None, unwanted)) for at in range(0, len(text), self._STEP))
        self._before = list(accumulate(counts, initial=0))

    def places(self, start: int, end: int) -> list[int]:
        first = bisect_right(self._before, start) - 1
        last = bisect_left(self._before, end)
        at = first * self._STEP
        piece = self._text[at : last * self._STEP]
        kept = compress(range(at, at + len(piece)), piece.translate(self._table))
        return list(islice(kept, start - self._before[first], end - self._before[first]))


class View:
    """A text made from another.

    Args:
        text: The text.
        made_from: What it was made from; None for the text itself.
        origin: Works out what says where each byte stands in what it was made from.
    """

    def __init__(
        self, text: bytes, made_from: View | None = None, origin: Callable[[], _Cut | _Kept] | None = None
    ) -> None:
        self.text = text
        self._made_from = made_from
        self._work_out = origin

    @cached_property
    def _origin(self) -> _Cut | _Kept | None:
        return self._work_out() if self._work_out is not None else None

    def places_before(self, start: int, end: int) -> Sequence[int]:
        """Return where the bytes from `start` to `end` stand in the text that this one was made from."""
        return range(start, end) if self._origin is None else self._origin.places(start, end)

    def places(self, start: int, end: int) -> Sequence[int]:
        """Return where the bytes from `start` to `end` stand in the very first text."""
        before = self.places_before(start, end)
        if self._made_from is None:
            return before
        return [place for first, last in runs(before) for place in self._made_from.places(first, last)]

    def without_bytes(self, unwanted: bytes) -> View:
        """Return it without some byte values."""
        text = self.text
        return View(text.translate(None, unwanted), self, lambda: _Kept(text, unwanted))

    def without_matches(self, pattern: re.Pattern[bytes]) -> View:
        """Return it without what `pattern` matches."""
        text = self.text
        return View(pattern.sub(b"", text), self, lambda: _Cut(match.span() for match in pattern.finditer(text)))

    def without(self, spans: list[tuple[int, int]]) -> View:
        """Return it without some spans, which are sorted and do not overlap."""
        edges = [0, *(edge for span in spans for edge in span), len(self.text)]
        pieces = [self.text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
        return View(b"".join(pieces), self, lambda: _Cut(spans))


def runs(places: Iterable[int]) -> list[tuple[int, int]]:
    """Return sorted places as stretches."""
    found: list[tuple[int, int]] = []
    for place in places:
        if found and found[-1][1] == place:
            found[-1] = (found[-1][0], place + 1)
        else:
            found.append((place, place + 1))
    return found


def without_harmless(view: View) -> View:
    """Return a text without the commonest sequences: colours, what is erased to the right, the cursor's looks,
    and what the recorder itself resets a terminal with."""
    return view.without_matches(_HARMLESS) if b"\x1b" in view.text else view


def stripped(view: View) -> View:
    """Return what is seen: without control sequences, but with line ends and tabs."""
    view = view.without_bytes(_IDLE).without_matches(_SEQUENCE).without_bytes(_STRUCTURE)
    return view if view.text.isascii() else view.without_matches(_UNSEEN_CHARACTER)


def squeezed(view: View) -> View:
    """Return the letters and digits alone: what stays the same however a text is wrapped, framed or quoted."""
    return view.without_bytes(_NO_LETTER)


class Wrapping:
    """The line ends that a terminal or a program put into its text because a line was full.

    Args:
        width: How many characters a full line has.
    """

    def __init__(self, width: int) -> None:
        self._full = Pattern(rf"(?m)^[^\r\n]{{{min(width, 1000)}}}(\r?\n)", utf8=True)

    def undone(self, view: View) -> View:
        """Return the view without those line ends; the same view where there are none."""
        spans = list(self._full.matches(view.text))
        return view.without(spans) if spans else view
