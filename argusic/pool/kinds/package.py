"""The kind `package`: a published package, pinned by version and the digest of one of its files.

What a registry calls its files and which client fetches them is `argusic.pool.registries`'s.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from argusic.errors import InputError
from argusic.pool.archives import ArchiveUnusable, Described, described
from argusic.pool.cache import Shelf
from argusic.pool.fetching import Published
from argusic.pool.files import PAUSES, digest_of, keep, patiently, published_file
from argusic.pool.kinds.protocol import PinMismatch, Resolved, Workshop
from argusic.pool.npm import integrity_of
from argusic.pool.registries import REGISTRIES, Wanted, wanted
from argusic.records.base import Part
from argusic.records.sources.package import Pin, Source
from argusic.records.subject import Subject
from argusic.sandbox.protocol import SUBJECT_FOLDER


class PackageKind:
    """Published packages. The registry is reached by its own client, inside a sandbox, and by nothing else.

    Args:
        pauses: How long to wait before each further try when the registry cannot be reached, in seconds.
    """

    kind = "package"
    written = tuple(form for registry in REGISTRIES.values() for form in registry.written)

    def __init__(self, pauses: tuple[float, ...] = PAUSES) -> None:
        self._pauses = pauses

    def recognises(self, target: str) -> bool:
        """Return whether `target` reads as a package of one of the registries."""
        return wanted(target) is not None

    def resolve(self, target: str, workshop: Workshop) -> Resolved:
        """Look a package up and pin the file that its client picks here. That file is in the cache afterwards.

        Raises:
            InputError: There is no such package or version, or its file cannot be read.
            SubjectUnavailable: The registry could not be reached.
        """
        asked = wanted(target)
        if asked is None:
            raise InputError(f"{target!r} is no package's name.", advice=f"Write {', '.join(self.written)}.")
        workshop.progress(f"looking up {target}")
        published = patiently(lambda: _newest(asked, workshop), self._pauses)
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
        name, version = _identity(asked, published.file, says)
        ecosystem = asked.registry.ecosystem
        integrity = integrity_of(cached) if ecosystem == "npm" else None
        return Resolved(
            name=name,
            source=Source(ecosystem=ecosystem, name=name),
            pin=Pin(version=version, file=published.file, sha256=sha256, integrity=integrity),
            summary=says.summary,
        )

    def fetch(self, subject: Subject, pin: Part, workshop: Workshop) -> Path:
        """Return the pinned file in the cache, fetching it first where it is not there. Its digest is proved.

        Raises:
            PinMismatch: What is published has another digest. Nothing is kept.
            SubjectUnavailable: The registry could not be reached.
        """
        source, pinned = cast(Source, subject.source), cast(Pin, pin)
        if source.ecosystem == "npm" and pinned.integrity is None:
            raise PinMismatch(f"the pin of {source.name} lacks the integrity that every package of npm has")
        where = (source.ecosystem, source.name, pinned.version, pinned.file)
        cached = published_file(*where, pinned.sha256, workshop, pauses=self._pauses)
        _prove(cached, pinned)
        return cached

    def hand_in(self, subject: Subject, pin: Part, cached: Path, folder: Path) -> None:
        """Lay the pinned file into `folder`.

        Raises:
            PinMismatch: The copy is not what was pinned.
        """
        pinned = cast(Pin, pin)
        copy = folder / pinned.file
        shutil.copyfile(cached, copy)
        copy.chmod(0o644)
        found = digest_of(copy)
        if found != pinned.sha256:
            raise PinMismatch(f"the copy of {pinned.file} has sha256 {found}, but {pinned.sha256} was pinned")
        _prove(copy, pinned)

    def variables(self, subject: Subject, pin: Part) -> Mapping[str, str]:
        """Return none: its documentation is followed on a plain machine."""
        return {}

    def task(self, subject: Subject, pin: Part) -> str:
        """Return what the mission says of a package."""
        source, pinned = cast(Source, subject.source), cast(Pin, pin)
        registry = REGISTRIES[source.ecosystem]
        return (
            f"The subject is {source.name} {pinned.version}, a package published on {registry.called}.\n"
            f"Its pinned file is {SUBJECT_FOLDER}/{pinned.file}. Install exactly this file or this version; what it\n"
            "depends on comes from the registry, through the ordinary client.\n"
            "It runs when it is installed into an empty project and the quickstart of its own README does there\n"
            f"what the README says. {registry.readme}\n"
        )


def _newest(asked: Wanted, workshop: Workshop) -> Published:
    sandbox = workshop.sandbox()
    try:
        return asked.registry.client.newest(sandbox, asked.name, asked.version)
    finally:
        sandbox.destroy()


def _prove(file: Path, pinned: Pin) -> None:
    """Refuse a file that is not what npm's registry keeps, where the pin says what that is."""
    if pinned.integrity is None:
        return
    found = integrity_of(file)
    if found != pinned.integrity:
        raise PinMismatch(f"{pinned.file} has the integrity {found}, but {pinned.integrity} was pinned")


def _identity(asked: Wanted, file: str, says: Described) -> tuple[str, str]:
    """Return the package's name and version: as its metadata says, where that is the package asked for."""
    if says.name and says.version:
        if not asked.registry.client.same_name(says.name, asked.name):
            raise InputError(f"The published file of {asked.name} says that it is {says.name}.")
        return says.name, says.version
    stem = re.sub(r"\.(tar\.\w+|tgz|zip)$", "", file)
    return asked.name, asked.version or stem.rsplit("-", 1)[-1]


KIND = PackageKind()
