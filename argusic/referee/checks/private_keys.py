"""No private key lies below the tree: neither the user's folder of keys, nor a key among the records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from argusic.database.database import Database
from argusic.database.paths import DATA_FOLDERS
from argusic.errors import Finding, InputError, Place
from argusic.evidence.keys import KeyFolder, refuse_inside_a_repository

#: A private key of age, whole.
_AGE_KEY: Final = "AGE-SECRET-KEY-(PQ-)?1[0-9A-Z]{58}"


def check_private_keys(database: Database) -> Iterator[Finding]:
    """Yield what of private keys lies in the repository."""
    keys = KeyFolder.of_user()
    if keys.folder.exists():
        try:
            refuse_inside_a_repository(keys.folder, database.root)
        except InputError as error:
            yield Finding(error.place or Place(keys.folder), f"{error.what} {error.advice}")
    if database.git is not None:
        for path in database.git.containing(_AGE_KEY, *DATA_FOLDERS):
            yield Finding(Place(path), "holds a private key of age: whoever has a clone can open what it seals.")
