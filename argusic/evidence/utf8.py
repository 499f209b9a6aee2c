"""Bytes of a terminal to text, piece by piece: a character split over two reads arrives whole.

Bytes that are no UTF-8 become U+FFFD and are counted, so that a recording says how much of it is not as printed.
"""

from __future__ import annotations

import codecs

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_REPLACEMENT_BYTES = _REPLACEMENT.encode()


class Utf8Stream:
    """An incremental decoder.

    Attributes:
        replaced: How many characters stand for bytes that were no UTF-8.
    """

    def __init__(self) -> None:
        self.replaced = 0
        self._pending = b""

    def feed(self, data: bytes) -> str:
        """Return the text of `data`, keeping back the beginning of a character whose rest is still to come."""
        return self._decode(data, final=False)

    def finish(self) -> str:
        """Return what was kept back: a character that never got its rest, replaced."""
        return self._decode(b"", final=True)

    def _decode(self, data: bytes, *, final: bool) -> str:
        if self._pending:
            data = self._pending + data
        try:
            text, used = codecs.utf_8_decode(data, "strict", final)
        except UnicodeDecodeError:
            text, used = codecs.utf_8_decode(data, "replace", final)
            # A U+FFFD that was printed as such is no replacement of ours.
            self.replaced += text.count(_REPLACEMENT) - data[:used].count(_REPLACEMENT_BYTES)
        self._pending = data[used:]
        return text
