"""Sealed raw files on their way from a job's machine to whoever archives them: one file, sealed once more.

They never enter git, where one lost key would open every copy for ever, and an artifact of a public repository is as
public. So they travel under a second key, which is destroyed when they have arrived: from then on no copy of that file
can be opened, whatever becomes of the first.
"""

from __future__ import annotations

import re
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import pyrage
from pyrage import x25519

from argusic.database.atomic import unfinished_file
from argusic.database.database import Database
from argusic.database.paths import MANIFEST_FILE, run_folder
from argusic.errors import CheckFailed, InputError, Place
from argusic.evidence.store import FolderStore
from argusic.evidence.stores.configured import store_of
from argusic.records.manifest import Manifest
from argusic.records.run import Run

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
#: A file that unpacks to more holds something else.
_MOST_BYTES: Final = 8 << 30
_PIECE: Final = 1 << 20


@dataclass(frozen=True)
class SendAlong:
    """Where sealed files go, and which key closes them once more.

    Attributes:
        file: Where. It must not be there.
        recipient: The public key.
    """

    file: Path
    recipient: x25519.Recipient

    @classmethod
    def of(cls, file: Path, recipient: str) -> SendAlong:
        """Return it, checked before anything is made.

        Raises:
            InputError: The key is none, or the file is there.
        """
        if file.exists():
            raise InputError("is there already, and is never replaced.", place=Place(file))
        try:
            return cls(file, x25519.Recipient.from_str(recipient))
        except (pyrage.RecipientError, ValueError):
            raise InputError("--sealed-to is no public key of age (age1...).") from None


def send_along(database: Database, runs: Sequence[Run], to: SendAlong) -> int:
    """Write the sealed raw files of some runs into one file; return how many. Without any there is no file.

    Raises:
        CheckFailed: One of them is not in the evidence store of this machine.
        OSError: The disk is full or fails.
    """
    store = store_of(database)
    digests = sorted({entry for run in runs for entry in sealed_of(database, run)})
    if not digests:
        return 0
    to.file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=to.file.parent) as plain:
        with zipfile.ZipFile(plain, "w", zipfile.ZIP_STORED) as archive:
            for sha256 in digests:
                archive.write(store.check(sha256), sha256)
        plain.seek(0)
        with unfinished_file(to.file.parent) as (temporary, writing):
            pyrage.encrypt_io(plain, writing, [to.recipient])
            writing.flush()
            temporary.rename(to.file)
    return len(digests)


def sealed_of(database: Database, run: Run) -> list[str]:
    """Return the digests of a run's sealed raw files, as they lie in the evidence store."""
    folder = run_folder(run.cycle, run.subject, run.agent, run.run)
    manifest = database.read(folder / MANIFEST_FILE, Manifest)
    return [entry.sealed_sha256 for entry in manifest.sealed or ()]


def archive(database: Database, file: Path, keys: Sequence[x25519.Identity]) -> list[str]:
    """Put sealed raw files that were sent along into the evidence store of this machine; return their digests.

    Args:
        database: The database, which holds the manifests of their runs.
        file: What `send_along` wrote.
        keys: Private keys, any of which may open it.

    Raises:
        InputError: None of the keys opens it, or it is something else.
        CheckFailed: It holds what no manifest names, or something else than its name says. Nothing of it is kept.
    """
    named = {sha256 for stored in database.runs() for sha256 in sealed_of(database, stored.run)}
    store = FolderStore(database.store_folder)
    with _opened(file, keys) as content:
        try:
            with zipfile.ZipFile(content) as packed:
                entries = packed.infolist()
                if sum(entry.file_size for entry in entries) > _MOST_BYTES:
                    raise InputError(f"holds more than {_MOST_BYTES:,} bytes.", place=Place(file))
                for entry in entries:
                    if not _DIGEST.fullmatch(entry.filename) or entry.filename not in named:
                        what = f"holds {entry.filename!r}, which no manifest here names; nothing of it is kept."
                        raise CheckFailed(what, place=Place(file), advice="Merge the results of its runs first.")
                for entry in entries:
                    with packed.open(entry) as reading:
                        store.keep(_pieces(reading), expected=entry.filename)
        except zipfile.BadZipFile:
            raise InputError("holds something else than sealed files.", place=Place(file)) from None
    return sorted(entry.filename for entry in entries)


@contextmanager
def _opened(file: Path, keys: Sequence[x25519.Identity]) -> Iterator[IO[bytes]]:
    """Give what is in a file, closed no more."""
    with tempfile.TemporaryFile() as plain:
        try:
            with file.open("rb") as reading:
                pyrage.decrypt_io(reading, plain, list(keys))
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}.", place=Place(file)) from None
        except pyrage.DecryptError as error:
            raise InputError(f"none of the keys opens it: {error}.", place=Place(file)) from None
        plain.seek(0)
        yield plain


def _pieces(reading: IO[bytes]) -> Iterator[bytes]:
    while piece := reading.read(_PIECE):
        yield piece
