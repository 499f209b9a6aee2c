"""What a viewer sees of a terminal's output, as text in which every byte knows where it came from.

A view is a text made from another by leaving bytes out. Making one is quick, since nearly all text holds no secret;
the places are worked out only when something was found in it.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import compress
from typing import Final, TypeAlias

from argusic.evidence.redaction.patterns import Pattern

#: Where each byte of a text came from; None where nothing was left out.
Places: TypeAlias = "array[int] | None"

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


class View:
    """A text made from another.

    Args:
        text: The text.
        made_from: What it was made from; None for the text itself.
        places: Works out where each byte stands in what it was made from.
    """

    def __init__(
        self, text: bytes, made_from: View | None = None, places: Callable[[], array[int]] | None = None
    ) -> None:
        self.text = text
        self._made_from = made_from
        self._work_out = places

    @cached_property
    def _own(self) -> Places:
        return self._work_out() if self._work_out is not None else None

    @cached_property
    def _places(self) -> Places:
        own = self._own
        before = self._made_from._places if self._made_from is not None else None
        if own is None or before is None:
            return before if own is None else own
        return array("q", map(before.__getitem__, own))

    def places(self, start: int, end: int) -> Iterable[int]:
        """Return where the bytes from `start` to `end` stand in the very first text."""
        places = self._places
        return range(start, end) if places is None else places[start:end]

    def places_before(self, start: int, end: int) -> Iterable[int]:
        """Return where the bytes from `start` to `end` stand in the text that this one was made from."""
        return range(start, end) if self._own is None else self._own[start:end]

    def without_bytes(self, unwanted: bytes) -> View:
        """Return it without some byte values."""
        table = bytes(byte not in unwanted for byte in range(256))
        text = self.text
        return View(
            text.translate(None, unwanted),
            self,
            lambda: array("q", compress(range(len(text)), text.translate(table))),
        )

    def without_matches(self, pattern: re.Pattern[bytes]) -> View:
        """Return it without what `pattern` matches."""
        text = self.text
        return View(pattern.sub(b"", text), self, lambda: _outside(text, (m.span() for m in pattern.finditer(text))))

    def without(self, spans: list[tuple[int, int]]) -> View:
        """Return it without some spans, which are sorted and do not overlap."""
        text = self.text
        pieces = [text[start:end] for start, end in _between(len(text), spans)]
        return View(b"".join(pieces), self, lambda: _outside(text, spans))


def _between(size: int, spans: Iterable[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    at = 0
    for start, end in spans:
        yield at, start
        at = end
    yield at, size


def _outside(text: bytes, spans: Iterable[tuple[int, int]]) -> array[int]:
    places = array("q")
    for start, end in _between(len(text), spans):
        places.extend(range(start, end))
    return places


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
