"""The way out, over real sockets; loopback stands in for the outside where the policy given allows it."""

from __future__ import annotations

import http.server
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from argusic.sandbox.addresses import refusal
from argusic.sandbox.connections import ConnectionLimits
from argusic.sandbox.proxy import Proxy
from argusic.sandbox.upstream import Upstream

Ask = Callable[[bytes], bytes]


def allow_loopback(address: str) -> str | None:
    return None if address == "127.0.0.1" else refusal(address)


@pytest.fixture
def open_proxy() -> Iterator[Callable[..., Ask]]:
    """A function that starts a proxy and returns another: sends bytes to it and returns all that comes back."""
    proxies: list[Proxy] = []

    def begin(
        refuse: Callable[[str], str | None] = allow_loopback,
        limits: ConnectionLimits | None = None,
        environment: dict[str, str] | None = None,
    ) -> Ask:
        listener = socket.create_server(("127.0.0.1", 0))
        address = listener.getsockname()
        proxies.append(Proxy(listener, refuse, Upstream(environment or {}), limits or ConnectionLimits()))
        proxies[-1].start()

        def ask(data: bytes) -> bytes:
            with socket.create_connection(address, 10) as connection:
                connection.sendall(data)
                parts = []
                while part := connection.recv(65536):
                    parts.append(part)
                return b"".join(parts)

        return ask

    yield begin
    for proxy in proxies:
        proxy.stop()


@pytest.fixture
def server() -> Iterator[tuple[int, list[str]]]:
    """A web server: its port, and the heads of the requests it has seen."""
    seen: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(f"{self.requestline}\n{self.headers}")
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"body of " + self.path.encode())

        def do_POST(self) -> None:
            seen.append(f"{self.requestline}\n{self.headers}")
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def do_CONNECT(self) -> None:
            seen.append(f"{self.requestline}\n{self.headers}")
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield running.server_address[1], seen
        running.shutdown()
        thread.join()


def test_a_plain_request_is_served(open_proxy: Callable[..., Ask], server: tuple[int, list[str]]) -> None:
    port, seen = server
    head = f"GET http://127.0.0.1:{port}/a?b=c HTTP/1.1\r\nHost: x\r\nProxy-Authorization: secret\r\n"
    answer = open_proxy()(f"{head}Connection: keep-alive\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.0 200 OK") and answer.endswith(b"body of /a?b=c")
    assert seen[0].startswith("GET /a?b=c HTTP/1.1\nHost: x\n")
    assert "Proxy" not in seen[0] and "Connection: close" in seen[0]


def test_a_large_body_passes(open_proxy: Callable[..., Ask], server: tuple[int, list[str]]) -> None:
    body = bytes(range(256)) * 20_000
    head = f"POST http://127.0.0.1:{server[0]}/ HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
    assert open_proxy()(head.encode() + body).endswith(body)


def test_a_tunnel_carries_both_ways(open_proxy: Callable[..., Ask], server: tuple[int, list[str]]) -> None:
    tunnel = f"CONNECT 127.0.0.1:{server[0]} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    answer = open_proxy()(tunnel + b"GET /inner HTTP/1.0\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.0 200 OK")
    assert answer.endswith(b"body of /inner")


