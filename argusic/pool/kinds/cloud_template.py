"""The kind `cloud-template`: a prebuilt template for the cloud, pinned by commit and by the digests of its own files.

Its files are fetched as a repository's are. What each flavour of template counts as running is
`argusic.pool.flavours`'s.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from pydantic import ValidationError

from argusic.errors import InputError
from argusic.pool.files import PAUSES, digest_of
from argusic.pool.flavours import FLAVOURS
from argusic.pool.kinds.protocol import PinMismatch, Resolved, Workshop
from argusic.pool.kinds.repository import RepositoryKind
from argusic.pool.published import published_commit
from argusic.pool.templates import Found, entry_files, languages_of, look_up_published, wrong_entry
from argusic.records.base import Part
from argusic.records.sources import repository
from argusic.records.sources.cloud_template import Flavour, Pin, Source
from argusic.records.subject import Subject
from argusic.sandbox.protocol import SUBJECT_FOLDER

_TARGET = re.compile(rf"template:(?P<flavour>{'|'.join(FLAVOURS)}):(?P<where>.+?)(?:(?<!:)//(?P<path>.+))?", re.DOTALL)


class CloudTemplateKind:
    """Prebuilt templates for the cloud.

    Args:
        pauses: How long to wait before each further try when a place cannot be reached, in seconds.
    """

    kind = "cloud-template"
    written = (
        "template:FLAVOUR:https://HOST/OWNER/NAME.git//PATH",
        "template:FLAVOUR:NAME==VERSION//PATH",
        "template:FLAVOUR:npm:NAME@VERSION//PATH",
    )

    def __init__(self, pauses: tuple[float, ...] = PAUSES) -> None:
        self._pauses = pauses
        self._repositories = RepositoryKind(pauses)

    def recognises(self, target: str) -> bool:
        """Return whether `target` is written as a template: `template:`, its flavour, where it is, the path there."""
        return _TARGET.fullmatch(target) is not None

    def resolve(self, target: str, workshop: Workshop) -> Resolved:
        """Look a template up: the newest commit of a repository, or a published archive, and its own files there.

        Raises:
            InputError: There is no such thing, or there are no files of such a template in it.
            SubjectUnavailable: It could not be reached.
        """
        match = _TARGET.fullmatch(target)
        if match is None:
            raise InputError(f"{target!r} is no template's address.", advice=f"Write {', '.join(self.written)}.")
        flavour, where, path = cast(Flavour, match["flavour"]), match["where"], match["path"]
        found = self._look_up(where, workshop)
        try:
            source = Source(flavour=flavour, url=found.url, published=found.published, path=path)
        except ValidationError as error:
            said = error.errors()[0]
            field = said["loc"][-1] if said["loc"] else "target"
            raise InputError(f"{field}: {said['msg'].removeprefix('Value error, ')}.") from error
        files = entry_files(found.cached, found.commit, flavour, path)
        inner = (path or found.name).rsplit("/", 1)[-1]
        return Resolved(
            name=found.name if path is None else f"{found.name}/{re.sub(r'[.](ya?ml|json|template)$', '', inner)}",
            source=source,
            pin=Pin(commit=found.commit, files=files, pointers=found.pointers),
            summary=found.summary,
            notes=found.notes,
            licence=found.licence,
            languages=languages_of(files) or found.languages,
            readme=found.readme,
            heavy_by=found.heavy_by,
        )

    def fetch(self, subject: Subject, pin: Part, workshop: Workshop) -> Path:
        """Return the cached pinned commit, fetching it first where it is not there. Its own files are proved as well.

        Raises:
            PinMismatch: What was found is another commit, or one of its own files is another. Nothing of it runs.
            SubjectUnavailable: It could not be reached, or is there no longer.
        """
        source, pinned = cast(Source, subject.source), cast(Pin, pin)
        if source.published is not None:
            cached = published_commit(source.published, pinned.commit, workshop, self._pauses)
        else:
            cached = self._repositories.fetch(_as_repository(subject), _as_pin(pinned), workshop)
        wrong = wrong_entry(cached, pinned.commit, pinned.files)
        if wrong is not None:
            raise PinMismatch(wrong)
        return cached

    def hand_in(self, subject: Subject, pin: Part, cached: Path, folder: Path) -> None:
        """Check the pinned commit out into `folder`, with a `.git` of that commit alone.

        Raises:
            PinMismatch: It cannot be checked out, or one of its own files is not what was pinned.
        """
        pinned = cast(Pin, pin)
        self._repositories.hand_in(_as_repository(subject), _as_pin(pinned), cached, folder)
        for file in pinned.files:
            found = digest_of(folder / file.path)
            if found != file.sha256:
                raise PinMismatch(f"{file.path} has sha256 {found}, but {file.sha256} was pinned")

    def variables(self, subject: Subject, pin: Part) -> Mapping[str, str]:
        """Return none: what the listing documents is followed on a plain machine."""
        return {}

    def task(self, subject: Subject, pin: Part) -> str:
        """Return what the mission says of a template."""
        source, pinned = cast(Source, subject.source), cast(Pin, pin)
        flavour = FLAVOURS[source.flavour]
        path = f"{SUBJECT_FOLDER}/{source.path}" if source.path else SUBJECT_FOLDER
        files = "\n".join(f"  {file.sha256}  {SUBJECT_FOLDER}/{file.path}" for file in pinned.files)
        return (
            f"The subject is {subject.name}, {flavour.called}, prebuilt.\n"
            f"What it comes with lies in {SUBJECT_FOLDER}, checked out at the pinned commit {pinned.commit}, without\n"
            "its history.\n"
            f"Flavour: {source.flavour}\n"
            f"Template: {path}\n"
            f"Its own files, with their sha256:\n{files}\n"
            f"{_origin(source)}"
            f"{flavour.counts}\n"
            "A template that was patched first, or rewritten, does not count.\n"
        )

    def _look_up(self, where: str, workshop: Workshop) -> Found:
        found = look_up_published(where, workshop, self._pauses)
        if found is not None:
            return found
        if not self._repositories.recognises(where):
            raise InputError(
                f"{where!r} is neither a git address, nor a folder here, nor a package's name.",
                advice=f"Write {', '.join(self.written)}.",
            )
        resolved = self._repositories.resolve(where, workshop)
        source, pin = cast(repository.Source, resolved.source), cast(repository.Pin, resolved.pin)
        subject = Subject(kind="repository", slug="template", name=resolved.name, source=source)
        cached = self._repositories.fetch(subject, pin, workshop)
        return Found(
            name=resolved.name,
            url=source.url,
            published=None,
            commit=pin.commit,
            cached=cached,
            summary=resolved.summary,
            licence=resolved.licence,
            readme=resolved.readme,
            notes=resolved.notes,
            languages=resolved.languages,
            heavy_by=resolved.heavy_by,
            pointers=pin.pointers,
        )


def _as_repository(subject: Subject) -> Subject:
    """Return the repository that a template comes in."""
    source = cast(Source, subject.source)
    held = repository.Source(url=source.url, published=source.published)
    return Subject(kind="repository", slug=subject.slug, name=subject.name, source=held)


def _as_pin(pin: Pin) -> repository.Pin:
    return repository.Pin(commit=pin.commit, pointers=pin.pointers)


def _origin(source: Source) -> str:
    if source.published is None:
        return ""
    one = source.published
    return f"It is published as {one.name} {one.version} ({one.ecosystem}).\n"


KIND = CloudTemplateKind()
