"""What a sandbox may be given beside its way out: a service of the host's, such as its way to a model; and a display.

As with the way out, the supervisor hands out a listening socket, and each connection to it is carried to where the
service answers. Nothing of the host's is shown inside: a socket of its may be open to nobody but its owner.
"""

from __future__ import annotations

import asyncio
import os
import socket
from abc import abstractmethod
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeVar

from argusic.sandbox.connections import ConnectionLimits, Connections
from argusic.sandbox.protocol import DISPLAY_PORT, SERVICE_PORT, SandboxGone
from argusic.sandbox.supervised.link import Link

#: A model may think for long before it answers.
_IDLE_SECONDS: Final = 3600
_HEAD_BYTES: Final = 65536
#: A window may stay for the whole of an attempt without a word.
_WINDOW_SECONDS: Final = 86_400
#: The most programs on a display: what an X server itself bears is a few more.
_CLIENTS: Final = 200
_C = TypeVar("_C", bound=Connections)


class _Carried(Connections):
    """Carries the connections to a listening socket to somewhere else. Where nobody answers there, each just ends."""

    def _turned_away(self) -> bytes:
        return b""

    async def _attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(self._limits.connect_seconds):
            far_reader, far_writer = await self._reach()
        try:
            await self._pump(reader, writer, far_reader, far_writer)
        finally:
            await self._let_go(far_writer)

    @abstractmethod
    async def _reach(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Return a connection to where it answers."""


class Service(_Carried):
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

    async def _reach(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        # Through its folder, however long the path is.
        return await asyncio.open_unix_connection(f"/proc/self/fd/{self._folder}/{self._name}")


class CarriedDisplay(_Carried):
    """Carries the connections to a listening socket to an X server.

    Args:
        listener: The socket; it may belong to another network namespace.
        reach: Returns a connection to the X server, which does not block. It may take a while.
        limits: What it bears.
    """

    def __init__(self, listener: socket.socket, reach: Callable[[], socket.socket], limits: ConnectionLimits) -> None:
        super().__init__(listener, "display", _HEAD_BYTES, limits)
        self._connect = reach
        self._reaching = ThreadPoolExecutor(1, thread_name_prefix="display")

    def stop(self) -> None:
        """Cut every connection and stop."""
        super().stop()
        self._reaching.shutdown(wait=False, cancel_futures=True)

    async def _reach(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reaching = self._reaching.submit(self._connect)
        try:
            connection = await asyncio.wrap_future(reaching)
        except SandboxGone as error:
            raise ConnectionRefusedError(str(error)) from error
        except asyncio.CancelledError:
            reaching.add_done_callback(_let_go_of)
            raise
        return await asyncio.open_unix_connection(sock=connection)


def _let_go_of(reaching: Future[socket.socket]) -> None:
    """Close a connection for which nobody waits any more."""
    if not reaching.cancelled() and reaching.exception() is None:
        reaching.result().close()


def open_service(link: Link, path: Path) -> Service:
    """Open a service inside a sandbox and return what serves it, to be stopped with the sandbox.

    Args:
        link: The line to the sandbox's supervisor.
        path: The unix socket of the host's behind which the service answers.

    Raises:
        OSError: The folder of the socket cannot be opened, or the port is taken inside.
    """
    limits = replace(ConnectionLimits.affordable(), idle_seconds=_IDLE_SECONDS)
    return _serving(link, SERVICE_PORT, lambda listener: Service(listener, path, limits))


def open_display(link: Link, reach: Callable[[], socket.socket]) -> CarriedDisplay:
    """Open a display inside a sandbox and return what serves it, to be stopped with the sandbox.

    Args:
        link: The line to the sandbox's supervisor.
        reach: Returns a connection to the X server.

    Raises:
        OSError: The port is taken inside.
    """
    most = min(_CLIENTS, ConnectionLimits.affordable().connections)
    limits = ConnectionLimits(connections=most, idle_seconds=_WINDOW_SECONDS)
    return _serving(link, DISPLAY_PORT, lambda listener: CarriedDisplay(listener, reach, limits))


def _serving(link: Link, port: int, made: Callable[[socket.socket], _C]) -> _C:
    """Have a port inside listened on, and serve what is made of it."""
    (listener,) = link.order("listen", port=port)
    listening = socket.socket(fileno=listener)
    try:
        serves = made(listening)
    except OSError:
        listening.close()
        raise
    serves.start()
    return serves
