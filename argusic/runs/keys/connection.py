"""The unix socket of a gateway: where it lies, and how it is listened on."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

#: The longest path that the kernel takes for a socket, in bytes.
LONGEST: Final = 107
_NAME: Final = "model.sock"


@contextmanager
def place(folder: Path) -> Iterator[Path]:
    """Give the path of a socket in `folder`, or in a short folder of its own where that path is too long for one."""
    path = folder.absolute() / _NAME
    if len(os.fsencode(path)) <= LONGEST:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="argusic-") as short:
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