@pytest.mark.parametrize(
    "target",
    [
        *("127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "0", "2130706433", "0x7f000001"),
        *("127.1", "0177.0.0.1", "169.254.169.254", "10.1.2.3", "[fd00:ec2::254]", "[64:ff9b::127.0.0.1]"),
    ],
)
def test_local_addresses_in_any_spelling_are_refused(
    open_proxy: Callable[..., Ask], server: tuple[int, list[str]], target: str
) -> None:
    ask = open_proxy(refusal)
    port, seen = server
    for request in (f"GET http://{target}:{port}/ HTTP/1.1", f"CONNECT {target}:{port} HTTP/1.1"):
        answer = ask(f"{request}\r\nHost: x\r\n\r\n".encode())
        assert answer.startswith((b"HTTP/1.1 403 ", b"HTTP/1.1 502 ")), answer
    assert seen == []


def test_a_refusal_says_what_the_address_is(open_proxy: Callable[..., Ask]) -> None:
    answer = open_proxy(refusal)(b"GET http://169.254.169.254/ HTTP/1.1\r\n\r\n")
    assert answer.endswith(b"169.254.169.254 is a link-local address, which cannot be reached from a sandbox.\n")


@pytest.mark.parametrize(
    "request_line",
    [
        *("GET / HTTP/1.1", "GET https://example.org/ HTTP/1.1", "CONNECT example.org HTTP/1.1", "nonsense"),
        *("CONNECT example.org:0 HTTP/1.1", "CONNECT example.org:99999 HTTP/1.1", "GET ftp://example.org/ HTTP/1.1"),
        *("GET http://[::1/ HTTP/1.1", "GET http:///x HTTP/1.1", "CONNECT a:1 HTTP/2", "\xff\xfe \xff x"),
    ],
)
def test_what_is_no_request_is_said_to_be_none(open_proxy: Callable[..., Ask], request_line: str) -> None:
    answer = open_proxy()(f"{request_line}\r\nHost: x\r\n\r\n".encode("latin-1"))
    assert answer.startswith(b"HTTP/1.1 400 ")


def test_a_head_without_end_is_refused(open_proxy: Callable[..., Ask]) -> None:
    assert open_proxy()(b"GET http://127.0.0.1/ HTTP/1.1\r\n" + b"X: y\r\n" * 20_000).startswith(b"HTTP/1.1 431 ")


def test_a_head_that_does_not_come_is_not_waited_for(open_proxy: Callable[..., Ask]) -> None:
    began = time.monotonic()
    assert open_proxy(limits=ConnectionLimits(head_seconds=0.2))(b"GET http://127.0.0.1/ HTTP/1.1\r\n") == b""
    assert time.monotonic() - began < 5


def test_a_silent_connection_is_cut(open_proxy: Callable[..., Ask]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        request = f"CONNECT 127.0.0.1:{silent.getsockname()[1]} HTTP/1.1\r\n\r\n".encode()
        began = time.monotonic()
        assert open_proxy(limits=ConnectionLimits(idle_seconds=0.3))(request).startswith(b"HTTP/1.1 200 ")
        assert time.monotonic() - began < 5


def test_connections_are_limited(open_proxy: Callable[..., Ask]) -> None:
    assert open_proxy(limits=ConnectionLimits(connections=0))(b"").startswith(b"HTTP/1.1 503 ")


def test_a_server_that_is_not_there_is_said_so(open_proxy: Callable[..., Ask]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    answer = open_proxy()(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 502 ") and b"cannot be reached" in answer


def test_a_host_behind_a_proxy_passes_requests_on(
    open_proxy: Callable[..., Ask], server: tuple[int, list[str]]
) -> None:
    port, seen = server
    login = {"HTTP_PROXY": f"http://us%40r:pass@127.0.0.1:{port}", "https_proxy": f"127.0.0.1:{port}"}
    ask = open_proxy(refusal, environment=login)
    answer = ask(b"GET http://198.51.100.7/x HTTP/1.1\r\nHost: y\r\n\r\n")
    assert answer.endswith(b"body of http://198.51.100.7/x")
    assert "Proxy-Authorization: Basic dXNAcjpwYXNz" in seen[0]
    assert ask(b"CONNECT 198.51.100.7:443 HTTP/1.1\r\nHost: y\r\n\r\n").startswith(b"HTTP/1.0 200")
    assert seen[1].startswith("CONNECT 198.51.100.7:443 HTTP/1.1\n")


@pytest.mark.parametrize("name", ["10.0.0.1", "localhost", "metadata", "metadata.google.internal", "printer.local"])
def test_a_host_behind_a_proxy_refuses_the_same(
    open_proxy: Callable[..., Ask], server: tuple[int, list[str]], name: str
) -> None:
    ask = open_proxy(refusal, environment={"http_proxy": f"http://127.0.0.1:{server[0]}"})
    assert ask(f"GET http://{name}/ HTTP/1.1\r\n\r\n".encode()).startswith((b"HTTP/1.1 403 ", b"HTTP/1.1 502 "))
    assert server[1] == []


def test_a_host_behind_a_proxy_passes_on_one_request_and_no_other_host_than_was_checked(
    open_proxy: Callable[..., Ask], server: tuple[int, list[str]]
) -> None:
    port, seen = server
    ask = open_proxy(refusal, environment=dict.fromkeys(("http_proxy", "https_proxy"), f"http://127.0.0.1:{port}"))
    second = b"GET http://169.254.169.254/ HTTP/1.1\r\nHost: x\r\n\r\n"
    ask(b"GET http://198.51.100.7/ HTTP/1.1\r\nHost: x\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n" + second)
    assert len(seen) == 1 and "Connection: close" in seen[0] and "Upgrade" not in seen[0]
    ask(b"GET http://10.0.0.1\\@198.51.100.7:81/x?y HTTP/1.1\r\nHost: x\r\n\r\n")
    assert seen[1].startswith("GET http://198.51.100.7:81/x?y HTTP/1.1\n")
    ask(b"CONNECT 10.0.0.1\\@198.51.100.7:443 HTTP/1.1\r\nHost: x\r\n\r\n")
    assert seen[2].startswith("CONNECT 198.51.100.7:443 HTTP/1.1\n")


@pytest.mark.parametrize("end", [b"\n", b"\r"])
def test_a_head_with_half_a_line_end_is_refused(open_proxy: Callable[..., Ask], end: bytes) -> None:
    hidden = b"X: y" + end + b"Upgrade: x"
    assert open_proxy()(b"GET http://127.0.0.1/ HTTP/1.1\r\n" + hidden + b"\r\n\r\n").startswith(b"HTTP/1.1 400 ")


def test_connections_beyond_the_limit_cost_no_open_files(limited: tuple[str, int]) -> None:
    flood = []
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(300):
        flood.append(socket.socket())
        flood[-1].setblocking(False)
        flood[-1].connect_ex(limited)
    most = 0
    deadline = time.monotonic() + 3
    while time.monotonic() < deadline:
        most = max(most, len(list(Path("/proc/self/fd").iterdir())) - before - len(flood))
        time.sleep(0.001)
    for one in flood:
        one.close()
    assert 0 < most <= 10


@pytest.fixture
def limited() -> Iterator[tuple[str, int]]:
    """The address of a proxy that serves eight connections."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    proxy = Proxy(listener, allow_loopback, Upstream({}), ConnectionLimits(connections=8))
    address: tuple[str, int] = listener.getsockname()
    proxy.start()
    yield address
    proxy.stop()


def test_an_answer_that_nobody_takes_is_dropped(open_proxy: Callable[..., Ask]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as flooding:
        listener = socket.create_server(("127.0.0.1", 0))
        address = listener.getsockname()
        proxy = Proxy(listener, allow_loopback, Upstream({}), ConnectionLimits(idle_seconds=0.5, flush_seconds=0.5))
        proxy.start()
        before = len(list(Path("/proc/self/fd").iterdir()))
        with socket.create_connection(address, 10) as unwilling:
            unwilling.sendall(f"CONNECT 127.0.0.1:{flooding.getsockname()[1]} HTTP/1.1\r\n\r\n".encode())
            far, _ = flooding.accept()
            with far, suppress(OSError):
                far.settimeout(1)
                far.sendall(bytes(50_000_000))
            deadline = time.monotonic() + 10
            while len(list(Path("/proc/self/fd").iterdir())) > before + 1 and time.monotonic() < deadline:
                time.sleep(0.05)
            assert len(list(Path("/proc/self/fd").iterdir())) <= before + 1
        proxy.stop()


def test_stopping_cuts_every_connection(open_proxy: Callable[..., Ask]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        listener = socket.create_server(("127.0.0.1", 0))
        address = listener.getsockname()
        proxy = Proxy(listener, allow_loopback, Upstream({}))
        proxy.start()
        with socket.create_connection(address, 10) as connection:
            connection.sendall(f"CONNECT 127.0.0.1:{silent.getsockname()[1]} HTTP/1.1\r\n\r\n".encode())
            assert connection.recv(100).startswith(b"HTTP/1.1 200 ")
            proxy.stop()
            assert connection.recv(100) == b""
        with pytest.raises(OSError), socket.create_connection(address, 1):
            pass
