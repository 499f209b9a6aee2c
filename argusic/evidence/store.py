"""The evidence store: files by their digest, for everything that git does not hold.

A file is there whole or not at all, is never changed, and is checked each time it is read: whoever gets a path or
bytes from here has what the digest names. The default is a folder; a store elsewhere (a private bucket, the assets of
a release: `argusic.evidence.stores`) keeps the same promises and brings a file here before it gives its path.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final, Protocol

from argusic.database.atomic import sync_folder, unfinished_file
from argusic.errors import CheckFailed, Place
from argusic.evidence.fingerprint import Fingerprint, fingerprint

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_PIECE: Final = 1024 * 1024


class EvidenceStore(Protocol):
    """Where evidence is kept that git does not hold."""

    def put(self, source: Path) -> Fingerprint:
        """Keep a copy of a file; return its fingerprint. A file that is there already stays as it is."""

    @property
    def absent(self) -> str:
        """What is said of a file that is not to be had: `it is missing in the evidence store`."""

    def path(self, sha256: str) -> Path:
        """Return where on this machine the file with this digest lies, or would lie. Nothing is read or brought.

        Raises:
            ValueError: It is no digest.
        """

    def bring(self, wanted: Collection[str], progress: Callable[[int, int], None] = ...) -> None:
        """See to it that files lie on this machine, as far as they can be had.

        Args:
            wanted: Their digests.
            progress: Told how many were brought, of how many that were not here.

        Raises:
            CheckFailed: What the store has under a digest is something else.
            EnvironmentLack: The store cannot be reached.
        """

    def check(self, sha256: str) -> Path:
        """Return a path on this machine where the file with this digest lies, read whole and found to be it.

        Raises:
            CheckFailed: It is not there, or its content has another digest.
        """

    def read(self, sha256: str) -> bytes:
        """Return the content of a file.

        Raises:
            CheckFailed: It is not there, or its content has another digest.
        """


class FolderStore:
    """A store in a folder, `<first two digits>/<digest>`.

    Args:
        folder: Where. It is made with the first file.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, sha256: str) -> Path:
        """Return where the file with this digest lies or would lie.

        Raises:
            ValueError: It is no digest.
        """
        if not _DIGEST.fullmatch(sha256):
            raise ValueError(f"{sha256!r} is no SHA-256 digest")
        return self.folder / sha256[:2] / sha256

    @property
    def absent(self) -> str:
        """What is said of a file that is not here."""
        return "it is missing in the evidence store"

    def bring(self, wanted: Collection[str], progress: Callable[[int, int], None] = lambda done, of: None) -> None:
        """Do nothing: what there is lies here."""

    def remove(self, sha256: str) -> None:
        """Remove a file, if it is there."""
        self.path(sha256).unlink(missing_ok=True)

    def put(self, source: Path) -> Fingerprint:
        """Copy a file into the store; return its fingerprint. A file that is there already stays as it is.

        Raises:
            CheckFailed: What is there under its digest has another content.
            OSError: The disk is full or fails. Nothing half-written stays under a digest.
        """
        with source.open("rb") as reading:
            return self.keep(_pieces(reading))

    def keep(self, content: Iterable[bytes], *, expected: str | None = None) -> Fingerprint:
        """Keep content that comes in pieces; return its fingerprint. A file that is there already stays as it is.

        Args:
            content: The pieces.
            expected: The digest that it is to have.

        Raises:
            CheckFailed: It has another digest, or what is there under its digest has another content.
            OSError: The disk is full or fails. Nothing half-written stays under a digest.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with unfinished_file(self.folder) as (temporary, writing):
            for piece in content:
                writing.write(piece)
            writing.flush()
            os.fsync(writing.fileno())
            # The copy is measured, not the source, which might change meanwhile.
            copied = fingerprint(temporary)
            if expected not in (None, copied.sha256):
                raise CheckFailed(f"what lies there as {expected} has the digest {copied.sha256}, and is not used.")
            destination = self.path(copied.sha256)
            if destination.exists():
                self.check(copied.sha256)
                return copied
            temporary.chmod(0o444)
            destination.parent.mkdir(exist_ok=True)
            temporary.replace(destination)
            sync_folder(destination.parent)
            sync_folder(self.folder)
            return copied

    def check(self, sha256: str) -> Path:
        """Return the path of a file after reading it whole.

        Raises:
            CheckFailed: It is not there, or its content has another digest.
        """
        path = self.path(sha256)
        try:
            found = fingerprint(path)
        except (OSError, ValueError):
            raise CheckFailed("is not in the evidence store.", place=Place(path)) from None
        if found.sha256 != sha256:
            raise CheckFailed(f"has the digest {found.sha256}, which is not its name.", place=Place(path))
        return path

    def read(self, sha256: str) -> bytes:
        """Return the content of a file.

        Raises:
            CheckFailed: It is not there, or its content has another digest.
        """
        path = self.path(sha256)
        try:
            data = path.read_bytes()
        except OSError:
            raise CheckFailed("is not in the evidence store.", place=Place(path)) from None
        found = hashlib.sha256(data).hexdigest()
        if found != sha256:
            raise CheckFailed(f"has the digest {found}, which is not its name.", place=Place(path))
        return data


def _pieces(reading: BinaryIO) -> Iterator[bytes]:
    while piece := reading.read(_PIECE):
        yield piece
