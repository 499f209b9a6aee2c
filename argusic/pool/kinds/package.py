"""The kind `package`: a published package, pinned by version and the digest of one of its files.

How one is looked up, proved and laid out is `argusic.pool.packages`'s.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from argusic.errors import InputError
from argusic.pool.files import PAUSES
from argusic.pool.kinds.protocol import Resolved, Workshop
from argusic.pool.packages import lay_file, look_up, pinned_package
from argusic.pool.registries import REGISTRIES, wanted
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
        found = look_up(asked, workshop, self._pauses)
        pin = Pin(version=found.version, file=found.file, sha256=found.sha256, integrity=found.integrity)
        return found.resolved(Source(ecosystem=found.ecosystem, name=found.name), pin)

    def fetch(self, subject: Subject, pin: Part, workshop: Workshop) -> Path:
        """Return the pinned file in the cache, fetching it first where it is not there. Its digest is proved.

        Raises:
            PinMismatch: What is published has another digest. Nothing is kept.
            SubjectUnavailable: The registry could not be reached.
        """
        source, pinned = cast(Source, subject.source), cast(Pin, pin)
        return pinned_package(source.ecosystem, source.name, pinned, workshop, self._pauses)

    def hand_in(self, subject: Subject, pin: Part, cached: Path, folder: Path) -> None:
        """Lay the pinned file into `folder`.

        Raises:
            PinMismatch: The copy is not what was pinned.
        """
        lay_file(cast(Pin, pin), cached, folder)

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


KIND = PackageKind()
