"""Deleting each key that no running job owns, however its job ended.

Safe to run twice and at once: deleting a key that is gone is no error, and a key is looked for before the running
attempts are, so that one issued meanwhile is never taken for an orphan.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from argusic.database.database import Database
from argusic.records.configuration import Configuration, KeyUsed, OpenConfiguration
from argusic.runs.keys.access import KeyProvider, KeyRefused, ListedKey
from argusic.runs.keys.aliases import Aliases
from argusic.runs.keys.notes import Notes
from argusic.runs.keys.providers import REMOTE, provider_of
from argusic.runs.work import running

#: A request of a process that died may reach the service so much later.
_ON_THE_WAY: Final = timedelta(minutes=5)
#: What a key is: of a run going on here; of a run that no longer does; of a run that another machine may be making.
Owner = Literal["running", "nobody", "elsewhere"]


@dataclass(frozen=True)
class Place:
    """A service that issues keys."""

    key: KeyUsed
    model_url: str

    @property
    def name(self) -> str:
        """What to call it."""
        return f"{self.key.provider} at {self.key.url or self.model_url}"


@dataclass(frozen=True)
class FoundKey:
    """A key of this repository's runs that a service knows of."""

    place: Place
    key: ListedKey
    owner: Owner


@dataclass(frozen=True)
class Trouble:
    """A service that could not be asked, or did not do what it was asked."""

    place: Place
    what: str


@dataclass(frozen=True)
class Swept:
    """What a sweep did.

    Attributes:
        deleted: Keys that are gone now, or that a dry run would have deleted.
        left: Keys of runs that go on.
        troubles: What it could not do.
    """

    deleted: list[FoundKey]
    left: list[FoundKey]
    troubles: list[Trouble]


def places(database: Database, configurations: Iterable[Configuration | OpenConfiguration]) -> list[Place]:
    """Return every service that may know of a key: those of configurations, and those of keys asked for here."""
    found = [Place(one.key, one.model.url) for one in configurations]
    found += [Place(note.key, note.model_url) for note in Notes.of(database).all()]
    return sorted({place.name: place for place in found if place.key.provider in REMOTE}.values(), key=lambda p: p.name)


def find(
    database: Database, wanted: Iterable[Place], environment: Mapping[str, str], elsewhere: Collection[str] = ()
) -> tuple[list[FoundKey], list[Trouble]]:
    """Return every key of this repository's runs that the services know of, and whose it is.

    Args:
        database: The database.
        wanted: The services.
        environment: Holds the services' own keys.
        elsewhere: Runs that are known to go on on other machines.
    """
    aliases = Aliases.of(database)
    listed: list[tuple[Place, ListedKey]] = []
    troubles = []
    for place in wanted:
        try:
            provider = provider_of(place.key, place.model_url, aliases, environment)
            listed += [(place, key) for key in provider.list()]
        except KeyRefused as refused:
            troubles.append(Trouble(place, str(refused)))
    # Only now: a run whose key is listed had begun by then, so it is among these if it still goes on.
    alive = {run for run, _ in running(database.work)} | set(elsewhere)
    ours = {note.run for note in Notes.of(database).all()}
    now = datetime.now(UTC)

    def owner(key: ListedKey) -> Owner:
        if key.run in alive:
            return "running"
        expired = key.expires is not None and key.expires <= now
        return "nobody" if key.run in ours or expired else "elsewhere"

    return [FoundKey(place, key, owner(key)) for place, key in listed], troubles


def sweep(
    database: Database,
    wanted: Iterable[Place],
    environment: Mapping[str, str],
    *,
    everywhere: bool = False,
    elsewhere: Collection[str] = (),
    dry: bool = False,
) -> Swept:
    """Delete each key that no running job owns.

    Args:
        database: The database.
        wanted: The services.
        environment: Holds the services' own keys.
        everywhere: Delete the keys of other machines' runs too, but for those that `elsewhere` names. Without it such
            a key is left until it has expired, because this machine cannot see whether its run goes on.
        elsewhere: Runs that are known to go on on other machines.
        dry: Only say what would be deleted.
    """
    aliases, notes = Aliases.of(database), Notes.of(database)
    asked_for = notes.all()
    asked = list(wanted)
    found, troubles = find(database, asked, environment, elsewhere)
    deleted, left = [], []
    failed = {trouble.place.name for trouble in troubles}
    for one in found:
        if one.owner == "running" or (one.owner == "elsewhere" and not everywhere):
            left.append(one)
            continue
        try:
            if not dry:
                _provider(one.place, aliases, environment).revoke(one.key.key)
            deleted.append(one)
        except KeyRefused as refused:
            troubles.append(Trouble(one.place, f"the key of {one.key.run} is still there: {refused}"))
            failed.add(one.place.name)
    if not dry:
        # A note has done its work once its service was asked and knows of no such key any more.
        alive = {run for run, _ in running(database.work)}
        now = datetime.now(UTC)
        known = {place.name for place in asked} - failed
        for note in asked_for:
            old = now > note.asked + _ON_THE_WAY
            if old and note.run not in alive and Place(note.key, note.model_url).name in known:
                notes.remove(note.run)
    return Swept(deleted, left, troubles)


def _provider(place: Place, aliases: Aliases, environment: Mapping[str, str]) -> KeyProvider:
    return provider_of(place.key, place.model_url, aliases, environment)
