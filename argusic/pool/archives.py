"""Published archives, read without unpacking them to disk: what a package's file says and holds.

An archive is hostile until proven otherwise. Nothing here writes a file, so a member's name can lead nowhere, and
what it unpacks to is bounded at every step, since whoever reads a tar keeps what describes a member in memory.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.parser import Parser
from pathlib import Path
from typing import IO, Final, NamedTuple, cast

#: What all members of one archive may come to, unpacked, in bytes, and how many there may be.
MAX_UNPACKED: Final = 10_000_000_000
MAX_MEMBERS: Final = 500_000
#: Bytes that may describe one member of a tar.
_MAX_HEADER: Final = 1_000_000
_MAX_METADATA = 2_000_000
#: How tars are packed, by what they begin with.
_PACKED: Final[dict[bytes, Callable[[Path], object]]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
    b"\x5d\0\0": lzma.open,
}
_DAMAGED: Final = (
    *(OSError, EOFError, ValueError, RuntimeError, MemoryError),
    *(zlib.error, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError),
)
_README = re.compile(r"(?i)readme(\.\w+)?$")


class ArchiveUnusable(Exception):
    """An archive cannot be read, or holds what an honest one does not."""


class Content:
    """What a member holds.

    Args:
        archive: The archive's name.
        opened: The member, opened.
    """

    def __init__(self, archive: str, opened: IO[bytes]) -> None:
        self._archive = archive
        self._opened = opened

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, `size` at most, or all that are left.

        Raises:
            ArchiveUnusable: The archive is damaged here.
        """
        with _sound(self._archive):
            return self._opened.read(size)


class Member(NamedTuple):
    """One regular file of an archive."""

    path: str
    """Its path, with `/`, as the archive spells it."""
    executable: bool
    """Whether its owner may execute it."""
    size: int
    """Its size in bytes, as the archive says."""
    content: Content
    """Its content, to be read before the next member is asked for."""


class Described(NamedTuple):
    """What a package says of itself."""

    name: str | None
    """Its name, as its owner spells it."""
    version: str | None
    """Its version."""
    summary: str | None
    """Its one-line summary."""
    licence: str | None
    """Its licence, as it states it: an SPDX expression, or words."""
    languages: tuple[str, ...] = ()
    """The languages that it says it is written in."""
    readme: bool = False
    """Whether it comes with documentation of its own: a description in its metadata, or a README."""


def members(archive: Path) -> Iterator[Member]:
    """Yield the regular files of a published archive, in the archive's order. Folders are passed over.

    Raises:
        ArchiveUnusable: It is no archive, is damaged, holds links or devices, or unpacks to more than is read.
    """
    count = size = 0
    with _sound(archive.name):
        for member in _zip_members(archive) if zipfile.is_zipfile(archive) else _tar_members(archive):
            count, size = count + 1, size + member.size
            if count > MAX_MEMBERS or size > MAX_UNPACKED:
                raise ArchiveUnusable(
                    f"{archive.name} unpacks to more than {MAX_MEMBERS} files or {MAX_UNPACKED} bytes"
                )
            yield member


@contextmanager
def _sound(name: str) -> Iterator[None]:
    """Turn what readers of archives end with, where one is damaged, into words."""
    try:
        yield
    except _DAMAGED as error:
        said = " ".join(str(error).split()) or type(error).__name__
        raise ArchiveUnusable(f"{name} cannot be read: {said[:200]}") from error


def described(archive: Path) -> Described:
    """Return what the metadata of a wheel, source distribution or npm archive says. What it does not say is None.

    Raises:
        ArchiveUnusable: As `members` does.
    """
    wheel = archive.name.endswith(".whl")
    found = Described(None, None, None, None)
    readme = False
    for member in members(archive):
        folder, _, name = member.path.rpartition("/")
        top = bool(folder) and "/" not in folder
        if top and _README.match(name):
            readme = readme or member.size > 0
        if top and name == "package.json" and not wheel and not found.name:
            found = _manifest(member.content.read(_MAX_METADATA))
        if top and (name == "METADATA" and folder.endswith(".dist-info") if wheel else name == "PKG-INFO"):
            found = _metadata(member.content.read(_MAX_METADATA).decode("utf-8", "replace"))
            if wheel:
                break
    return found._replace(readme=found.readme or readme)


