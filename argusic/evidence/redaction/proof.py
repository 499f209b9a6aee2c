"""The proof that nothing is left: a second search of the served bytes, by other means than the first.

The first pass reads events, looks at views of their text, and searches for pieces of each spelling. This one reads no
event: it takes the served bytes, cuts away what a recording puts around its output, and asks of every block of eight
letters whether it belongs to a credential; for shapes it goes by the words that secrets begin with. Only where the
cursor moves does it look at events, to draw them. It knows nothing of what the first pass found or masked.

What it proves is stated in `docs`: no known credential in any spelling of the list, in pieces of 15 letters (or the
spelling's equal) that stand in a row; no value behind a listed beginning; no body beside a marker of a private key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from argusic.evidence.redaction.drawn import drawn_texts
from argusic.evidence.redaction.known import ENOUGH, KnownSecret, spellings
from argusic.evidence.redaction.patterns import Pattern
from argusic.evidence.redaction.rules import Rules, Shape

_PIECE: Final = 2 * 1024 * 1024
_AGAIN: Final = 32 * 1024
_LETTERS_AGAIN: Final = 8192
_BLOCK: Final = 8
#: How far around a block that belongs to a credential its neighbours are looked at.
_AROUND: Final = 96
_NO_LETTER: Final = bytes(byte for byte in range(256) if not (byte < 128 and chr(byte).isalnum()))
#: From the end of one output event to the beginning of the next, with whatever lines lie between.
_BETWEEN: Final = re.compile(rb'"\]\n((?:(?!\[[^"\n]{0,40}"o", ?")[^\n]*\n)*)\[[^"\n]{0,40}"o", ?"')
#: The backslash must not itself be escaped; where it may be, looking at the events decides.
_MOVES: Final = re.compile(
    rb"\\(?<!\\\\)(?:[rbf]|u00(?:[19]b\[?[0-9;?]{0,32}[A-HLMPST@X`abdefrsu]|1b[78DMEHc]|0[8bBcC]))"
)
_SEQUENCE: Final = re.compile(
    rb"\\u001b(?:\[[0-?]{0,256}[ -/]{0,16}[@-~]|[\]PX^_](?:[^\\]|\\\")*?(?:\\u0007|\\u001b\\\\)|[ -/]{1,4}[0-~]|[0-~])"
)
_STRING: Final = re.compile(rb"\\u001b[\]PX^_]((?:[^\\]|\\\")*?)(?:\\u0007|\\u001b\\\\)")
_ESCAPE: Final = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|[nrtbf])")
_ALPHABETS: Final = {
    "token": re.compile(rb"[A-Za-z0-9_-]*"),
    "upper": re.compile(rb"[A-Z0-9]*"),
    "alnum": re.compile(rb"[A-Za-z0-9]*"),
    "dotted": re.compile(rb"[A-Za-z0-9_.-]*"),
}
_WORD: Final = re.compile(rb"[A-Za-z0-9_]")
_BODY: Final = re.compile(rb"[A-Za-z0-9+/]{16,}")
_HEADER: Final = re.compile(rb"[ \t>|#]{0,8}[A-Z][A-Za-z-]{2,30}: ")
_BODY_LINE: Final = re.compile(rb"[ \t>|]{0,8}([A-Za-z0-9+/]{32,}={0,2})[ \t|]*")


class Anchor(NamedTuple):
    """A word that secrets of one shape begin with."""

    word: bytes
    shape: Shape | None
    """The shape; None for key material."""
    name: str
    least: int
    """How many characters behind it make it a secret."""
    alphabet: re.Pattern[bytes]
    """Which characters."""


class Proof:
    """The second search.

    Args:
        rules: What is a secret.
        known: The run's own credentials.
        columns: The terminal's width.
        rows: The terminal's height.
    """

    def __init__(self, rules: Rules, known: tuple[KnownSecret, ...], columns: int, rows: int) -> None:
        self._rules = rules
        self._size = (columns, rows)
        self._grams: dict[bytes, tuple[str, int]] = {}
        for spelling in spellings(known):
            for at in range(len(spelling.text) - _BLOCK + 1):
                gram = spelling.text[at : at + _BLOCK]
                self._grams[gram] = min((spelling.name, spelling.gram), self._grams.get(gram, ("\x7f", 0)))
        # Of a long credential every other block will do.
        shortest = min((len(spelling.text) for spelling in spellings(known)), default=0)
        self._stride = 2 if shortest >= 4 * _BLOCK else 1
        self._blocks = frozenset(int.from_bytes(gram, "little") for gram in self._grams)
        self._anchors = list(_anchors(rules))
        words = sorted({anchor.word for anchor in self._anchors})
        self._words = Pattern("|".join(re.escape(word.decode()) for word in (*words, b"PRIVATE KEY")))

    def of_recording(self, path: Path) -> str | None:
        """Return what is left in a served recording, as a name for it, or None."""
        flat_before, letters_before = b"", b""
        with path.open("rb") as stream:
            while piece := stream.read(_PIECE):
                piece += stream.readline()
                parts = _BETWEEN.split(b'"]\n' + piece)
                flat = b"".join(parts[::2]).removesuffix(b'"]\n')
                flat, drawn, strings = _resolved(flat)
                letters = letters_before + flat.translate(None, _NO_LETTER)
                left = self._in_letters(letters) or self._in_text(flat_before + flat)
                for aside in (strings, _resolved(b"".join(parts[1::2]))[0]):
                    left = left or (self._of(aside) if aside else None)
                if drawn:
                    left = left or self._of_drawn(piece)
                if left:
                    return left
                flat_before, letters_before = flat[-_AGAIN:], letters[-_LETTERS_AGAIN:]
        return None

    def of_text(self, path: Path, *, json: bool) -> str | None:
        """Return what is left in a served file that is no recording, as a name for it, or None."""
        data = path.read_bytes()
        if not json:
            return self._of(data)
        # A viewer sees the strings resolved. As it is written, an escape's letter would stick to what follows it.
        return self._in_letters(data.translate(None, _NO_LETTER)) or self._of(_resolved(data)[0])

    def _of(self, text: bytes) -> str | None:
        return self._in_letters(text.translate(None, _NO_LETTER)) or self._in_text(text)

    def _of_drawn(self, piece: bytes) -> str | None:
        return next((left for text in drawn_texts(piece, *self._size) if (left := self._of(text))), None)

    def _in_letters(self, letters: bytes) -> str | None:
        whole = len(letters) // _BLOCK * _BLOCK
        if not self._blocks or self._blocks.isdisjoint(memoryview(letters[:whole]).cast("Q")[:: self._stride]):
            return None
        for at in range(0, whole, _BLOCK):
            hit = self._grams.get(letters[at : at + _BLOCK])
            if hit is not None and self._is_piece(letters, at, hit[1]):
                return f"the credential {hit[0]!r}"
        return None

    def _is_piece(self, letters: bytes, at: int, gram: int) -> bool:
        """Return whether the letters about a block are of a credential, in a row or with little between them."""
        first = max(0, at - _AROUND)
        around = letters[first : at + _BLOCK + _AROUND]
        seen = {around[n : n + _BLOCK] for n in range(len(around) - _BLOCK + 1)} & self._grams.keys()
        # A spelling with more letters for each byte of the key needs as many more of them to say as much.
        return len(seen) >= ENOUGH + gram - _BLOCK

    def _in_text(self, text: bytes) -> str | None:
        if not self._words.found_in(text):
            return None
        for anchor in self._anchors:
            at = text.find(anchor.word)
            while at >= 0:
                behind = at + len(anchor.word)
                if self._is_value(text, at, behind, anchor):
                    return f"a value of the shape {anchor.name!r}"
                at = text.find(anchor.word, behind)
        return "the body of a private key" if _body_left(text) else None

    def _is_value(self, text: bytes, at: int, behind: int, anchor: Anchor) -> bool:
        if at and _WORD.match(text, at - 1):
            return False
        match = anchor.alphabet.match(text, behind)
        if match is None or match.end() - behind < anchor.least:
            return False
        value = text[at : match.end()]
        if anchor.name == "jwt" and value.count(b".eyJ") == 0:
            return False
        if anchor.shape is None:
            return bool(match.group().strip(b"X"))
        return self._rules.is_secret(anchor.shape, text, at, match.end())


def _anchors(rules: Rules) -> Iterator[Anchor]:
    shapes = {shape.name: shape for shape in rules.shapes}
    listed = [(rule.name, rule.anchors) for rule in rules.file.secrets]
    listed += [(rule.name, rule.anchors) for rule in rules.file.keys.values]
    for name, anchors in listed:
        for word, least, *alphabet in anchors:
            yield Anchor(
                str(word).encode(),
                shapes.get(name),
                name,
                int(least),
                _ALPHABETS[str(alphabet[0]) if alphabet else "token"],
            )


def _resolved(flat: bytes) -> tuple[bytes, bool, bytes]:
    """Return JSON text without escapes and control sequences, whether the cursor moves, and the control strings.

    A backslash that was printed is taken for an escape where letters follow. That can only bring letters together.
    """
    flat = flat.replace(b"\\r\\n", b"\n")
    drawn = _MOVES.search(flat) is not None
    strings: list[bytes] = []
    if b"\\u" in flat:
        strings = _STRING.findall(flat)
        flat = _SEQUENCE.sub(b"", flat)
    return _ESCAPE.sub(_shown, flat), drawn, _ESCAPE.sub(_shown, b"\n".join(strings))


def _shown(escape: re.Match[bytes]) -> bytes:
    if escape[1] is None:
        return b"\n" if escape.group() in (b"\\n", b"\\r") else b" "
    code = int(escape[1], 16)
    return bytes([code]) if 0x20 <= code < 0x7F else b""


def _body_left(text: bytes) -> bool:
    """Return whether the body of a private key stands beside a marker."""
    at = text.find(b"PRIVATE KEY")
    while at >= 0:
        first = text.rfind(b"\n", 0, at) + 1
        marker = text[first:at]
        last = text.find(b"-", at)
        if 0 <= last <= at + 20 and b"BEGIN " in marker[-60:] and b"--" in marker:
            if _left_behind(text, last):
                return True
        elif 0 <= last <= at + 20 and b"END " in marker[-60:] and b"--" in marker:
            before = text[max(0, first - 400) : first].split(b"\n")
            match = _BODY_LINE.fullmatch(before[-2].strip(b"\r")) if len(before) > 1 else None
            if match and match[1].strip(b"X="):
                return True
        at = text.find(b"PRIVATE KEY", at + 11)
    return False


def _left_behind(text: bytes, at: int) -> bool:
    end = text.find(b"PRIVATE KEY", at)
    closed = 0 <= end < at + 32_768 and b"END " in text[end - 40 : end]
    if closed:
        lines = text[at : text.rfind(b"END ", 0, end)].split(b"\n")
        return any(token.strip(b"X") for line in lines if not _HEADER.match(line) for token in _BODY.findall(line))
    for line in text[at : at + 400].strip(b"- \r\n").split(b"\n")[:2]:
        if (match := _BODY_LINE.fullmatch(line.strip(b"\r"))) and match[1].strip(b"X="):
            return True
    return False
