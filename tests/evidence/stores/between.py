"""A server on the loopback that stands before another and lets go wrong what a test asks for."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal

_PIECE = 16 * 1024
_OURS = {"connection", "transfer-encoding", "content-length", "date", "server"}


@dataclass
class Fault:
    """What is to go wrong, and how often.

    `answer`: that status, with headers and body, in place of the other's answer. `refuse`: no answer. `cut`: half of
    the answer's body. `flip`: one bit of it is another. `stall`: after half of the request's body nothing happens.
    """

    kind: Literal["answer", "refuse", "cut", "flip", "stall"]
    method: str = "GET"
    path: str = ""
    times: int = 1
    status: int = 500
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    reached: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)


@dataclass
class Between:
    """The server. `faults` come in their order; `seen` are the requests that came by."""

    address: str
    faults: list[Fault] = field(default_factory=list)
    seen: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)

    def count(self, method: str, path: str = "") -> int:
        return sum(one == method and path in where for one, where, _ in self.seen)

    def _fault(self, method: str, path: str) -> Fault | None:
        for fault in self.faults:
            if fault.times > 0 and fault.method == method and fault.path in path:
                fault.times -= 1
                return fault
        return None


@contextmanager
def standing_before(host: str, port: int) -> Iterator[Between]:
    """Stand before the server at `host` and `port`."""
    with serving(lambda between: _handler(between, host, port)) as between:
        yield between


@contextmanager
def serving(handler: Callable[[Between], type[BaseHTTPRequestHandler]]) -> Iterator[Between]:
    """Serve on a free port of the loopback."""
    between = Between("")
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(between))
    server.daemon_threads = True
    between.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield between
    finally:
        for fault in between.faults:
            fault.over.set()
        server.shutdown()
        server.server_close()
        thread.join(10)


def _handler(between: Between, host: str, port: int) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # With it comes the answer to `Expect: 100-continue`.

        def _any(self) -> None:
            between.seen.append((self.command, self.path, {k.lower(): v for k, v in self.headers.items()}))
            fault = between._fault(self.command, self.path)
            length = int(self.headers.get("content-length") or 0)
            if fault is not None and fault.kind in ("refuse", "stall"):
                self.rfile.read(length // 2)
                fault.reached.set()
                if fault.kind == "stall":
                    fault.over.wait(60)
                self.close_connection = True
                return
            body = self.rfile.read(length)
            if fault is not None and fault.kind == "answer":
                self._answer(fault.status, [*fault.headers.items()], fault.body)
                return
            there = http.client.HTTPConnection(host, port, timeout=60)
            try:
                there.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    if name.lower() not in ("connection", "expect"):
                        there.putheader(name, value)
                there.endheaders(body)
                answer = there.getresponse()
                data = answer.read()
            finally:
                there.close()
            if fault is not None and fault.kind == "flip":
                data = bytes([data[0] ^ 1]) + data[1:]
            self._answer(answer.status, answer.getheaders(), data, cut=fault is not None and fault.kind == "cut")

        do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = do_PATCH = _any

        def _answer(self, status: int, headers: list[tuple[str, str]], body: bytes, *, cut: bool = False) -> None:
            self.send_response(status)
            for name, value in headers:
                if name.lower() not in _OURS:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Connection", "close")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body[: len(body) // 2] if cut else body)
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    return Handler
