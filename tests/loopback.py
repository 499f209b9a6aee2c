"""A server of the tests' own on the loopback: it answers from a thread while it is entered, and is gone after that."""

from __future__ import annotations

import threading
from http.server import ThreadingHTTPServer
from types import TracebackType
from typing import Self


class OnLoopback:
    """A server with an address.

    Args:
        server: What is served, bound by now.
    """

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self._server = server
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)
