"""The kind `hugging-face-space`: a Space, pinned by revision and the digests of its files, or by an archive's commit.

Where no hub is reachable, a Space's definition can come from a published archive that carries it, which the record then
says. How a hub is spoken to is `argusic.pool.hub`'s; what a definition says is `argusic.pool.spaces`'s.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, cast

from pydantic import TypeAdapter, ValidationError

from argusic.errors import InputError
from argusic.pool.files import PAUSES
from argusic.pool.hub.client import ORDINARY, Bounds, Hub
from argusic.pool.hub.snapshots import lay_files, pinned_snapshot
from argusic.pool.kinds.protocol import PinMismatch, Resolved, Workshop
from argusic.pool.published import published_commit
from argusic.pool.registries import wanted
from argusic.pool.spaces.finding import in_archive, lay_space, on_hub
from argusic.records.base import Part
from argusic.records.hub import HubName
from argusic.records.sources.hugging_face_space import Pin, Sdk, Source
from argusic.records.subject import Subject
from argusic.sandbox.protocol import SUBJECT_FOLDER

_HUB = re.compile(r"space:(?P<name>[^@:\s/]+/[^@:\s/]+)(?:@(?P<revision>[A-Za-z0-9][A-Za-z0-9._/-]*))?")
_ARCHIVE = re.compile(r"space:(?P<package>[^\s/][^\s]*?)(?://(?P<folder>.+))?", re.DOTALL)
_LANGUAGES: dict[Sdk, tuple[str, ...]] = {
    "gradio": ("Python",),
    "streamlit": ("Python",),
    "docker": (),
    "static": ("HTML",),
}
_name = TypeAdapter(HubName)


class _Asked(NamedTuple):
    """A Space as a user named it: of a hub, or of a package's archive."""

    name: str | None = None
    revision: str | None = None
    package: str | None = None
    folder: str | None = None


class HuggingFaceSpaceKind:
    """Spaces of a hub.

    Args:
        pauses: How long to wait before each further try when the hub or the registry cannot be reached, in seconds.
        bounds: What one asking of the hub may take.
    """

    kind = "hugging-face-space"
    written = ("space:OWNER/NAME", "space:OWNER/NAME@REVISION", "space:PACKAGE==VERSION//FOLDER")

    def __init__(self, pauses: tuple[float, ...] = PAUSES, bounds: Bounds = ORDINARY) -> None:
        self._pauses = pauses
        self._bounds = bounds

    def recognises(self, target: str) -> bool:
        """Return whether `target` names a Space of a hub, or the archive and folder that carry one."""
        return _asked(target) is not None

    def resolve(self, target: str, workshop: Workshop) -> Resolved:
        """Look a Space up, on the hub or in the archive that is named, and pin it. It is in the cache afterwards.

        Raises:
            InputError: There is no such Space, it is not open to everybody, or it has no definition to build it from.
            SubjectUnavailable: The hub or the registry could not be reached.
        """
        asked = _asked(target)
        if asked is None:
            raise InputError(f"{target!r} is no Space's name.", advice=f"Write {', '.join(self.written)}.")
        if asked.name is not None:
            hub = Hub(workshop.environment, self._bounds)
            found = on_hub(hub, asked.name, asked.revision, workshop, self._pauses)
        else:
            assert asked.package is not None
            found = in_archive(asked.package, asked.folder, workshop, self._pauses)
        return Resolved(
            name=found.name,
            source=found.source,
            pin=found.pin,
            summary=found.summary,
            notes=found.notes,
            licence=found.licence,
            languages=_LANGUAGES[found.definition.sdk],
            readme=True,
        )

    def fetch(self, subject: Subject, pin: Part, workshop: Workshop) -> Path:
        """Return where the pinned Space lies in the cache, fetching it first where it is not there. All is proved.

        Raises:
            PinMismatch: What was found is not what was pinned. Nothing is kept.
            SubjectUnavailable: The hub or the registry could not be reached, or has it no longer.
        """
        source, pinned = cast(Source, subject.source), cast(Pin, pin)
        if source.published is not None:
            return published_commit(source.published, _commit(subject, pinned), workshop, self._pauses)
        if source.name is None or pinned.revision is None or pinned.files is None:
            raise PinMismatch(f"the pin of {subject.name} lacks the revision of the hub")
        hub = Hub(workshop.environment, self._bounds)
        return pinned_snapshot(hub, "space", source.name, pinned.revision, pinned.files, workshop, pauses=self._pauses)

    def hand_in(self, subject: Subject, pin: Part, cached: Path, folder: Path) -> None:
        """Lay the Space's files into `folder`, as its owner uploads them.

        Raises:
            PinMismatch: A file is not what was pinned, or there is no such folder.
        """
        source, pinned = cast(Source, subject.source), cast(Pin, pin)
        if source.published is not None:
            lay_space(cached, _commit(subject, pinned), source.folder, folder)
        elif pinned.files is not None:
            lay_files(cached, pinned.files, folder)

    def variables(self, subject: Subject, pin: Part) -> Mapping[str, str]:
        """Return none: the switches of an SDK stand on the command line of whoever launches it."""
        return {}

    def task(self, subject: Subject, pin: Part) -> str:
        """Return what the mission says of a Space."""
        source, pinned = cast(Source, subject.source), cast(Pin, pin)
        return (
            f"The subject is {subject.name}, a Space of a Hugging Face hub, {_whence(source, pinned)}.\n"
            f"Its files lie in {SUBJECT_FOLDER}. Its own definition is the front matter of its README.md (sdk,\n"
            "sdk_version, app_file, python_version, app_port), with requirements.txt and packages.txt, or with its\n"
            "Dockerfile where its sdk is docker. What it needs comes from the package registries, through their\n"
            "ordinary clients; packages of the system cannot be added. There is no engine for containers here: where\n"
            "it has a Dockerfile, follow its steps by hand as far as they go, and say so.\n"
            "It runs when it is built and launched from that definition, its interface is reached, and the\n"
            "interaction that it offers is carried through: put something in, and decode what comes out. Python\n"
            "clients and a browser (chromium --headless --no-sandbox) are there for that.\n"
        )


def _asked(target: str) -> _Asked | None:
    match = _HUB.fullmatch(target)
    if match is not None:
        try:
            return _Asked(name=_name.validate_python(match["name"]), revision=match["revision"])
        except ValidationError:
            return None
    match = _ARCHIVE.fullmatch(target)
    if match is None or wanted(match["package"]) is None:
        return None
    return _Asked(package=match["package"], folder=match["folder"])


def _commit(subject: Subject, pinned: Pin) -> str:
    if pinned.commit is None:
        raise PinMismatch(f"the pin of {subject.name} lacks the commit of its archive")
    return pinned.commit


def _whence(source: Source, pin: Pin) -> str:
    if source.published is None:
        return f"at the pinned revision\n{pin.revision}"
    within = f"{source.folder} of " if source.folder else ""
    return (
        f"as its owner uploads it from\n{within}the published archive {source.published.file}.\n"
        "Of which revision of the hub that is, it says nothing"
    )


KIND = HuggingFaceSpaceKind()
