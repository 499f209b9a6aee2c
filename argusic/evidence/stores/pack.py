"""A pack: many files of evidence in one, a plain ZIP that stores them as they are, each named by its digest.

The directory at its end is the index: where each file begins and how long it is, so that one is read without the
others. The same files always make the same pack, to the byte, and a pack is named by its own digest. Anybody can check
one with `unzip` and `sha256sum`.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from argusic.errors import CheckFailed, InputError, Place
from argusic.evidence.stores.elsewhere import PIECE, Here

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_BEFORE: Final = 30 + 64
"""Bytes before a member's content: its header and its name."""
_AFTER: Final = 46 + 64
"""Bytes that a member has in the directory."""
_END: Final = 22
"""Bytes after the directory."""
_MOST_MEMBERS: Final = 60_000
"""Files in a pack; from 65,536 on the format changes."""


#: What a pack is written from: the size of each file and what opens it, by its digest.
Members = Mapping[str, tuple[int, Callable[[], BinaryIO]]]


class Span(NamedTuple):
    """Where a file lies in a pack."""

    start: int
    """The offset of its first byte."""
    size: int
    """Its size in bytes."""


def plan_packs(files: Iterable[Here], most_bytes: int) -> Iterator[list[Here]]:
    """Yield the files of each pack, none of which becomes larger than `most_bytes`. Files are in the order of their
    digests. One that is too large for any pack is left out."""
    members: list[Here] = []
    size = _END
    for file in sorted(files):
        own = packed_size(file.size)
        if own + _END > most_bytes:
            continue
        if members and (size + own > most_bytes or len(members) == _MOST_MEMBERS):
            yield members
            members, size = [], _END
        members.append(file)
        size += own
    if members:
        yield members


def plan_whole(files: Iterable[Here], most_bytes: int, *, what: str, advice: str) -> list[list[Here]]:
    """Return the files of each pack, with none left out.

    Args:
        files: The files.
        most_bytes: The most that a pack may have.
        what: What a pack is there, as in `a pack in git`.
        advice: Where else a file goes that is too large.

    Raises:
        InputError: One is too large for any pack.
    """
    wanted = list(files)
    planned = list(plan_packs(wanted, most_bytes))
    fits = {file.sha256 for members in planned for file in members}
    for file in wanted:
        if file.sha256 not in fits:
            raise InputError(
                f"has {file.size:,} bytes, and {what} may have {most_bytes:,}.", place=Place(file.path), advice=advice
            )
    return planned


def opening(members: Iterable[Here]) -> Members:
    """Return the files of a pack as it is written from."""
    return {file.sha256: (file.size, partial(_open, file.path)) for file in members}


def _open(path: Path) -> BinaryIO:
    return path.open("rb")


def packed_size(size: int) -> int:
    """Return the bytes by which a file of this size lengthens a pack."""
    return _BEFORE + size + _AFTER


def pack_size(sizes: Iterable[int]) -> int:
    """Return the bytes of the pack of files with these sizes."""
    return sum(map(packed_size, sizes)) + _END


def write_pack(members: Members, writing: BinaryIO) -> None:
    """Write a pack.

    Args:
        members: The size of each file and what opens it, by its digest.
        writing: Where it goes. It can be sought in.

    Raises:
        CheckFailed: A file has another size than stated.
    """
    with zipfile.ZipFile(writing, "w", zipfile.ZIP_STORED) as pack:
        for sha256 in sorted(members):
            size, opened = members[sha256]
            info = zipfile.ZipInfo(sha256, date_time=(1980, 1, 1, 0, 0, 0))
            info.create_system = 3
            info.external_attr = 0o100444 << 16
            info.file_size = size
            written = 0
            with opened() as reading, pack.open(info, "w") as member:
                while piece := reading.read(PIECE):
                    written += member.write(piece)
            if written != size:
                raise CheckFailed(f"the file {sha256} has {written:,} bytes, not {size:,}; it is not packed.")


#: What `zipfile` fails with where bytes are no archive.
NO_ZIP: Final = (zipfile.BadZipFile, ValueError, NotImplementedError, OverflowError, EOFError, struct.error)


def read_index(size: int, read: Callable[[int, int], bytes]) -> dict[str, Span]:
    """Return where each file of a pack lies.

    Args:
        size: The size of the pack.
        read: Reads some bytes of it, from an offset on.

    Raises:
        CheckFailed: It is no pack.
    """
    problem = CheckFailed("it is no pack of evidence: it has no directory of stored files named by their digests.")
    end = read(max(0, size - _END), min(size, _END))
    try:
        signature, members, length, start = struct.unpack("<4s6xHII2x", end)
    except struct.error:
        raise problem from None
    if signature != b"PK\x05\x06" or start + length + _END != size or length != members * _AFTER:
        raise problem
    # An offset in the directory counts from the beginning of the pack, which `zipfile` infers from where the directory
    # lies in what it is given; so it is given the directory behind a hole of the right size.
    try:
        with zipfile.ZipFile(_Tail(start, read(start, length) + end)) as pack:
            entries = pack.infolist()
    except (*NO_ZIP, OSError):
        raise problem from None
    # Were they to lie over one another, a small pack would hold more than any machine.
    if pack_size(one.file_size for one in entries) != size:
        raise problem
    index = {one.filename: Span(one.header_offset + _BEFORE, one.file_size) for one in entries}
    if len(index) != len(entries):
        raise problem
    for one in entries:
        if not _DIGEST.fullmatch(one.filename) or one.compress_type != zipfile.ZIP_STORED:
            raise problem
        if one.header_offset < 0 or one.header_offset + _BEFORE + one.file_size > start:
            raise problem
    return index


def runs_of_bytes(spans: Mapping[str, Span], most_waste: int) -> Iterator[list[tuple[str, Span]]]:
    """Yield groups of files that are worth reading together: those with at most `most_waste` bytes between them."""
    group: list[tuple[str, Span]] = []
    end = 0
    for sha256, span in sorted(spans.items(), key=lambda item: item[1]):
        if group and not end <= span.start <= end + most_waste:
            yield group
            group = []
        group.append((sha256, span))
        end = span.start + span.size
    if group:
        yield group


def cut(
    pieces: Iterable[bytes], start: int, group: Sequence[tuple[str, Span]]
) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Yield each file of a group with its content, out of one stream. Each is to be used up before the next.

    Args:
        pieces: The stream.
        start: The offset in the pack at which it begins.
        group: The files, in their order, none over another.
    """
    stream = iter(pieces)
    rest = memoryview(b"")

    def take(size: int) -> Iterator[bytes]:
        nonlocal rest, start
        while size > 0:
            if not rest:
                piece = next(stream, None)
                if piece is None:
                    return
                rest = memoryview(piece)
            part, rest = rest[:size], rest[size:]
            size -= len(part)
            start += len(part)
            yield bytes(part)

    for sha256, span in group:
        for _ in take(span.start - start):
            pass
        yield sha256, take(span.size)


class _Tail(io.RawIOBase):
    """The end of a file as a file, for reading."""

    def __init__(self, before: int, data: bytes) -> None:
        self._before = before
        self._data = data
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._before + len(self._data)}[whence]
        self._at = base + offset
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if self._at < self._before:
            return 0
        piece = self._data[self._at - self._before :][: len(buffer)]
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)
