"""Credentials that are known exactly, in every spelling that programs print, and the search for any piece of them.

All letters and digits of a text, squeezed together, are the same whether a key is wrapped, framed, quoted or cut up
by control sequences, and the same for base64 and base64url. So each spelling is looked for in that form, piece by
piece: fifteen letters and digits in a row that belong to it are found, wherever they begin.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple
from urllib.parse import quote

from argusic.evidence.redaction.patterns import Pattern, literals

#: The shortest known credential that can be told from other text.
SHORTEST: Final = 16
_FEWEST_LETTERS: Final = 12
#: Letters and digits of a spelling that are told from other text, where every byte of the key is about one of them.
_GRAM: Final = 8
#: How many different grams must show.
ENOUGH: Final = 8
#: How far around a piece that was found shorter pieces are looked for.
_AROUND: Final = 256


@dataclass(frozen=True)
class KnownSecret:
    """A credential of the run's own.

    Attributes:
        name: What to call it in counts; never any part of it.
        value: The credential.

    Raises:
        ValueError: The value is too short to be told from other text.
    """

    name: str
    value: str

    def __post_init__(self) -> None:
        letters = sum(character.isascii() and character.isalnum() for character in self.value)
        if len(self.value) < SHORTEST or letters < _FEWEST_LETTERS:
            raise ValueError(
                f"the credential {self.name!r} is too short to be looked for: "
                f"it needs {SHORTEST} characters, {_FEWEST_LETTERS} of them letters or digits"
            )

    def __repr__(self) -> str:
        return f"KnownSecret(name={self.name!r})"


class Spelling(NamedTuple):
    """One spelling of one credential, squeezed to letters and digits."""

    name: str
    """The credential's name."""
    text: bytes
    """The letters and digits."""
    gram: int
    """How many of them in a row are no chance."""


def _base64(value: bytes) -> Iterator[bytes]:
    """Yield what base64 always shows of a value, for each of the three places that it may begin at."""
    for before in range(3):
        shown = base64.b64encode(bytes(before) + value + bytes(-(before + len(value)) % 3))
        first = -(-before * 8 // 6)
        last = (before + len(value)) * 8 // 6
        yield shown[first:last]


def _base32(value: bytes) -> Iterator[bytes]:
    for before in range(5):
        shown = base64.b32encode(bytes(before) + value)
        yield shown[-(-before * 8 // 5) : (before + len(value)) * 8 // 5]


def _each(value: bytes, show: Callable[[int], str], *, also_letters: bool) -> bytes:
    """Return a value with its bytes written by `show`: all of them, or those that are no letters or digits."""
    return "".join(chr(b) if not also_letters and chr(b).isalnum() and b < 128 else show(b) for b in value).encode()


def _spelt(value: str) -> Iterator[tuple[bytes, int]]:
    """Yield each spelling with its gram."""
    raw = value.encode()
    yield raw, _GRAM
    yield raw[::-1], _GRAM
    for text in _base64(raw):
        yield text, _GRAM
    for text in _base32(raw):
        yield text, 10
    for some in (quote(value, safe=""), quote(value, safe="").replace("%", "%25")):
        yield some.encode(), _GRAM
    escapes: tuple[tuple[Callable[[int], str], int], ...] = (
        ("{:02x}".format, 16),
        ("x{:02x}".format, 24),
        ("0x{:02x}".format, 32),
        ("u00{:02x}".format, 40),
        ("{:03o}".format, 24),
        ("{:d}".format, 22),
    )
    for show, gram in escapes:
        for written in (show, lambda byte, show=show: show(byte).replace("x", "\0").upper().replace("\0", "x")):
            yield _each(raw, written, also_letters=True), gram
            # Where a letter stands for itself, as many letters as in the plain spelling are no chance.
            yield _each(raw, written, also_letters=False), _GRAM


_NO_LETTER: Final = re.compile(rb"[^A-Za-z0-9]+")


def spellings(secrets: tuple[KnownSecret, ...]) -> tuple[Spelling, ...]:
    """Return every spelling of every credential once."""
    found: dict[bytes, Spelling] = {}
    for secret in secrets:
        for text, gram in _spelt(secret.value):
            squeezed = _NO_LETTER.sub(b"", text)
            if len(squeezed) >= gram:
                found.setdefault(squeezed, Spelling(secret.name, squeezed, gram))
    return tuple(found.values())


class KnownSearch:
    """The search for known credentials in squeezed text.

    Args:
        secrets: The credentials.
    """

    def __init__(self, secrets: tuple[KnownSecret, ...]) -> None:
        self._spellings = spellings(secrets)
        # Pieces at every gram-th place of the spelling: one of them lies whole in whatever two grams' length is shown.
        self._seeds: dict[bytes, list[tuple[int, int]]] = {}
        self._grams: dict[int, dict[bytes, str]] = {}
        for number, spelling in enumerate(self._spellings):
            grams = self._grams.setdefault(spelling.gram, {})
            for at in range(len(spelling.text) - spelling.gram + 1):
                grams.setdefault(spelling.text[at : at + spelling.gram], spelling.name)
            starts = {
                *range(0, len(spelling.text) - spelling.gram + 1, spelling.gram),
                len(spelling.text) - spelling.gram,
            }
            for at in starts:
                self._seeds.setdefault(spelling.text[at : at + spelling.gram], []).append((number, at))
        self._pattern = Pattern(literals(self._seeds)) if self._seeds else None

    def found(self, text: bytes) -> list[tuple[int, int, str]]:
        """Return the places of all pieces in squeezed text, with the credential's name.

        A piece counts where, with those near it, it shows `ENOUGH` different grams: fifteen letters of a plain
        spelling in a row, or several shorter pieces. What everybody knows of a key, its beginning, does not count.
        """
        if self._pattern is None or not self._pattern.found_in(text):
            return []
        near: list[tuple[int, int, set[int]]] = []
        for start, end in self._pattern.whole_matches(text):
            first, last = max(0, start - _AROUND), min(len(text), end + _AROUND)
            if not near or first > near[-1][1]:
                near.append((first, last, set()))
            grams = near[-1][2] | {self._spellings[number].gram for number, _ in self._seeds[text[start:end]]}
            near[-1] = (near[-1][0], last, grams)
        return [piece for first, last, sizes in near for piece in self._pieces(text, first, last, sizes)]

    def _pieces(self, text: bytes, first: int, last: int, sizes: set[int]) -> list[tuple[int, int, str]]:
        """Return the pieces within a stretch, where together they are more than the key's public beginning."""
        pieces = []
        for size in sorted(sizes):
            grams = self._grams[size]
            seen: set[bytes] = set()
            found = []
            at = first
            while at + size <= last:
                name = grams.get(gram := text[at : at + size])
                if name is None:
                    at += 1
                    continue
                start = at
                while name is not None and at + size <= last:
                    seen.add(gram)
                    at += 1
                    gram = text[at : at + size]
                    name_here, name = name, grams.get(gram)
                found.append((start, at - 1 + size, name_here))
                at += size - 1
            if len(seen) >= ENOUGH:
                pieces += found
        return pieces
