"""Published files in the cache: fetched once, named by their digest, proved again at every use."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from argusic.pool.cache import Shelf
from argusic.pool.kinds.protocol import PinMismatch, SubjectUnavailable, Workshop
from argusic.pool.registries import REGISTRIES, Client
from argusic.records.sources.package import Ecosystem

#: How often the registry is asked again when it cannot be reached, and how long to wait before.
PAUSES = (2.0, 10.0)

_Got = TypeVar("_Got")


def published_file(
    ecosystem: Ecosystem,
    name: str,
    version: str,
    file: str,
    sha256: str,
    workshop: Workshop,
    *,
    pauses: tuple[float, ...] = PAUSES,
) -> Path:
    """Return a published file from the cache, fetching it first where it is not there or is damaged.

    Raises:
        PinMismatch: What is published has another digest. Nothing is kept.
        SubjectUnavailable: It could not be reached just now.
    """
    client = REGISTRIES[ecosystem].client

    def fetch() -> bytes:
        return patiently(lambda: _fetched(client, name, version, file, sha256, workshop), pauses)

    return pinned_file(file, sha256, workshop, fetch, f"{file} has")


def pinned_file(file: str, sha256: str, workshop: Workshop, fetch: Callable[[], bytes], otherwise: str) -> Path:
    """Return a pinned file from the cache, having `fetch` give its content where it is not there or is damaged.

    Args:
        file: Its name.
        sha256: Its digest.
        workshop: Where the cache is.
        fetch: Gives the content. What it raises passes, and nothing is kept.
        otherwise: How a mismatch begins, such as `x.whl has`.

    Raises:
        PinMismatch: The content has another digest. Nothing is kept.
    """
    shelf = Shelf(workshop.cache, "packages")
    cached = shelf.entry(sha256) / file
    if digest_of(cached) == sha256:
        return cached
    with shelf.locked(sha256):
        if digest_of(cached) == sha256:
            return cached
        workshop.progress(f"fetching {file}")
        content = fetch()
        found = hashlib.sha256(content).hexdigest()
        if found != sha256:
            raise PinMismatch(f"{otherwise} sha256 {found}, but {sha256} was pinned")
        keep(shelf, sha256, file, content)
    return cached


def patiently(attempt: Callable[[], _Got], pauses: tuple[float, ...]) -> _Got:
    """Return what `attempt` gives, trying again after each pause while the registry cannot be reached."""
    for pause in pauses:
        try:
            return attempt()
        except SubjectUnavailable:
            time.sleep(pause)
    return attempt()


def keep(shelf: Shelf, sha256: str, file: str, content: bytes) -> None:
    """Put a file whose digest is proved into the cache. Called under the lock of its digest."""
    with shelf.scratch() as scratch:
        made = scratch / "entry"
        made.mkdir()
        with (made / file).open("wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        shelf.place(made, sha256)


def kept(content: bytes, file: str, workshop: Workshop) -> tuple[Path, str]:
    """Return where a published file that was just looked up lies in the cache, and its SHA-256, once it is there."""
    sha256 = hashlib.sha256(content).hexdigest()
    shelf = Shelf(workshop.cache, "packages")
    cached = shelf.entry(sha256) / file
    with shelf.locked(sha256):
        if digest_of(cached) != sha256:
            keep(shelf, sha256, file, content)
    return cached, sha256


def digest_of(file: Path) -> str | None:
    """Return the SHA-256 of a regular file, or None where there is none."""
    if file.is_symlink() or not file.is_file():
        return None
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _fetched(client: Client, name: str, version: str, file: str, sha256: str, workshop: Workshop) -> bytes:
    sandbox = workshop.sandbox()
    try:
        return client.exact(sandbox, name, version, file, sha256)
    finally:
        sandbox.destroy()
