"""Serves a listening socket that a sandbox has handed out: takes its connections, and carries bytes both ways.

It runs on a thread of its own, so that whatever else the host does, what runs inside is answered.
"""

from __future__ import annotations

import asyncio
import resource
import socket
import threading
from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

_CHUNK: Final = 1 << 18
_PAUSE_SECONDS: Final = 0.2
#: What the rest of this process needs of the files that it may open.
_OTHER_FILES: Final = 300


@dataclass(frozen=True)
class ConnectionLimits:
    """What a served socket bears.

    Attributes:
        connections: How many connections at once.
        head_seconds: How long a request's head may take, where one is read.
        connect_seconds: How long reaching a server may take.
        idle_seconds: How long a connection may be silent in both directions.
        flush_seconds: How long the rest of an answer may take to be taken.
    """

    connections: int = 512
    head_seconds: float = 30
    connect_seconds: float = 30
    idle_seconds: float = 600
    flush_seconds: float = 30

    @classmethod
    def affordable(cls) -> ConnectionLimits:
        """Return the usual limits, with no more connections than this process has files for: two each."""
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return cls(connections=max(16, min(cls.connections, (files - _OTHER_FILES) // 2)))


class Connections(ABC):
    """The connections of one listening socket, each attended to by itself.

    Args:
        listener: The socket; it may belong to another network namespace.
        name: What the thread is called.
        head_bytes: The most that is read at once of what a connection begins with.
        limits: What it bears.
    """

    def __init__(self, listener: socket.socket, name: str, head_bytes: int, limits: ConnectionLimits) -> None:
        self._listener = listener
        self._head_bytes = head_bytes
        self._limits = limits
        self._open = 0
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin to serve."""
        self._listener.setblocking(False)
        self._thread.start()

    def stop(self) -> None:
        """Cut every connection and stop."""
        with suppress(RuntimeError):  # The loop has ended by itself.
            self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    @abstractmethod
    async def _attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Attend to one connection, which is closed afterwards. What the other side breaks off may be raised."""

    @abstractmethod
    def _turned_away(self) -> bytes:
        """Return what a connection hears that is one too many."""

    def _run(self) -> None:
        self._loop.set_exception_handler(lambda _loop, _context: None)  # A cut connection is no news.
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        accepting = asyncio.create_task(self._accept())
        await self._over.wait()
        accepting.cancel()
        cut = asyncio.all_tasks() - {asyncio.current_task()}
        for task in cut:
            task.cancel()
        await asyncio.gather(*cut, return_exceptions=True)
        self._listener.close()

    async def _accept(self) -> None:
        """Take connections one by one, so that those which are not served cost the host no open files."""
        loop = asyncio.get_running_loop()
        attending: set[asyncio.Task[None]] = set()
        while True:
            try:
                connection, _ = await loop.sock_accept(self._listener)
            except OSError:  # This process has no file left, or the other side went away.
                await asyncio.sleep(_PAUSE_SECONDS)
                continue
            if self._open >= self._limits.connections:
                with connection, suppress(OSError):
                    connection.send(self._turned_away())
                continue
            self._open += 1
            task = asyncio.create_task(self._take(connection))
            attending.add(task)
            task.add_done_callback(attending.discard)

    async def _take(self, connection: socket.socket) -> None:
        try:
            reader, writer = await asyncio.open_connection(sock=connection, limit=self._head_bytes)
        except OSError:
            connection.close()
            self._open -= 1
            return
        try:
            await self._attend(reader, writer)
        except (OSError, EOFError, TimeoutError):
            pass  # The other side went away.
        finally:
            try:
                await self._let_go(writer)
            finally:
                self._open -= 1

    async def _let_go(self, writer: asyncio.StreamWriter) -> None:
        """Close a connection; what the other side does not take within a while is dropped with it."""
        writer.close()
        try:
            if self._over.is_set():
                return
            async with asyncio.timeout(self._limits.flush_seconds):
                await writer.wait_closed()
        except (OSError, TimeoutError):
            pass
        finally:
            writer.transport.abort()

    async def _pump(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        far_reader: asyncio.StreamReader,
        far_writer: asyncio.StreamWriter,
    ) -> None:
        """Carry bytes both ways until both sides have ended, or nothing has moved for too long."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(self._limits.idle_seconds) as idle:

            async def carry(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
                while data := await source.read(_CHUNK):
                    idle.reschedule(loop.time() + self._limits.idle_seconds)
                    sink.write(data)
                    await sink.drain()
                if sink.can_write_eof():
                    sink.write_eof()

            try:
                async with asyncio.TaskGroup() as both:
                    both.create_task(carry(reader, far_writer))
                    both.create_task(carry(far_reader, writer))
            except* (OSError, EOFError):
                pass  # One side was cut: the other is closed by the caller.
