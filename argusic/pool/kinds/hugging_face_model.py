"""The kind `hugging-face-model`: a model of a Hugging Face hub, pinned by revision and by the digest of every file.

Where no hub is reachable, its files can come from a published archive that carries them, which the record then says.
How a hub is spoken to, and how files are proved and laid out, is `argusic.pool.hub`'s.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, cast

from pydantic import TypeAdapter, ValidationError

from argusic.errors import InputError
from argusic.pool.archives import ArchiveUnusable
from argusic.pool.files import PAUSES, published_file
from argusic.pool.hub.cards import CARD, card_of_archive, read_card
from argusic.pool.hub.carried import take_out
from argusic.pool.hub.client import ORDINARY, Bounds, Hub
from argusic.pool.hub.layout import CACHE, lay_cache
from argusic.pool.hub.models import in_archive, on_hub
from argusic.pool.hub.snapshots import cached_files, lay_files, pinned_snapshot
from argusic.pool.kinds.protocol import PinMismatch, Resolved, Workshop
from argusic.pool.registries import Wanted, wanted
from argusic.records.base import Part
from argusic.records.hub import HubFile, HubName
from argusic.records.published import PublishedSource
from argusic.records.sources.hugging_face_model import Pin, Source
from argusic.records.subject import Subject
from argusic.sandbox.protocol import SUBJECT_FOLDER

_TARGET = re.compile(r"hf:(?P<name>[^@+\s]+)(?:@(?P<revision>[A-Za-z0-9][A-Za-z0-9._/-]*)|\+(?P<package>\S+))?")
_name = TypeAdapter(HubName)


class _Asked(NamedTuple):
    """A model as a user named it."""

    name: str
    revision: str | None
    package: Wanted | None


class HuggingFaceModelKind:
    """Models of a hub.

    Args:
        pauses: How long to wait before each further try when the hub or the registry cannot be reached, in seconds.
        bounds: What one asking of the hub may take.
    """

    kind = "hugging-face-model"
    written = ("hf:OWNER/NAME", "hf:OWNER/NAME@REVISION", "hf:OWNER/NAME+pypi:PACKAGE==VERSION")

    def __init__(self, pauses: tuple[float, ...] = PAUSES, bounds: Bounds = ORDINARY) -> None:
        self._pauses = pauses
        self._bounds = bounds

    def recognises(self, target: str) -> bool:
        """Return whether `target` names a model of a hub."""
        return _asked(target) is not None

    def resolve(self, target: str, workshop: Workshop) -> Resolved:
        """Look a model up, on the hub or in the archive that is named, and pin its files. They are in the cache then.

        Raises:
            InputError: There is no such model, it is not open to everybody, or it is more than is tested.
            SubjectUnavailable: The hub or the registry could not be reached.
        """
        asked = _asked(target)
        if asked is None:
            raise InputError(f"{target!r} is no model's name.", advice=f"Write {', '.join(self.written)}.")
        if asked.package is None:
            hub = Hub(workshop.environment, self._bounds)
            found = on_hub(hub, asked.name, asked.revision, workshop, self._pauses)
        else:
            found = in_archive(asked.name, asked.package, workshop, self._pauses)
        return Resolved(
            name=found.name,
            source=Source(name=found.name, published=found.published, folder=found.folder),
            pin=Pin(revision=found.revision, files=found.files),
            summary=found.summary,
            notes=found.notes,
            licence=found.licence,
            readme=bool(found.card),
            heavy_by=found.heavy_by,
        )

    def fetch(self, subject: Subject, pin: Part, workshop: Workshop) -> Path:
        """Return the folder of the pinned files in the cache, fetching them where they are not there. All are proved.

        Raises:
            PinMismatch: What was found is not what was pinned. Nothing is kept.
            SubjectUnavailable: The hub or the registry could not be reached, or has it no longer.
        """
        source, pinned = cast(Source, subject.source), cast(Pin, pin)
        if (source.published is None) == (pinned.revision is None):
            raise PinMismatch(
                f"the pin of {source.name} lacks the revision of the hub"
                if source.published is None
                else f"the pin of {source.name} names a revision, but {source.published.file} says nothing of one"
            )
        if source.published is not None:
            return self._from_archive(source.published, source.folder, pinned.files, workshop)
        assert pinned.revision is not None
        hub = Hub(workshop.environment, self._bounds)
        return pinned_snapshot(hub, "model", source.name, pinned.revision, pinned.files, workshop, pauses=self._pauses)

    def hand_in(self, subject: Subject, pin: Part, cached: Path, folder: Path) -> None:
        """Lay the files out in `folder`, as the cache of the hub's client or as they were published, with the card.

        Raises:
            PinMismatch: A file is not what was pinned.
        """
        source, pinned = cast(Source, subject.source), cast(Pin, pin)
        if _is_archive(source):
            lay_files(cached, pinned.files, folder)
            card = _card_of(folder / pinned.files[0].path)
        else:
            laid = lay_cache(cached, pinned.files, source.name, pinned.revision, folder)
            card = read_card(laid / CARD)
        if card is not None:
            (folder / CARD).write_text(card, encoding="utf-8", errors="replace")

    def variables(self, subject: Subject, pin: Part) -> Mapping[str, str]:
        """Return what leads the hub's client to the files that were handed in, and to nothing else."""
        quiet = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
        if _is_archive(cast(Source, subject.source)):
            return quiet
        return {"HF_HUB_CACHE": f"{SUBJECT_FOLDER}/{CACHE}", **quiet}

    def task(self, subject: Subject, pin: Part) -> str:
        """Return what the mission says of a model."""
        source, pinned = cast(Source, subject.source), cast(Pin, pin)
        paragraphs = (
            f"The subject is {source.name}, a model of a Hugging Face hub, {_whence(source, pinned)}.",
            _where(source, pinned),
            "What its snippet imports comes from the package registries, through their ordinary clients.",
            "It runs when the snippet that its card documents produces output without being rewritten. Run it from a "
            "file that holds it word for word, and show what it produced. If it prints nothing, a program of your own "
            "may run that file and print what it left behind; the file itself stays as the card has it.",
            'Where it does, say so in the report in these words: "the documented snippet produced output". Whether '
            "that output is good is not asked. Decode it all the same: compare it with what the snippet put in. Say "
            "whether it ran on a GPU or on the CPU.",
        )
        return "".join(
            f"{textwrap.fill(said, 112, break_long_words=False, break_on_hyphens=False)}\n" for said in paragraphs
        )

    def _from_archive(
        self, published: PublishedSource, folder: str | None, files: tuple[HubFile, ...], workshop: Workshop
    ) -> Path:
        where = (published.ecosystem, published.name, published.version, published.file)
        if folder is None:
            if [(file.path, file.sha256) for file in files] != [(published.file, published.sha256)]:
                raise PinMismatch(f"what is pinned is not {published.file} with sha256 {published.sha256}")
            return published_file(*where, published.sha256, workshop, pauses=self._pauses).parent

        def make(into: Path) -> None:
            archive = published_file(*where, published.sha256, workshop, pauses=self._pauses)
            take_out(archive, folder, files, into)

        return cached_files(files, make, workshop, ())