def _metadata(text: str) -> Described:
    """Return what the core metadata of a distribution says."""
    says = Parser().parsestr(text)
    classifiers = [[part.strip() for part in str(line).split("::")] for line in says.get_all("Classifier", [])]
    named = [parts[-1] for parts in classifiers if parts[0] == "License" and len(parts) > 1]
    licences = (says.get("License-Expression"), _short(says.get("License")), " or ".join(named))
    languages = [parts[1] for parts in classifiers if parts[0] == "Programming Language" and len(parts) > 1]
    body = says.get_payload()
    return Described(
        name=_said(says.get("Name")),
        version=_said(says.get("Version")),
        summary=_said(says.get("Summary")),
        licence=next((said for said in map(_said, licences) if said), None),
        languages=tuple(dict.fromkeys(languages)),
        readme=bool(_said(body if isinstance(body, str) else None) or _said(says.get("Description"))),
    )


def _short(licence: str | None) -> str | None:
    """Return what the older field says, unless somebody put the whole text of a licence there."""
    return licence if licence and len(licence.strip().splitlines()) == 1 and len(licence) <= 100 else None


def _manifest(content: bytes) -> Described:
    """Return what a manifest of npm says; nothing where it is none."""
    try:
        says = json.loads(content)
    except (ValueError, RecursionError):
        says = None
    if not isinstance(says, dict):
        says = {}
    fields = (says.get(key) for key in ("name", "version", "description", "license"))
    name, version, summary, licence = (_said(value if isinstance(value, str) else None) for value in fields)
    return Described(name, version, summary, licence, languages=("JavaScript",))


def _said(value: object) -> str | None:
    text = " ".join(str(value).split()) if value is not None else ""
    text = text.encode("utf-8", "replace").decode()  # JSON can say halves of characters, which nothing can keep.
    return text if text and text != "UNKNOWN" else None


def _zip_members(archive: Path) -> Iterator[Member]:
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            mode = info.external_attr >> 16
            if info.is_dir():
                continue
            if mode & 0o170000 not in (0, 0o100000):
                raise ArchiveUnusable(f"{archive.name} holds {info.filename!r}, which is no regular file")
            with opened.open(info) as content:
                yield Member(info.filename, bool(mode & 0o100), info.file_size, Content(archive.name, content))


def _tar_members(archive: Path) -> Iterator[Member]:
    with _plain(archive) as plain:
        reader = _Reader(plain)
        with tarfile.open(fileobj=cast(IO[bytes], reader), mode="r|", bufsize=1 << 18) as opened:
            while (info := opened.next()) is not None:
                opened.members = []  # type: ignore[attr-defined] # Each would be kept.
                reader.ahead = info.size + _MAX_HEADER
                if info.isdir():
                    continue
                content = opened.extractfile(info) if info.isreg() and not info.issparse() else None
                if content is None:
                    raise ArchiveUnusable(f"{archive.name} holds {info.name!r}, which is no regular file")
                yield Member(info.name, bool(info.mode & 0o100), info.size, Content(archive.name, content))


def _plain(archive: Path) -> IO[bytes]:
    with archive.open("rb") as raw:
        start = raw.read(6)
    unpack = next((one for begins, one in _PACKED.items() if start.startswith(begins)), None)
    return cast(IO[bytes], unpack(archive)) if unpack is not None else archive.open("rb")


class _Reader:
    """Reads an unpacked tar, and stops where more describes a member than an honest one needs, or there is too much."""

    def __init__(self, plain: IO[bytes]) -> None:
        self._plain = plain
        self._left = MAX_UNPACKED
        self.ahead = _MAX_HEADER
        """What may come before the next member has been described."""

    def read(self, size: int) -> bytes:
        piece = self._plain.read(size)
        self._left -= len(piece)
        self.ahead -= len(piece)
        if self._left < 0:
            raise ArchiveUnusable(f"it unpacks to more than {MAX_UNPACKED} bytes")
        if self.ahead < 0:
            raise ArchiveUnusable("it describes a file at a length that no honest archive needs")
        return piece
