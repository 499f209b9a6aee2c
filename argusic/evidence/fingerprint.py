"""The fingerprint of a file: its SHA-256 and its size, taken in one pass without holding it in memory."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import NamedTuple

_PIECE = 1024 * 1024


class Fingerprint(NamedTuple):
    """What a file is, as far as bytes go."""

    sha256: str
    """The digest, lower-case hex."""
    size: int
    """The size in bytes."""


def fingerprint(path: Path) -> Fingerprint:
    """Return the fingerprint of a regular file. Links are not followed.

    Raises:
        FileNotFoundError: There is none.
        ValueError: It is a link, a folder, or anything else than a regular file.
        OSError: It cannot be read.
    """
    if path.is_symlink():
        raise ValueError("is a symbolic link")
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    digest = hashlib.sha256()
    size = 0
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("is no regular file")
        while piece := os.read(descriptor, _PIECE):
            digest.update(piece)
            size += len(piece)
    finally:
        os.close(descriptor)
    return Fingerprint(digest.hexdigest(), size)
