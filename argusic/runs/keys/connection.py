"""The two ends of a gateway: the unix socket that it listens on, and the way from it to a server."""

from __future__ import annotations

import os
import socket
import ssl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypedDict
from urllib.parse import urlsplit

#: The longest path that the kernel takes for a socket, in bytes.
LONGEST: Final = 107
_NAME: Final = "model.sock"
#: The system's folder for what is temporary: short, whatever somebody else may be set.
_SHORT: Final = "/tmp"
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")


class Way(TypedDict):
    """How an HTTP client reaches a server."""

    trust_env: bool
    verify: ssl.SSLContext | bool


def way(url: str) -> Way:
    """Return how a client reaches the server at `url`."""
    parts = urlsplit(url)
    return {
        # A proxy of this machine's leads out of it, and never to a server on it.
        "trust_env": parts.hostname not in _LOOPBACK,
        # Without TLS no authority is trusted, and loading them all would take longer than all else.
        "verify": True if parts.scheme == "https" else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
    }


@contextmanager
def place(folder: Path) -> Iterator[Path]:
    """Give the path of a socket in `folder`, or in a short folder of its own where that path is too long for one."""
    path = folder.absolute() / _NAME
    if len(os.fsencode(path)) <= LONGEST:
        yield path
        return
    room = LONGEST - len("/argusic-12345678/") - len(_NAME)
    within = tempfile.gettempdir()
    with tempfile.TemporaryDirectory(
        prefix="argusic-", dir=within if len(os.fsencode(within)) <= room else _SHORT
    ) as short:
        yield Path(short) / _NAME


def listen(path: Path) -> socket.socket:
    """Return a socket that listens at a new path, which its owner alone may open."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(str(path))
        path.chmod(0o600)  # Nobody can connect before it listens.
        listener.listen(128)
    except BaseException:
        listener.close()
        raise
    return listener
