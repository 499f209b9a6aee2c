"""Models looked up, on a hub or in a published archive that carries one: the files that count, and what a card says."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter, ValidationError

from argusic.errors import InputError
from argusic.pool.archives import ArchiveUnusable
from argusic.pool.files import digest_of, patiently
from argusic.pool.hub import cards
from argusic.pool.hub.answers import Found
from argusic.pool.hub.cards import CARD
from argusic.pool.hub.carried import listed_in, repository_in
from argusic.pool.hub.choosing import counting
from argusic.pool.hub.client import Hub, Locked, Missing
from argusic.pool.hub.snapshots import cached_files, fetched_files
from argusic.pool.kinds.protocol import PinMismatch, SubjectUnavailable, Workshop
from argusic.pool.packages import look_up
from argusic.pool.registries import Wanted
from argusic.records.hub import MAX_HUB_BYTES, HubFile, HubFiles
from argusic.records.published import PublishedSource

#: A model that is larger, by the hub's own figure, is heavy. In bytes.
HEAVY_BYTES = 500_000_000
_files: TypeAdapter[tuple[HubFile, ...]] = TypeAdapter(HubFiles)


class FoundModel(NamedTuple):
    """A model that was looked up. Its files are in the cache."""

    name: str
    """What the hub calls it, as its owner spells it."""
    revision: str | None
    """The hub's revision; None for an archive."""
    files: tuple[HubFile, ...]
    """The files that count."""
    card: str
    """The text of its card; empty where it has none."""
    licence: str | None
    """Its licence, as its card or the archive names it."""
    summary: str | None
    """One sentence of its card or of the archive."""
    notes: tuple[str, ...] = ()
    """What a user should know of it."""
    heavy_by: str | None = None
    """The hub's own figure and the day it was asked, where that makes it heavy."""
    published: PublishedSource | None = None
    """The archive that carries it."""
    folder: str | None = None
    """The folder of the archive that holds its repository."""


def on_hub(hub: Hub, name: str, revision: str | None, workshop: Workshop, pauses: tuple[float, ...]) -> FoundModel:
    """Look a model up on a hub; at the newest of its default branch without a revision.

    Raises:
        InputError: There is none, it is not open to everybody, or it is more than is tested.
        SubjectUnavailable: The hub could not be reached.
    """
    workshop.progress(f"looking up {name}")
    try:
        found = patiently(lambda: hub.look_up("model", name, revision), pauses)
        # The card says which files count: it comes first.
        card = _card(hub, found, workshop, pauses)
        listed = counting(found.files, card)
        if not listed:
            raise InputError(f"{found.name} holds no files.")
        if sum(file.size for file in listed) > MAX_HUB_BYTES:
            raise InputError(f"{found.name} has more than {MAX_HUB_BYTES} bytes, the most that is tested.")
        workshop.progress(f"fetching {found.name} at {found.revision[:12]}")
        files = patiently(lambda: fetched_files(hub, "model", found.name, found.revision, listed, workshop), pauses)
        files = _files.validate_python(files)
    except Missing as error:
        raise InputError(f"There is no such model: {error}.") from error
    except Locked as error:
        raise InputError(
            f"{name} is not open: {error}.",
            advice="Set HF_TOKEN to a token of an account that was let in, or take a model that is open.",
        ) from error
    except PinMismatch as error:
        raise SubjectUnavailable(f"the hub contradicts itself: {error}") from error
    except ValidationError as error:
        said = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise InputError(f"The files of {name} cannot be pinned: they {said}.") from error
    size = sum(file.size for file in files)
    today = datetime.now(UTC).date()
    return FoundModel(
        name=found.name,
        revision=found.revision,
        files=files,
        card=card,
        licence=found.licence,
        summary=cards.summary(card),
        notes=("an account must be let in before it can be fetched",) if found.gated else (),
        heavy_by=f"{size // 1_000_000} MB by the hub's own listing, {today}" if size > HEAVY_BYTES else None,
    )


def in_archive(name: str, package: Wanted, workshop: Workshop, pauses: tuple[float, ...]) -> FoundModel:
    """Look up the published archive that carries a model.

    Raises:
        InputError: There is no such package or version, or its file is unusable.
        SubjectUnavailable: The registry could not be reached.
    """
    found = look_up(package, workshop, pauses)
    try:
        folder = repository_in(found.cached)
        files = _itself(found.cached) if folder is None else listed_in(found.cached, folder)
        card = cards.card_of_archive(found.cached, folder) or ""
    except ArchiveUnusable as error:
        raise InputError(f"The published file of {found.name} is unusable: {error}.") from error
    licence = cards.header(card).get("license")
    return FoundModel(
        name=name,
        revision=None,
        files=files,
        card=card,
        licence=licence if isinstance(licence, str) else found.says.licence,
        summary=cards.summary(card) or found.says.summary,
        notes=(f"its files are those that {found.file} carries: no hub was asked for a revision",),
        published=PublishedSource(
            ecosystem=found.ecosystem, name=found.name, version=found.version, file=found.file, sha256=found.sha256
        ),
        folder=folder,
    )


def _card(hub: Hub, found: Found, workshop: Workshop, pauses: tuple[float, ...]) -> str:
    listed = [file for file in found.files if file.path == CARD and file.size <= cards.MAX_CARD]
    if not listed:
        return ""
    got = patiently(lambda: fetched_files(hub, "model", found.name, found.revision, listed, workshop), pauses)
    folder = cached_files(got, lambda _: None, workshop, ())
    return cards.read_card(folder / CARD) or ""


def _itself(archive: Path) -> tuple[HubFile, ...]:
    """Return an archive as the one file that counts."""
    sha256 = digest_of(archive)
    assert sha256 is not None
    return _files.validate_python((HubFile(path=archive.name, size=archive.stat().st_size, sha256=sha256),))
