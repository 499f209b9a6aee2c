"""The one service of the host's that a sandbox may be given, such as the run's way to its model.

As with the way out, the supervisor hands out a listening socket, and each connection to it is carried to a unix
socket of the host's. Nothing of the host's is shown inside: the socket may be open to nobody but its owner.
"""

from __future__ import annotations

import asyncio
import os
import socket
from dataclasses import replace
from pathlib import Path
from typing import Final

from argusic.sandbox.connections import ConnectionLimits, Connections
from argusic.sandbox.protocol import SERVICE_PORT
from argusic.sandbox.supervised.link import Link

#: A model may think for long before it answers.
_IDLE_SECONDS: Final = 3600
_HEAD_BYTES: Final = 65536


class Service(Connections):
    """Carries the connections to a listening socket to a unix socket.

    Args:
        listener: The socket; it may belong to another network namespace.
        path: The unix socket.
        limits: What it bears.
    """

    def __init__(self, listener: socket.socket, path: Path, limits: ConnectionLimits) -> None:
        super().__init__(listener, "service", _HEAD_BYTES, limits)
        self._folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._name = path.name

    def stop(self) -> None:
        """Cut every connection and stop."""
        super().stop()
        os.close(self._folder)

    def _turned_away(self) -> bytes:
        return b""

    async def _attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Through its folder, however long the path is. Where nobody listens there, the connection just ends.
        async with asyncio.timeout(self._limits.connect_seconds):
            far_reader, far_writer = await asyncio.open_unix_connection(f"/proc/self/fd/{self._folder}/{self._name}")
        try:
            await self._pump(reader, writer, far_reader, far_writer)
        finally:
            await self._let_go(far_writer)


def open_service(link: Link, path: Path) -> Service:
    """Open a service inside a sandbox and return what serves it, to be stopped with the sandbox.

    Args:
        link: The line to the sandbox's supervisor.
        path: The unix socket of the host's behind which the service answers.

    Raises:
        OSError: The folder of the socket cannot be opened, or the port is taken inside.
    """
    (listener,) = link.order("listen", port=SERVICE_PORT)
    limits = replace(ConnectionLimits.affordable(), idle_seconds=_IDLE_SECONDS)
    try:
        service = Service(socket.socket(fileno=listener), path, limits)
    except OSError:
        os.close(listener)
        raise
    service.start()
    return service
