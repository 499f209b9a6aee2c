"""The one way out of a sandbox: an HTTP proxy on the host that refuses the host, its neighbours and metadata services.

A name is resolved once, its addresses are checked, and the connection goes to an address that was checked. Both
`CONNECT` and plain requests are served. Where the host itself has only a proxy, that one is used in turn.
"""

from __future__ import annotations

import asyncio
import resource
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from argusic.sandbox.upstream import Upstream

_HEAD_BYTES = 65536
_CHUNK = 1 << 18
_HTTP_PORT = 80
_PAUSE_SECONDS = 0.2
#: What the rest of this process needs of the files that it may open.
_OTHER_FILES = 300
_LOCAL_NAMES = (".localhost", ".local", ".internal")


@dataclass(frozen=True)
class ProxyLimits:
    """What the way out bears.

    Attributes:
        connections: How many connections at once.
        head_seconds: How long a request's head may take.
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
    def affordable(cls) -> ProxyLimits:
        """Return the usual limits, with no more connections than this process has files for: two each."""
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return cls(connections=max(16, min(cls.connections, (files - _OTHER_FILES) // 2)))


class Refused(Exception):
    """A request that is not served: the status to answer with, and a sentence."""

    def __init__(self, status: str, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


class Proxy:
    """Serves a listening socket in a thread of its own.

    Args:
        listener: The socket; it may belong to another network namespace.
        refuse: Says of an address what it is, where it is refused.
        upstream: The host's own proxies.
        limits: What it bears.
    """

    def __init__(
        self,
        listener: socket.socket,
        refuse: Callable[[str], str | None],
        upstream: Upstream,
        limits: ProxyLimits = ProxyLimits(),
    ) -> None:
        self._listener = listener
        self._refuse = refuse
        self._upstream = upstream
        self._limits = limits
        self._open = 0
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="proxy", daemon=True)

    def start(self) -> None:
        """Begin to serve."""
        self._listener.setblocking(False)
        self._thread.start()

    def stop(self) -> None:
        """Cut every connection and stop."""
        with suppress(RuntimeError):  # The loop has ended by itself.
            self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

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
                refused = Refused("503 Service Unavailable", "Too many connections are open in this sandbox.")
                with connection, suppress(OSError):
                    connection.send(_answer(refused))
                continue
            self._open += 1
            task = asyncio.create_task(self._attend(connection))
            attending.add(task)
            task.add_done_callback(attending.discard)

    async def _attend(self, connection: socket.socket) -> None:
        try:
            reader, writer = await asyncio.open_connection(sock=connection, limit=_HEAD_BYTES)
        except OSError:
            connection.close()
            self._open -= 1
            return
        try:
            async with asyncio.timeout(self._limits.head_seconds):
                head = await reader.readuntil(b"\r\n\r\n")
            await self._forward(head, reader, writer)
        except Refused as refused:
            writer.write(_answer(refused))
        except asyncio.LimitOverrunError:
            writer.write(_answer(Refused("431 Request Header Fields Too Large", "The request's head is too long.")))
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

    async def _forward(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            method, target, version = head.split(b"\r\n", 1)[0].decode("ascii").split(" ")
            tunnel = method == "CONNECT"
            parts = urlsplit(f"//{target}" if tunnel else target)
            host, port = parts.hostname or "", parts.port or (0 if tunnel else _HTTP_PORT)
        except ValueError as error:
            raise Refused("400 Bad Request", "That is no request to a proxy.") from error
        # A line end that only some take for one would show the next hop another head than the one looked at here.
        broken = any(end in line for line in head.split(b"\r\n") for end in (b"\r", b"\n"))
        strange = not version.startswith("HTTP/1.") or (not tunnel and parts.scheme != "http")
        if not host or not port or broken or strange:
            raise Refused("400 Bad Request", "That is no request to a proxy.")
        upstream = self._upstream.hop("https" if tunnel else "http", host)
        try:
            async with asyncio.timeout(self._limits.connect_seconds):
                addresses = await self._resolve(host, port, chained=upstream is not None)
                if upstream is None:
                    far_reader, far_writer = await _connect(addresses, port)
                else:
                    far_reader, far_writer = await asyncio.open_connection(upstream.host, upstream.port)
        except (OSError, TimeoutError) as error:
            raise Refused("502 Bad Gateway", f"{host}:{port} cannot be reached: {error or 'no answer'}.") from error
        try:
            if upstream is not None:
                # Written anew: what was checked and what the next proxy reads must not be two hosts.
                place = f"[{host}]" if ":" in host else host
                absolute = f"{place}:{port}" if tunnel else f"http://{place}{_port(port)}{_path(parts)}"
                far_writer.write(_rewritten(head, absolute=absolute, login=upstream.login, alone=True))
            elif tunnel:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                far_writer.write(_rewritten(head, absolute=_path(parts), login=None, alone=False))
            await self._pump(reader, writer, far_reader, far_writer)
        finally:
            await self._let_go(far_writer)

    async def _resolve(self, host: str, port: int, *, chained: bool) -> list[str]:
        """Return the addresses of a host that may be reached.

        Args:
            host: Its name, or an address.
            port: The port.
            chained: Whether another proxy resolves names that this machine does not know.
        """
        name = host.rstrip(".").lower()
        local = name == "localhost" or name.endswith(_LOCAL_NAMES) or ("." not in name and ":" not in name)
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            if chained and not local:
                return []
            raise Refused("502 Bad Gateway", f"The name {host} is not known.") from error
        addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
        reasons = {address: self._refuse(address) for address in addresses}
        allowed = [address for address in addresses if reasons[address] is None]
        if not allowed:
            what = next((reason for reason in reasons.values() if reason), "nothing")
            raise Refused("403 Forbidden", f"{host} is {what}, which cannot be reached from a sandbox.")
        return allowed

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


async def _connect(addresses: list[str], port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    problem: OSError = OSError("it has no address")
    for address in addresses:
        try:
            return await asyncio.open_connection(address, port)
        except OSError as error:
            problem = error
    raise problem


def _path(parts: SplitResult) -> str:
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _port(port: int) -> str:
    return "" if port == _HTTP_PORT else f":{port}"


def _rewritten(head: bytes, *, absolute: str, login: str | None, alone: bool) -> bytes:
    """Return a request's head for the next hop: its target replaced, and what is meant for a proxy taken out.

    Args:
        head: The head as it came.
        absolute: The target.
        login: What the next hop wants for a login.
        alone: Whether no other request may follow on the connection, whatever the first one asks for: the next hop
            would serve it unchecked.
    """
    first, *fields = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, _, version = first.split(" ")
    dropped = ("proxy-", "connection:", "keep-alive:", *(("upgrade:",) if alone else ()))
    kept = [line for line in fields if not line.lower().startswith(dropped)]
    upgrade = next((line for line in kept if line.lower().startswith("upgrade:")), None)
    if method != "CONNECT":
        kept.append("Connection: upgrade" if upgrade else "Connection: close")
    if login is not None:
        kept.append(f"Proxy-Authorization: Basic {login}")
    return "\r\n".join([f"{method} {absolute} {version}", *kept, "", ""]).encode("latin-1")


def _answer(refused: Refused) -> bytes:
    body = f"{refused.sentence}\n".encode()
    fields = f"Content-Type: text/plain; charset=utf-8\r\nContent-Length: {len(body)}\r\nConnection: close\r\n"
    return f"HTTP/1.1 {refused.status}\r\n{fields}\r\n".encode() + body
