"""Serves a built site on this machine, to this machine alone."""

from __future__ import annotations

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

#: The address it listens on: nothing outside the machine reaches it.
LOOPBACK = "127.0.0.1"


class _Handler(SimpleHTTPRequestHandler):
    extensions_map = {  # noqa: RUF012  (the base class declares it so)
        **SimpleHTTPRequestHandler.extensions_map,
        ".cast": "application/x-asciicast",
        ".log": "text/plain; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
    }

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: what was asked for stands in the browser."""


def server(folder: Path, port: int) -> ThreadingHTTPServer:
    """Return a server of `folder` on the loopback address; port 0 takes a free one.

    Raises:
        OSError: The port is taken.
    """
    return ThreadingHTTPServer((LOOPBACK, port), partial(_Handler, directory=str(folder)))
