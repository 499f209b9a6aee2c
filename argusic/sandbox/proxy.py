"""The one way out of a sandbox: an HTTP proxy on the host that refuses the host, its neighbours and metadata services.

A name is resolved once, its addresses are checked, and the connection goes to an address that was checked. Both
`CONNECT` and plain requests are served. Where the host itself has only a proxy, that one is used in turn.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from urllib.parse import SplitResult, urlsplit

from argusic.sandbox.connections import ConnectionLimits, Connections
from argusic.sandbox.upstream import Upstream

_HEAD_BYTES = 65536
_HTTP_PORT = 80
_LOCAL_NAMES = (".localhost", ".local", ".internal")


class Refused(Exception):
    """A request that is not served: the status to answer with, and a sentence."""

    def __init__(self, status: str, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


class Proxy(Connections):
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
        limits: ConnectionLimits = ConnectionLimits(),
    ) -> None:
        super().__init__(listener, "proxy", _HEAD_BYTES, limits)
        self._refuse = refuse
        self._upstream = upstream

    def _turned_away(self) -> bytes:
        return _answer(Refused("503 Service Unavailable", "Too many connections are open in this sandbox."))

    async def _attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(self._limits.head_seconds):
                head = await reader.readuntil(b"\r\n\r\n")
            await self._forward(head, reader, writer)
        except Refused as refused:
            writer.write(_answer(refused))
        except asyncio.LimitOverrunError:
            writer.write(_answer(Refused("431 Request Header Fields Too Large", "The request's head is too long.")))

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
