"""The evidence store: files by their digest, for everything that git does not hold.

A file is there whole or not at all, is never changed, and is checked each time it is read: whoever gets a path or
bytes from here has what the digest names. The default is a folder; a store elsewhere (a private bucket, the assets of
a release) keeps the same promises and brings a file here before it gives its path.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from pathlib import Path
from typing import Protocol

from argusic.database.atomic import sync_folder, unfinished_file
from argusic.errors import CheckFailed, Place
from argusic.evidence.fingerprint import Fingerprint, fingerprint

_DIGEST = re.compile(r"[0-9a-f]{64}")


class EvidenceStore(Protocol):
    """Where evidence is kept that git does not hold."""

    def put(self, source: Path) -> Fingerprint:
        """Keep a copy of a file; return its fingerprint. A file that is there already stays as it is."""

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

    def put(self, source: Path) -> Fingerprint:
        """Copy a file into the store; return its fingerprint. A file that is there already stays as it is.

        Raises:
            CheckFailed: What is there under its digest has another content.
            OSError: The disk is full or fails. Nothing half-written stays under a digest.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with unfinished_file(self.folder) as (temporary, writing):
            with source.open("rb") as reading:
                shutil.copyfileobj(reading, writing, 1024 * 1024)
            writing.flush()
            os.fsync(writing.fileno())
            # The copy is measured, not the source, which might change meanwhile.
            copied = fingerprint(temporary)
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
