"""What a job handed over, as it arrives: a ZIP file or a folder, listed and read without believing a word of it.

Nothing is unpacked here. A name never becomes a path, links and other special files are refused where they are listed,
and no more of a file is read than whoever reads it allows.
"""

from __future__ import annotations

import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Protocol

from argusic.errors import CheckFailed
from argusic.evidence.stores.elsewhere import PIECE
from argusic.evidence.stores.pack import NO_ZIP
from argusic.github.ladder.limits import Most

_END: Final = 22
_COMMENT: Final = 65_535
#: The most bytes that one entry of a ZIP's directory takes here: its name, and what packers put beside it.
_ENTRY: Final = 46 + 700 + 100
#: Each file has this many folders above it at most, each of which may be an entry of its own.
_FOLDERS: Final = 8
_ENCRYPTED: Final = 0x1
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
#: What a path in a hand-over is made of. Whether one may lie there is for others to say.
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*")
#: The most characters of one part of it: no file system here takes more.
_LONGEST: Final = 255
_DAMAGED: Final = (*NO_ZIP, zlib.error)


class Parcel(Protocol):
    """What one job handed over."""

    @property
    def entries(self) -> Mapping[str, int]:
        """The size of each file, by its path, as it is stated there."""

    def pieces(self, path: str) -> Iterator[bytes]:
        """Yield the content of a file.

        Raises:
            CheckFailed: It is damaged.
        """


class ZipParcel:
    """A ZIP file as GitHub hands it out.

    Args:
        path: Where it lies.
        most: What it may hold.

    Raises:
        CheckFailed: It is no such file, or holds what no hand-over holds.
    """

    def __init__(self, path: Path, most: Most) -> None:
        self._path = path
        size = path.stat().st_size
        _directory_fits(path, size, most)
        try:
            with zipfile.ZipFile(path) as archive:
                infos = archive.infolist()
        except (*_DAMAGED, OSError):
            raise CheckFailed("it is no ZIP file.") from None
        self.entries: dict[str, int] = {}
        packed = 0
        folders: list[str] = []
        for info in infos:
            _must_be_ordinary(info)
            packed += info.compress_size
            if info.is_dir():
                folders.append(info.filename)
                continue
            if info.filename in self.entries:
                raise CheckFailed(f"it holds {info.filename} twice.")
            self.entries[info.filename] = info.file_size
        if packed > size:
            raise CheckFailed("it is a bomb: its files lie over one another.")
        _must_be_few(self.entries, most)
        for folder in folders:
            if not any(name.startswith(folder) for name in self.entries):
                raise CheckFailed(f"it holds the folder {folder} with nothing in it.")

    def pieces(self, path: str) -> Iterator[bytes]:
        """Yield the content of a file."""
        try:
            with zipfile.ZipFile(self._path) as archive, archive.open(path) as reading:
                while piece := reading.read(PIECE):
                    yield piece
        except (*_DAMAGED, OSError):
            raise CheckFailed(f"{path} in it is damaged.") from None


