"""Paths for unix sockets. One holds about a hundred characters, which a folder of pytest's may exceed."""

from __future__ import annotations

import secrets
import tempfile
from pathlib import Path
from typing import Final

#: Gone with the process.
_FOLDER: Final = tempfile.TemporaryDirectory(prefix="argusic-", dir="/tmp")


def a_socket() -> Path:
    """Return a new path for a socket; nothing is there yet."""
    return Path(_FOLDER.name) / f"{secrets.token_hex(4)}.sock"
