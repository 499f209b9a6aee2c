"""One layer of an image, read through without unpacking it: what it holds, and the digest of that.

A layer is a stranger's archive. It may unpack to any size, name places outside of the image, or bring devices. It is
read as a stream with a bound on every step, and nothing of it is written anywhere.
"""

from __future__ import annotations

import gzip
import hashlib
import tarfile
import zlib
from pathlib import Path
from typing import IO, cast

from argusic.pool.images.manifests import ImageUnusable

#: What all layers of an image may come to, unpacked: more fills a sandbox's disk.
MAX_UNPACKED = 8_000_000_000
MAX_ENTRIES = 500_000
#: Bytes that may describe one entry. Whoever reads an archive keeps them in memory.
_MAX_HEADER = 1_000_000
_DAMAGED = (OSError, EOFError, ValueError, RecursionError, zlib.error, tarfile.TarError)


class Room:
    """What is left for the layers of one image, unpacked."""

    def __init__(self, size: int = MAX_UNPACKED, entries: int = MAX_ENTRIES) -> None:
        self.size = size
        self.entries = entries


def content_of(layer: Path, *, packed: bool, room: Room) -> str:
    """Return the digest of what a layer holds, having read it to its end.

    Args:
        layer: The layer as the registry keeps it.
        packed: Whether it is packed with gzip.
        room: What the layers of its image may still come to.

    Raises:
        ImageUnusable: It is damaged, holds more than there is room for, or holds what must not be unpacked.
    """
    try:
        with layer.open("rb") as raw, _plain(raw, packed) as plain:
            reader = _Reader(plain, room)
            with tarfile.open(fileobj=cast(IO[bytes], reader), mode="r|") as archive:
                while (entry := archive.next()) is not None:
                    room.entries -= 1
                    if room.entries < 0:
                        raise ImageUnusable(f"it holds more than {MAX_ENTRIES} files")
                    _check(entry)
                    reader.ahead = entry.size + _MAX_HEADER
                    archive.members = []  # type: ignore[attr-defined] # Each would be kept.
            reader.ahead = MAX_UNPACKED
            while reader.read(1 << 20):
                pass
    except _DAMAGED as error:
        raise ImageUnusable(f"a layer of it cannot be read: {' '.join(str(error).split())[:200]}") from error
    return reader.digest


def _plain(raw: IO[bytes], packed: bool) -> IO[bytes]:
    return cast(IO[bytes], gzip.GzipFile(fileobj=raw)) if packed else raw


def _check(entry: tarfile.TarInfo) -> None:
    """Refuse an entry that an honest image has not."""
    said = repr(entry.name[:100])
    if _leaves(entry.name) or entry.name.rstrip("/").rpartition("/")[2] in (".wh.", ".wh..", ".wh..."):
        raise ImageUnusable(f"a layer of it holds {said}, which is not within the image")
    if entry.islnk() and _leaves(entry.linkname):
        raise ImageUnusable(f"a layer of it holds {said}, a link to a file that is not within the image")
    if entry.isdev():
        raise ImageUnusable(f"a layer of it holds {said}, which is a device")
    if entry.issparse() or not (entry.isreg() or entry.isdir() or entry.issym() or entry.islnk()):
        raise ImageUnusable(f"a layer of it holds {said}, which is neither a file, nor a folder, nor a link")


def _leaves(name: str) -> bool:
    return ".." in name.split("/") or "\0" in name or len(name) > 4096


class _Reader:
    """Reads unpacked bytes, reckons their digest, and stops where there are too many."""

    def __init__(self, plain: IO[bytes], room: Room) -> None:
        self._plain = plain
        self._room = room
        self._reckoned = hashlib.sha256()
        self.ahead = _MAX_HEADER
        """What may come before the next entry has been described."""

    @property
    def digest(self) -> str:
        return f"sha256:{self._reckoned.hexdigest()}"

    def read(self, size: int) -> bytes:
        piece = self._plain.read(size)
        self._reckoned.update(piece)
        self._room.size -= len(piece)
        self.ahead -= len(piece)
        if self._room.size < 0:
            raise ImageUnusable(f"it comes to more than {MAX_UNPACKED} bytes unpacked, the most that is tested")
        if self.ahead < 0:
            raise ImageUnusable("a layer of it describes a file at a length that no honest one needs")
        return piece
