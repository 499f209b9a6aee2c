"""The ways of making sandboxes that there are, by name."""

from __future__ import annotations

import os

from argusic.database.database import Database
from argusic.database.paths import ENVIRONMENT_PATH
from argusic.errors import InputError
from argusic.records.environment import Environment
from argusic.sandbox.bubblewrap import Bubblewrap
from argusic.sandbox.docker import Docker
from argusic.sandbox.docker.provider import IMAGE_VARIABLE, RUNTIME_VARIABLE
from argusic.sandbox.protocol import Provider


def providers(database: Database | None = None) -> dict[str, Provider]:
    """Return every provider by its name, sorted, each new.

    Args:
        database: Names the published image, for those that have images. None where no sandbox is to be started.
    """
    made: list[Provider] = [Bubblewrap(), Docker(published(database) if database is not None else ())]
    return {one.name: one for one in sorted(made, key=lambda one: one.name)}


def provider(name: str, database: Database | None = None) -> Provider:
    """Return the provider called `name`.

    Args:
        name: Its name.
        database: As for `providers`.

    Raises:
        InputError: There is none of that name.
    """
    known = providers(database)
    if name not in known:
        raise InputError(f"There is no sandbox called {name!r}.", advice=f"Known are: {', '.join(known)}.")
    return known[name]


def published(database: Database) -> tuple[str, ...]:
    """Return the digests that engines may know the published image by; none where it has not been built."""
    if not (database.root / ENVIRONMENT_PATH).exists():
        return ()
    image = database.read(ENVIRONMENT_PATH, Environment).image("published")
    return (image.image, image.manifest) if image is not None else ()


def image_used(name: str, database: Database) -> str | None:
    """Return the image that sandboxes called `name` are made from, by digest; None where they are made from none.

    The published image is named by one digest, whichever an engine knows it by.
    """
    if name != Docker.name:
        return None
    images = published(database)
    named = os.environ.get(IMAGE_VARIABLE)
    if named and named not in images:
        return named
    return images[0] if images else None


def runtime_used(name: str) -> str | None:
    """Return the program that containers of sandboxes called `name` are run with, where one is named."""
    return os.environ.get(RUNTIME_VARIABLE) or None if name == Docker.name else None
