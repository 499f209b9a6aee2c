"""Published archives, read without unpacking them to disk: what a package's file says and holds.

An archive is hostile until proven otherwise. Nothing here writes a file, so a member's name can lead nowhere.
"""

from __future__ import annotations

import json
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path
from typing import IO, NamedTuple

_MAX_METADATA = 2_000_000
_README = re.compile(r"(?i)readme(\.\w+)?$")


class ArchiveUnusable(Exception):
    """An archive cannot be read, or holds what an honest one does not."""


class Member(NamedTuple):
    """One regular file of an archive."""

    path: str
    """Its path, with `/`, as the archive spells it."""
    executable: bool
    """Whether its owner may execute it."""
    size: int
    """Its size in bytes, as the archive says."""
    content: IO[bytes]
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
        ArchiveUnusable: It is no archive, is damaged, or holds links or devices.
    """
    try:
        if zipfile.is_zipfile(archive):
            yield from _zip_members(archive)
        else:
            yield from _tar_members(archive)
    except (OSError, EOFError, ValueError, zlib.error, zipfile.BadZipFile, tarfile.TarError, RuntimeError) as error:
        raise ArchiveUnusable(f"{archive.name} cannot be read: {error}") from error


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
                yield Member(info.filename, bool(mode & 0o100), info.file_size, content)


def _tar_members(archive: Path) -> Iterator[Member]:
    with tarfile.open(archive, "r:*") as opened:
        for info in opened:
            if info.isdir():
                continue
            content = opened.extractfile(info) if info.isreg() else None
            if content is None:
                raise ArchiveUnusable(f"{archive.name} holds {info.name!r}, which is no regular file")
            yield Member(info.name, bool(info.mode & 0o100), info.size, content)
