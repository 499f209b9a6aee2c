"""Sealing a raw file into the evidence store, and opening it again for someone who holds a key."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pyrage
from pyrage import x25519

from argusic.database.atomic import unfinished_file
from argusic.errors import CheckFailed, InputError, Place
from argusic.evidence.fingerprint import Fingerprint, fingerprint
from argusic.evidence.layout import MEDIA_TYPES
from argusic.evidence.store import EvidenceStore
from argusic.records.manifest import FileRole, SealedFile
from argusic.records.sealed import Recipients


def seal(source: Path, role: FileRole, store: EvidenceStore, recipients: Recipients) -> SealedFile:
    """Encrypt a raw file to both keys of its cycle and put it into the evidence store.

    Args:
        source: The raw file. It stays as it is; its name becomes that of the entry.
        role: What it is.
        store: Where the encrypted file goes.
        recipients: The public keys.

    Returns:
        The entry for the manifest: what is inside, by its fingerprint, and what lies in the store.

    Raises:
        OSError: The disk is full or fails.
        CheckFailed: The file changed while it was sealed.
    """
    keys = recipients.keys()
    before = fingerprint(source)
    with tempfile.TemporaryDirectory(prefix="argusic-sealing-") as folder:
        encrypted = Path(folder) / "sealed"
        with source.open("rb") as reading, encrypted.open("wb") as writing:
            pyrage.encrypt_io(reading, writing, [x25519.Recipient.from_str(key) for key in keys])
        if fingerprint(source) != before:
            raise CheckFailed("changed while it was being sealed.", place=Place(source))
        stored = store.put(encrypted)
    return SealedFile(
        name=source.name,
        role=role,
        media_type=MEDIA_TYPES[role],
        size=before.size,
        sha256=before.sha256,
        sealed_size=stored.size,
        sealed_sha256=stored.sha256,
        recipients=keys,
    )


def unseal(entry: SealedFile, store: EvidenceStore, identities: Sequence[x25519.Identity], folder: Path) -> Path:
    """Decrypt a sealed file into a folder, and return its path there.

    Args:
        entry: The manifest's entry of it.
        store: The evidence store.
        identities: Private keys, any of which may open it.
        folder: Where it goes, under its own name. Nobody but its owner may read it there.

    Raises:
        CheckFailed: The encrypted file is not in the store or is another, or what is inside has another fingerprint.
        InputError: None of the keys opens it, or a file of this name is there already.
    """
    destination = folder / entry.name
    if os.path.lexists(destination):
        raise InputError("is there already, and nothing is overwritten.", place=Place(destination))
    encrypted = store.check(entry.sealed_sha256)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with unfinished_file(folder) as (temporary, writing):
        temporary.chmod(0o600)
        try:
            with encrypted.open("rb") as reading:
                pyrage.decrypt_io(reading, writing, list(identities))
        except pyrage.DecryptError as error:
            raise InputError(f"none of the keys opens {entry.name}: {error}.", place=Place(encrypted)) from None
        writing.flush()
        if fingerprint(temporary) != Fingerprint(entry.sha256, entry.size):
            raise CheckFailed(
                "holds something else than what was recorded: its fingerprint is not the one that the manifest states.",
                place=Place(encrypted),
            )
        temporary.rename(destination)
    return destination
