"""Models looked up, on a hub or in a published archive that carries one: the files that count, and what a card says."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from argusic.errors import InputError
from argusic.pool.archives import ArchiveUnusable
from argusic.pool.files import digest_of, patiently
from argusic.pool.hub import cards
from argusic.pool.hub.answers import Found, Listed
from argusic.pool.hub.cards import CARD
from argusic.pool.hub.carried import listed_in, repository_in
from argusic.pool.hub.choosing import counting
from argusic.pool.hub.client import Hub
from argusic.pool.hub.pinning import pin_newest
from argusic.pool.hub.snapshots import cached_files, fetched_files
from argusic.pool.kinds.protocol import Workshop
from argusic.pool.packages import look_up
from argusic.pool.registries import Wanted
from argusic.records.hub import HubFile
from argusic.records.published import PublishedSource

#: A model that is larger, by the hub's own figure, is heavy. In bytes.
HEAVY_BYTES = 500_000_000


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
    card = ""

    def counted(found: Found) -> list[Listed]:
        nonlocal card
        # The card says which files count: it comes first.
        card = _card(hub, found, workshop, pauses)
        return list(counting(found.files, card))

    found, files = pin_newest(hub, "model", name, revision, counted, workshop, pauses)
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
    return (HubFile(path=archive.name, size=archive.stat().st_size, sha256=sha256),)
