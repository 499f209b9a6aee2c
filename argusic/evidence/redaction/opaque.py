"""Packed and encrypted forms in a text: what can be opened is searched for known credentials, the rest is named.

A credential inside a form that cannot be opened is not provably absent. So such a form withholds, but only where the
attempt held a credential at all: who had none cannot have packed one.
"""

from __future__ import annotations

import base64
import binascii
import bz2
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Final, Protocol

from argusic.evidence.redaction.known import KnownSearch
from argusic.evidence.redaction.patterns import Pattern
from argusic.evidence.redaction.rules import OpaqueRule
from argusic.evidence.redaction.views import View, squeezed

#: Fewer characters hold no credential: its own length, packed.
_SHORTEST: Final = 32
#: How long digests are in hex and in base64: some begin as packed forms do.
_DIGESTS: Final = frozenset((32, 40, 43, 44, 48, 56, 64, 86, 88, 96, 128))
_STEP: Final = 64
#: The most that a packed form may unpack to.
_LARGEST: Final = 64 * 1024 * 1024
_BASE64: Final = re.compile(rb"(?:[A-Za-z0-9+/_-]+(?:\r?\n[ \t]*)?)+={0,2}")
_HEX: Final = re.compile(rb"(?:[0-9a-fA-F]+(?:\r?\n[ \t]*)?)+")
_BLANKS: Final = bytes.maketrans(b"-_", b"+/")


class OpaqueSearch:
    """The search for packed forms.

    Args:
        rules: Which there are.
        known: The search for known credentials.

    Attributes:
        sources: The patterns by which forms are told.
    """

    def __init__(self, rules: Iterable[OpaqueRule], known: KnownSearch) -> None:
        self._known = known
        self._rules: list[tuple[OpaqueRule, Pattern, Callable[[bytes, int], tuple[int, bytes | None]]]] = []
        for rule in rules:
            for source, read in ((rule.base64, _read_base64), (rule.hex, _read_hex), (rule.text, _read_nothing)):
                if source is not None:
                    self._rules.append((rule, Pattern(source), read))
        self.sources = [pattern.source for _, pattern, _ in self._rules]

    def _forms(self, text: bytes) -> Iterator[tuple[int, int, OpaqueRule, bytes | None]]:
        """Yield each form: from, to, its rule, and what was in it where it could be opened."""
        for rule, pattern, read in self._rules:
            for start, _ in pattern.whole_matches(text):
                end, packed = read(text, start)
                if read is not _read_nothing and end - start < _SHORTEST:
                    continue
                if rule.opened in ("gzip", "zlib") and end - start in _DIGESTS:
                    continue
                try:
                    yield start, end, rule, _open(rule, packed) if packed is not None else None
                except NoForm:
                    continue

    def unopened(self, text: bytes) -> str | None:
        """Return the name of a form in `text` that could not be opened, or None."""
        return next((rule.name for _, _, rule, inside in self._forms(text) if inside is None), None)

    def holding(self, text: bytes) -> Iterator[tuple[int, int, str]]:
        """Yield each opened form that holds a known credential: from, to, the credential's name."""
        for start, end, _, inside in self._forms(text):
            if inside is not None and (found := self._known.found(squeezed(View(inside)).text)):
                yield start, end, found[0][2]


def _read_base64(text: bytes, start: int) -> tuple[int, bytes | None]:
    match = _BASE64.match(text, start)
    if match is None:
        return start, None
    letters = re.sub(rb"[^A-Za-z0-9+/]", b"", match.group().translate(_BLANKS))
    return match.end(), base64.b64decode(letters[: len(letters) // 4 * 4] + _rest(letters))


def _rest(letters: bytes) -> bytes:
    over = letters[len(letters) // 4 * 4 :]
    return over + b"=" * (4 - len(over)) if len(over) > 1 else b""


def _read_hex(text: bytes, start: int) -> tuple[int, bytes | None]:
    match = _HEX.match(text, start)
    if match is None:
        return start, None
    digits = re.sub(rb"[^0-9a-fA-F]", b"", match.group())
    return match.end(), binascii.unhexlify(digits[: len(digits) // 2 * 2])


def _read_nothing(text: bytes, start: int) -> tuple[int, bytes | None]:
    return min(len(text), start + _SHORTEST), None


class NoForm(Exception):
    """What looked like a packed form is none."""


def _open(rule: OpaqueRule, packed: bytes) -> bytes | None:
    """Return what is in a packed form, as far as it is shown; None where that cannot be told.

    Raises:
        NoForm: It is no such form.
    """
    if rule.opened == "zip":
        return _unzipped(packed)
    if rule.opened == "bzip2":
        return _unpacked(bz2.BZ2Decompressor(), packed)
    if rule.opened == "xz":
        return _unpacked(lzma.LZMADecompressor(), packed)
    if rule.opened in ("gzip", "zlib"):
        return _unpacked(zlib.decompressobj(wbits=31 if rule.opened == "gzip" else 15), packed)
    return None


class _Unpacker(Protocol):
    """What the standard library's unpackers have in common."""

    @property
    def eof(self) -> bool: ...

    def decompress(self, data: bytes, max_length: int = ..., /) -> bytes: ...


def _unpacked(unpacker: _Unpacker, packed: bytes) -> bytes | None:
    """Unpack piece by piece: a form that is cut off hides nothing but what is not shown either."""
    out: list[bytes] = []
    size = 0
    try:
        for at in range(0, len(packed), _STEP):
            if unpacker.eof:
                break
            out.append(unpacker.decompress(packed[at : at + _STEP], _LARGEST))
            size += len(out[-1])
            if size >= _LARGEST:
                return None
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        if size < _STEP:
            raise NoForm from error
        return None
    return b"".join(out) if size or unpacker.eof else None


def _unzipped(packed: bytes) -> bytes | None:
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > _LARGEST:
                return None
            return b"\n".join(archive.read(entry) for entry in archive.infolist())
    # RuntimeError: an encrypted archive.
    except (OSError, EOFError, ValueError, RuntimeError, zlib.error, zipfile.BadZipFile):
        return None