def _asked(target: str) -> _Asked | None:
    match = _TARGET.fullmatch(target)
    if match is None:
        return None
    try:
        name = _name.validate_python(match["name"])
    except ValidationError:
        return None
    package = wanted(match["package"]) if match["package"] else None
    if match["package"] and package is None:
        return None
    return _Asked(name, match["revision"], package)


def _card_of(archive: Path) -> str | None:
    try:
        return card_of_archive(archive, None)
    except ArchiveUnusable as error:
        raise PinMismatch(str(error)) from error


def _is_archive(source: Source) -> bool:
    """Return whether what is handed in is a published archive itself."""
    return source.published is not None and source.folder is None


def _whence(source: Source, pin: Pin) -> str:
    """Return where its files come from."""
    if source.published is None:
        return f"at the pinned revision {pin.revision}"
    return (
        f"as the published archive {source.published.file} carries it: of which revision of the hub that is, "
        "nothing is known"
    )


def _where(source: Source, pin: Pin) -> str:
    """Return where its files and its card lie."""
    if _is_archive(source):
        return (
            f"Its weights are in {SUBJECT_FOLDER}/{pin.files[0].path}: install exactly this file, in place of what the "
            "documentation has you install under its name. That documentation stands for its card: "
            f"{SUBJECT_FOLDER}/{CARD}. No hub is asked, as HF_HUB_OFFLINE says."
        )
    return (
        f"Its card is {SUBJECT_FOLDER}/{CARD}. Its pinned files lie in {SUBJECT_FOLDER}/{CACHE}, laid out as the cache "
        "of the hub's own client, and HF_HUB_CACHE and HF_HUB_OFFLINE say so: whatever names it as "
        f"{source.name!r} gets exactly these files, and no hub is asked."
    )


KIND = HuggingFaceModelKind()
