"""Which code is the harness, by digest: the files that `rules/harness.yaml` lists, as they were when first asked."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import argusic
from argusic.database.database import Database
from argusic.database.paths import HARNESS_PATH
from argusic.errors import InputError, Place
from argusic.records.conditions import Harness, HarnessPart, HarnessUsed


def harness_used(database: Database) -> HarnessUsed | None:
    """Return the harness of the program that runs, by the list of a database; None where that has no list.

    Raises:
        InputError: The list is not valid, or names files that there are none of.
    """
    if not database.holds(HARNESS_PATH):
        return None
    return digest_of(database.read(HARNESS_PATH, Harness), Path(argusic.__file__).parent.parent)


def digest_of(harness: Harness, top: Path) -> HarnessUsed:
    """Return the digest of the files that a list names.

    Args:
        harness: The list.
        top: The folder that holds the package.

    Raises:
        InputError: A pattern matches no file.
    """
    names = sorted({name for part in harness.parts for name in _names(part, top)})
    whole = hashlib.sha256()
    for name in names:
        whole.update(f"{name}\0{_digest(top / name)}\n".encode())
    return HarnessUsed(files=len(names), sha256=whole.hexdigest())


def _names(part: HarnessPart, top: Path) -> set[str]:
    left_out = {name for pattern in part.without for name in _matches(part, pattern, top)}
    return {name for pattern in part.files for name in _matches(part, pattern, top)} - left_out


def _matches(part: HarnessPart, pattern: str, top: Path) -> set[str]:
    found = {path.relative_to(top).as_posix() for path in top.glob(pattern) if path.is_file()}
    if not found:
        what = f"{part.part}: no file of the program is called {pattern}."
        raise InputError(what, place=Place(HARNESS_PATH, field="parts"))
    return found


@cache
def _digest(path: Path) -> str:
    """Return the digest of a file of the program. It is asked once: what a process has loaded does not change."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
