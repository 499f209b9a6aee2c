"""The kind `package`: a published package, pinned by version and the digest of one of its files."""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path
from typing import cast

from argusic.errors import InputError
from argusic.pool import pip
from argusic.pool.archives import ArchiveUnusable, Described, described
from argusic.pool.cache import Shelf
from argusic.pool.files import PAUSES, digest_of, keep, patiently, published_file
from argusic.pool.kinds.protocol import PinMismatch, Resolved, Workshop
from argusic.records.base import Part
from argusic.records.sources.package import Pin, Source
from argusic.records.subject import Subject
from argusic.sandbox.protocol import SUBJECT_FOLDER

_TARGET = re.compile(r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:==([A-Za-z0-9][A-Za-z0-9.!+_-]*))?")


class PackageKind:
    """Published packages. The registry is reached by its own client, inside a sandbox, and by nothing else.

    Args:
        pauses: How long to wait before each further try when the registry cannot be reached, in seconds.
    """

    kind = "package"

    def __init__(self, pauses: tuple[float, ...] = PAUSES) -> None:
        self._pauses = pauses

    def recognises(self, target: str) -> bool:
        """Return whether `target` reads as NAME or NAME==VERSION."""
        return _TARGET.fullmatch(target) is not None

    def resolve(self, target: str, workshop: Workshop) -> Resolved:
        """Look a package up and pin the file that its client picks here. That file is in the cache afterwards.

        Raises:
            InputError: There is no such package or version, or its file cannot be read.
            SubjectUnavailable: The registry could not be reached.
        """
        match = _TARGET.fullmatch(target)
        if match is None:
            raise InputError(f"{target!r} is no package's name.", advice="Write NAME or NAME==VERSION.")
        workshop.progress(f"looking up {target}")
        published = patiently(lambda: _newest(match[1], match[2], workshop), self._pauses)
        sha256 = hashlib.sha256(published.content).hexdigest()
        shelf = Shelf(workshop.cache, "packages")
        cached = shelf.entry(sha256) / published.file
        with shelf.locked(sha256):
            if digest_of(cached) != sha256:
                keep(shelf, sha256, published.file, published.content)
        try:
            says = described(cached)
        except ArchiveUnusable as error:
            raise InputError(f"The published file of {target} is unusable: {error}.") from error
        name, version = _identity(match[1], match[2], published.file, says)
        return Resolved(
            name=name,
            source=Source(ecosystem="pypi", name=name),
            pin=Pin(version=version, file=published.file, sha256=sha256),
            summary=says.summary,
        )

    def fetch(self, subject: Subject, pin: Part, workshop: Workshop) -> Path:
        """Return the pinned file in the cache, fetching it first where it is not there. Its digest is proved.

        Raises:
            PinMismatch: What is published has another digest. Nothing is kept.
            SubjectUnavailable: The registry could not be reached.
        """
        source, wanted = cast(Source, subject.source), cast(Pin, pin)
        return published_file(source.name, wanted.version, wanted.file, wanted.sha256, workshop, pauses=self._pauses)

    def hand_in(self, subject: Subject, pin: Part, cached: Path, folder: Path) -> None:
        """Lay the pinned file into `folder`.

        Raises:
            PinMismatch: The copy is not what was pinned.
        """
        wanted = cast(Pin, pin)
        shutil.copyfile(cached, folder / wanted.file)
        (folder / wanted.file).chmod(0o644)
        found = digest_of(folder / wanted.file)
        if found != wanted.sha256:
            raise PinMismatch(f"the copy of {wanted.file} has sha256 {found}, but {wanted.sha256} was pinned")

    def task(self, subject: Subject, pin: Part) -> str:
        """Return what the mission says of a package."""
        source, wanted = cast(Source, subject.source), cast(Pin, pin)
        return (
            f"The subject is {source.name} {wanted.version}, a package published on the Python Package Index.\n"
            f"Its pinned file is {SUBJECT_FOLDER}/{wanted.file}. Install exactly this file or this version; what it\n"
            "depends on comes from the registry, through the ordinary client.\n"
            "It runs when it is installed into an empty project and the quickstart of its own README does there\n"
            "what the README says. The README is in the metadata of the file.\n"
        )


def _newest(name: str, version: str | None, workshop: Workshop) -> pip.Published:
    sandbox = workshop.sandbox()
    try:
        return pip.newest(sandbox, name, version)
    finally:
        sandbox.destroy()


def _identity(asked: str, version: str | None, file: str, says: Described) -> tuple[str, str]:
    """Return the package's name and version: as its metadata says, where that is the package asked for."""
    if says.name and says.version:
        if pip.plain_name(says.name) != pip.plain_name(asked):
            raise InputError(f"The published file of {asked} says that it is {says.name}.")
        return says.name, says.version
    stem = re.sub(r"\.(tar\.\w+|tgz|zip)$", "", file)
    return asked, version or stem.rsplit("-", 1)[-1]


KIND = PackageKind()
