"""Published packages, for every kind of subject that is one: looked up, pinned by one file, fetched, laid out.

What a registry calls its files and which client fetches them is `argusic.pool.registries`'s.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import NamedTuple, Protocol

from argusic.errors import InputError
from argusic.pool.archives import ArchiveUnusable, Described, described
from argusic.pool.fetching import Published
from argusic.pool.files import PAUSES, digest_of, kept, patiently, published_file
from argusic.pool.kinds.protocol import PinMismatch, Resolved, Workshop
from argusic.pool.npm import integrity_of
from argusic.pool.registries import Wanted
from argusic.records.base import Part
from argusic.records.sources.package import Ecosystem


class LaidFile(Protocol):
    """What a pin says of the content of a published file, whatever kind of subject it is the pin of."""

    @property
    def file(self) -> str:
        """Its name."""

    @property
    def sha256(self) -> str:
        """Its digest."""

    @property
    def integrity(self) -> str | None:
        """The SHA-512 that npm's registry keeps of it; None for files of other registries."""


class PinnedFile(LaidFile, Protocol):
    """What a pin says of a published file of a package."""

    @property
    def version(self) -> str:
        """The published version."""


class FoundPackage(NamedTuple):
    """A package that was looked up, and the file that its client picks here."""

    ecosystem: Ecosystem
    """Where it is published."""
    name: str
    """Its name, as its owner spells it."""
    version: str
    """The version of that file."""
    file: str
    """That file's name."""
    sha256: str
    """Its digest."""
    integrity: str | None
    """Its SHA-512 as npm writes it; None for files of other registries."""
    says: Described
    """What its metadata says."""
    cached: Path
    """Where it lies in the cache."""

    def resolved(self, source: Part, pin: Part) -> Resolved:
        """Return it as a target that was looked up, of a kind with its own source and pin."""
        says = self.says
        return Resolved(
            self.name, source, pin, says.summary, licence=says.licence, languages=says.languages, readme=says.readme
        )


def look_up(asked: Wanted, workshop: Workshop, pauses: tuple[float, ...] = PAUSES) -> FoundPackage:
    """Look a package up. The file that its client picks here is in the cache afterwards.

    Raises:
        InputError: There is no such package or version, or its file cannot be read.
        SubjectUnavailable: The registry could not be reached.
    """
    called = f"{asked.name} {asked.version or ''}".strip()
    workshop.progress(f"looking up {called}")
    published = patiently(lambda: _newest(asked, workshop), pauses)
    cached, sha256 = kept(published.content, published.file, workshop)
    try:
        says = described(cached)
    except ArchiveUnusable as error:
        raise InputError(f"The published file of {called} is unusable: {error}.") from error
    name, version = _identity(asked, published.file, says)
    ecosystem = asked.registry.ecosystem
    integrity = integrity_of(cached) if ecosystem == "npm" else None
    return FoundPackage(ecosystem, name, version, published.file, sha256, integrity, says, cached)


def pinned_package(
    ecosystem: Ecosystem, name: str, pin: PinnedFile, workshop: Workshop, pauses: tuple[float, ...] = PAUSES
) -> Path:
    """Return the pinned file in the cache, fetching it first where it is not there. Its digests are proved.

    Raises:
        PinMismatch: What is published has another digest. Nothing is kept.
        SubjectUnavailable: The registry could not be reached.
    """
    if ecosystem == "npm" and pin.integrity is None:
        raise PinMismatch(f"the pin of {name} lacks the integrity that every package of npm has")
    cached = published_file(ecosystem, name, pin.version, pin.file, pin.sha256, workshop, pauses=pauses)
    _prove(cached, pin)
    return cached


def lay_file(pin: LaidFile, cached: Path, folder: Path) -> None:
    """Lay the pinned file into `folder`.

    Raises:
        PinMismatch: The copy is not what was pinned.
    """
    copy = folder / pin.file
    shutil.copyfile(cached, copy)
    copy.chmod(0o644)
    found = digest_of(copy)
    if found != pin.sha256:
        raise PinMismatch(f"the copy of {pin.file} has sha256 {found}, but {pin.sha256} was pinned")
    _prove(copy, pin)


def _newest(asked: Wanted, workshop: Workshop) -> Published:
    sandbox = workshop.sandbox()
    try:
        return asked.registry.client.newest(sandbox, asked.name, asked.version)
    finally:
        sandbox.destroy()


def _prove(file: Path, pin: LaidFile) -> None:
    """Refuse a file that is not what npm's registry keeps, where the pin says what that is."""
    if pin.integrity is None:
        return
    found = integrity_of(file)
    if found != pin.integrity:
        raise PinMismatch(f"{pin.file} has the integrity {found}, but {pin.integrity} was pinned")


def _identity(asked: Wanted, file: str, says: Described) -> tuple[str, str]:
    """Return the package's name and version: as its metadata says, where that is the package asked for."""
    if says.name and says.version:
        if not asked.registry.client.same_name(says.name, asked.name):
            raise InputError(f"The published file of {asked.name} says that it is {says.name}.")
        return says.name, says.version
    stem = re.sub(r"\.(tar\.\w+|tgz|zip)$", "", file)
    return asked.name, asked.version or stem.rsplit("-", 1)[-1]
