"""The HTTP client that `huggingface_hub` is given: each request and answer of a hub is bounded, and ends what it must.

A hub is a stranger's server. It may stall, cut off, send without end, or lead elsewhere. None of that is left to the
library's own retries, which may go on for minutes: asking again is the caller's.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from typing import Any

import httpx2

from argusic.sandbox.addresses import refusal

_AWAY = (408, 425, 429, 500, 502, 503, 504)
_REDIRECTS = 5


class Away(Exception):
    """The hub cannot be reached just now, or broke off."""


class TooMuch(Exception):
    """The hub sends more than was asked for."""


class Elsewhere(Exception):
    """The hub leads to what is not to be followed."""


class Allowance:
    """How many bytes may still come, and how often a broken answer may still be taken up again."""

    def __init__(self) -> None:
        self._bytes = 0
        self._breaks = 0

    def renew(self, most: int, breaks: int = 2) -> None:
        """Allow `most` bytes from now on, and `breaks` broken answers."""
        self._bytes, self._breaks = most, breaks

    def take(self, size: int) -> None:
        """Note bytes that came.

        Raises:
            TooMuch: They are more than was allowed.
        """
        self._bytes -= size
        if self._bytes < 0:
            raise TooMuch

    def broken(self) -> bool:
        """Note a broken answer, and return whether it may be taken up again."""
        self._breaks -= 1
        return self._breaks >= 0


class _Counted(httpx2.SyncByteStream):
    """The body of an answer: counted, and not slower than a stall."""

    def __init__(self, stream: Any, allowance: Allowance, seconds: float) -> None:
        self._stream = stream
        self._allowance = allowance
        self._seconds = seconds

    def __iter__(self) -> Iterator[bytes]:
        before, since = time.monotonic(), 0
        try:
            for piece in self._stream:
                self._allowance.take(len(piece))
                since += len(piece)
                now = time.monotonic()
                if now - before > self._seconds:
                    if since < 1000 * self._seconds:
                        raise Away(f"only {since} bytes came within {now - before:.0f} seconds")
                    before, since = now, 0
                yield piece
        except httpx2.TransportError as error:
            if self._allowance.broken():
                raise
            raise Away(f"the answer broke off: {_words(error)}") from error

    def close(self) -> None:
        self._stream.close()


class BoundedClient(httpx2.Client):
    """A client that goes to the hub, and over HTTPS to where the hub leads, and nowhere else.

    A hub of the world's leads to no address of this machine's neighbourhood; one of the neighbourhood may.

    Args:
        endpoint: The hub's address.
        allowance: What may come.
        seconds: How long it waits for a connection or the next bytes.
    """

    def __init__(self, endpoint: str, allowance: Allowance, seconds: float) -> None:
        self._hub = httpx2.URL(endpoint)
        self._allowance = allowance
        self._seconds = seconds
        super().__init__(
            event_hooks={"request": [self._leaving], "response": [self._coming]},
            follow_redirects=True,
            max_redirects=_REDIRECTS,
        )

    def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request. What `huggingface_hub` would try again for minutes ends here."""
        try:
            return super().send(request, **options)
        except httpx2.TooManyRedirects as error:
            raise Elsewhere(f"it leads onwards more than {_REDIRECTS} times") from error
        except (httpx2.TransportError, httpx2.DecodingError) as error:
            raise Away(_words(error)) from error

    def _leaving(self, request: httpx2.Request) -> None:
        home = request.url.scheme in ("http", "https") and request.url.netloc == self._hub.netloc
        if request.url.scheme != "https" and not (home and request.url.scheme == self._hub.scheme):
            raise Elsewhere("it leads to an address that is neither its own nor under HTTPS")
        if not home and (what := _refused(request.url.host)) is not None and _refused(self._hub.host) is None:
            raise Elsewhere(f"it leads to {request.url.host}, which is {what}")
        limits = dict.fromkeys(("connect", "read", "write", "pool"), self._seconds)
        request.extensions = {**request.extensions, "timeout": limits}
        # What is packed would be counted packed, and unpack to any size.
        request.headers["Accept-Encoding"] = "identity"

    def _coming(self, response: httpx2.Response) -> None:
        if response.status_code in _AWAY:
            raise Away(f"it answers {response.status_code}")
        if response.headers.get("Content-Encoding", "identity").lower() not in ("", "identity"):
            raise Elsewhere("it sends packed content, which was not asked for")
        response.stream = _Counted(response.stream, self._allowance, self._seconds)


def _refused(host: str) -> str | None:
    """Return what is wrong with where a host is; None where nothing is, or where only a proxy knows where it is."""
    try:
        found = socket.getaddrinfo(host.strip("[]"), None, type=socket.SOCK_STREAM)
    except (OSError, ValueError):
        return None
    return next((what for entry in found if (what := refusal(str(entry[4][0]))) is not None), None)


def _words(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