class FolderParcel:
    """A folder that was brought here by hand.

    Args:
        path: Where it lies.
        most: What it may hold.

    Raises:
        CheckFailed: It holds what no hand-over holds.
    """

    def __init__(self, path: Path, most: Most) -> None:
        self._path = path
        self.entries: dict[str, int] = {}
        for name, facts in _walk(path, most.files):
            _must_be_plain(name)
            self.entries[name] = facts.st_size
        _must_be_few(self.entries, most)

    def pieces(self, path: str) -> Iterator[bytes]:
        """Yield the content of a file."""
        try:
            descriptor = os.open(self._path / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(descriptor, "rb") as reading:
                while piece := reading.read(PIECE):
                    yield piece
        except OSError as error:
            raise CheckFailed(f"{path} in it cannot be read ({error.strerror}).") from None


def _walk(top: Path, most: int) -> Iterator[tuple[str, os.stat_result]]:
    """Yield every file below a folder, never through a link; whatever else lies there is refused."""
    found, left = 0, [(top, "")]
    while left:
        folder, prefix = left.pop()
        try:
            listed = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            raise CheckFailed(f"{_shown(prefix)} in it cannot be read ({error.strerror}).") from None
        for entry in listed:
            name, facts = f"{prefix}{entry.name}", entry.stat(follow_symlinks=False)
            found += 1
            if found > _FOLDERS * most:
                raise CheckFailed(f"it holds more than the {most:,} files that its job can hand over.")
            if stat.S_ISDIR(facts.st_mode):
                left.append((Path(entry.path), f"{name}/"))
            elif stat.S_ISREG(facts.st_mode):
                yield name, facts
            else:
                raise CheckFailed(f"it holds {_shown(name)}, which is a {_what(facts.st_mode)}.")


def _directory_fits(path: Path, size: int, most: Most) -> None:
    """Refuse a ZIP whose directory would fill the memory, before anything reads it."""
    with path.open("rb") as reading:
        reading.seek(max(0, size - _END - _COMMENT))
        tail = reading.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END:
        raise CheckFailed("it is no ZIP file.")
    entries, length = struct.unpack("<10xHI", tail[at : at + 16])
    # The format for more files than that states its figures in a second place, which is told by its mark.
    larger = tail[max(0, at - 20) : at].startswith(b"PK\x06\x07")
    if larger or entries > _FOLDERS * most.files or length > _FOLDERS * most.files * _ENTRY:
        raise CheckFailed(f"it holds more than the {most.files:,} files that its job can hand over.")


def _must_be_ordinary(info: zipfile.ZipInfo) -> None:
    name = info.orig_filename
    mode = info.external_attr >> 16
    if stat.S_IFMT(mode) and not (stat.S_ISDIR(mode) if name.endswith("/") else stat.S_ISREG(mode)):
        raise CheckFailed(f"it holds {_shown(name)}, which is a {_what(mode)}.")
    _must_be_plain(name.removesuffix("/"))
    if name != info.filename:
        raise CheckFailed(f"it holds {_shown(name)}, which others would read as {_shown(info.filename)}.")
    if info.flag_bits & _ENCRYPTED:
        raise CheckFailed(f"it holds {name} encrypted.")
    if info.compress_type not in _METHODS:
        raise CheckFailed(f"it holds {name} packed in a way that GitHub does not pack.")


def _must_be_plain(name: str) -> None:
    parts = re.split(r"[/\\]", name)
    if name.startswith(("/", "\\")) or ".." in parts or re.match(r"[A-Za-z]:", name):
        raise CheckFailed(f"it holds {_shown(name)}, a path that leads out of it.")
    if not _PLAIN.fullmatch(name) or "." in parts or max(map(len, parts)) > _LONGEST:
        raise CheckFailed(f"it holds {_shown(name)}, a name that no file of a hand-over has.")


def _must_be_few(entries: Mapping[str, int], most: Most) -> None:
    if len(entries) > most.files:
        raise CheckFailed(f"it holds {len(entries):,} files; its job can hand over {most.files:,} at most.")
    size = sum(entries.values())
    if size > most.size:
        raise CheckFailed(f"it unpacks to {size:,} bytes; its job can hand over {most.size:,} at most.")
    seen: dict[str, str] = {}
    for name in sorted(entries):
        first = seen.setdefault(name.casefold(), name)
        if first != name:
            raise CheckFailed(f"it holds {name} and {first}, which differ in upper and lower case alone.")
    for name in entries:
        if any(parent in entries for parent in _above(name)):
            raise CheckFailed(f"it holds {name} below what is a file in it.")


def _above(name: str) -> Iterator[str]:
    parts = name.split("/")
    for number in range(1, len(parts)):
        yield "/".join(parts[:number])


def _what(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "link"
    if stat.S_ISDIR(mode):
        return "folder under a file's name"
    return "special file"


def _shown(name: str) -> str:
    """Return a name as it can be shown: short, and in one line."""
    text = ascii(name)
    return text if len(text) <= 120 else f"{text[:117]}..."
