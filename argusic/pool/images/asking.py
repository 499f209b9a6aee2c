"""Requests to image registries over HTTP: bounded in time, in bytes and in redirects, and to public addresses alone.

A registry leads elsewhere: blobs come from another host, tokens from a third. Each host is looked up once, every
address that it has is checked, and the connection is made to one that was checked. A registry on this machine's own
loopback is spoken to without TLS, and it alone is allowed to lead to the loopback.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cached_property
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import SplitResult, urljoin, urlsplit

import httpcore

from argusic.pool.kinds.protocol import SubjectUnavailable
from argusic.sandbox.addresses import refusal
from argusic.sandbox.upstream import Upstream

_REDIRECTS = 5
_MOVED = frozenset({301, 302, 303, 307, 308})
#: Bytes in a second that an answer must come with, on the whole.
_SLOWEST = 20_000


class TooMuch(SubjectUnavailable):
    """An answer has more bytes than there may be."""


class Patience(NamedTuple):
    """How long a registry is waited for, in seconds."""

    connect: float = 20
    """For a connection."""
    silence: float = 60
    """For the next bytes."""
    grace: float = 120
    """For a whole answer, besides what its size takes."""


PATIENCE = Patience()


class Answer(NamedTuple):
    """An answer whose body has not been read yet."""

    status: int
    headers: Mapping[str, str]
    """By name in lower case; of a name that stands there twice, the last."""
    body: Iterator[bytes]


class Asking:
    """A way to one registry, and to where it leads.

    Args:
        address: The address of its interface.
        environment: The host's environment, which may name a proxy.
        patience: How long it is waited for.
    """

    def __init__(self, address: str, environment: Mapping[str, str], patience: Patience = PATIENCE) -> None:
        self.address = address
        self._patience = patience
        self._upstream = Upstream(environment)
        self._local = urlsplit(address).scheme == "http"
        self._backend = _Guarded(local=self._local)

    @contextmanager
    def get(self, address: str, headers: Mapping[str, str], *, most: int) -> Iterator[Answer]:
        """Ask for an address and follow where it leads. What only this host may see is sent to no other.

        Args:
            address: What to ask for.
            headers: What to send along. `Authorization` goes to the first host alone.
            most: How many bytes the body may have.

        Raises:
            SubjectUnavailable: It cannot be reached, breaks off, is too slow, sends too much, or leads astray.
        """
        until = time.monotonic() + self._patience.grace + most / _SLOWEST
        sent, first = dict(headers), ""
        for _ in range(_REDIRECTS + 1):
            parts = self._checked(address)
            first = first or parts.netloc
            if parts.netloc != first:
                sent.pop("Authorization", None)
            with self._one(address, sent, until, most) as answer:
                leads = answer.headers.get("location")
                if answer.status not in _MOVED or leads is None:
                    yield answer
                    return
                address = self._joined(address, leads)
        raise SubjectUnavailable(f"the registry {self._called} leads onwards more than {_REDIRECTS} times")

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return ssl.create_default_context()

    @property
    def _called(self) -> str:
        return urlsplit(self.address).netloc

    def _checked(self, address: str) -> SplitResult:
        """Return the parts of an address that may be asked."""
        try:
            parts = urlsplit(address)
            local = self._local and parts.hostname is not None and _is_loopback(parts.hostname)
            usable = bool(parts.hostname) and parts.username is None and parts.port != 0
        except ValueError as error:
            raise self._astray() from error
        if not usable or not (parts.scheme == "https" or (parts.scheme == "http" and local)):
            raise self._astray()
        return parts

    def _joined(self, address: str, leads: str) -> str:
        try:
            return urljoin(address, leads)
        except ValueError as error:
            raise self._astray() from error

    def _astray(self) -> SubjectUnavailable:
        return SubjectUnavailable(f"the registry {self._called} leads to an address that is not followed")

    @contextmanager
    def _one(self, address: str, headers: Mapping[str, str], until: float, most: int) -> Iterator[Answer]:
        parts = urlsplit(address)
        host = parts.hostname or ""
        hop = None if _is_loopback(host) else self._upstream.hop(parts.scheme, host)
        pool: httpcore.ConnectionPool
        if hop is None:
            pool = httpcore.ConnectionPool(
                ssl_context=None if self._local else self._tls, network_backend=self._backend, retries=0
            )
        else:
            # The proxy looks the name up: what can be refused here is an address that stands there itself.
            refuse(host, local=False)
            login = [(b"Proxy-Authorization", f"Basic {hop.login}".encode())] if hop.login else None
            where = f"http://{hop.host}:{hop.port}"
            pool = httpcore.HTTPProxy(where, ssl_context=self._tls, proxy_headers=login, retries=0)
        wait = {
            "connect": self._patience.connect,
            "read": self._patience.silence,
            "write": self._patience.silence,
            "pool": self._patience.connect,
        }
        whole = {"Host": parts.netloc, "User-Agent": "argusic", "Accept-Encoding": "identity", **headers}
        sent = [
            (name.encode("latin-1", "replace"), value.encode("latin-1", "replace")) for name, value in whole.items()
        ]
        with ExitStack() as open_:
            with self._faults():
                open_.enter_context(pool)
                response = open_.enter_context(pool.stream("GET", address, headers=sent, extensions={"timeout": wait}))
                said = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
            yield Answer(response.status, said, self._bounded(response.iter_stream(), until, most))

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Turn what goes wrong on the way into words. What the caller does with the bytes is not among it."""
        try:
            yield
        except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError) as error:
            raise SubjectUnavailable(f"the registry {self._called} could not be asked: {_words(error)}") from error
        except (httpcore.ProxyError, httpcore.UnsupportedProtocol, OSError, ValueError) as error:
            raise SubjectUnavailable(f"there is no way to the registry {self._called}: {_words(error)}") from error

    def _bounded(self, pieces: Iterable[bytes], until: float, most: int) -> Iterator[bytes]:
        size, coming = 0, iter(pieces)
        while True:
            with self._faults():
                piece = next(coming, None)
            if piece is None:
                return
            size += len(piece)
            if size > most:
                raise TooMuch(f"the registry {self._called} sends more than the {most} bytes expected")
            if time.monotonic() > until:
                raise SubjectUnavailable(f"the registry {self._called} is too slow")
            yield piece


def refuse(address: str, *, local: bool) -> None:
    """Refuse an address that an image must not come from; a name is none.

    Raises:
        SubjectUnavailable: It is refused.
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return
    if local and parsed.is_loopback:
        return
    what = refusal(parsed)
    if what is not None:
        raise SubjectUnavailable(f"images do not come from {address}, which is {what}")


class _Guarded(httpcore.NetworkBackend):
    """Connects to an address that was checked, whatever a second look-up of its name would say."""

    def __init__(self, *, local: bool) -> None:
        self._local = local
        self._usual = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        found = [str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
        for address in found:
            refuse(address, local=self._local)
        failed: httpcore.NetworkError | httpcore.TimeoutException | None = None
        for address in dict.fromkeys(found):
            try:
                return self._usual.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.NetworkError, httpcore.TimeoutException) as error:
                failed = error
        raise failed or httpcore.ConnectError(f"{host} has no address")

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _words(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
