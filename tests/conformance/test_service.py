"""A service of the host's answers inside the sandbox that was given it, and nowhere else; nothing comes with it."""

from __future__ import annotations

import http.server
import os
import socket
import socketserver
import stat
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from argusic.sandbox.protocol import SERVICE_PORT, SERVICE_URL, Sandbox
from tests.sockets import a_socket

pytestmark = pytest.mark.sandbox
Start = Callable[..., Sandbox]

PIECES, PAUSE_SECONDS = 5, 0.3
BIG_BYTES = 30_000_000
#: Reads an answer in pieces and says, of each, how long after the first it came.
READ_PIECES = """
import sys, time, urllib.request
with urllib.request.urlopen(sys.argv[1]) as answer:
    begun = time.monotonic()
    while piece := answer.read1(1000):
        print(piece.decode(), round(time.monotonic() - begun, 2), flush=True)
"""
MANY = """
import concurrent.futures, sys, urllib.request
def ask(number):
    with urllib.request.urlopen(f"{sys.argv[1]}/echo", data=str(number).encode()) as answer:
        return answer.read() == str(number).encode()
with concurrent.futures.ThreadPoolExecutor(40) as pool:
    print(sum(pool.map(ask, range(400))))
"""


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers in pieces, at length, or with what it was sent."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        if self.path == "/pieces":
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for number in range(PIECES):
                self.wfile.write(b"7\r\npiece %d\r\n" % number)
                time.sleep(PAUSE_SECONDS)
            self.wfile.write(b"0\r\n\r\n")
        else:
            body = b"x" * (BIG_BYTES if self.path == "/big" else 5)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self) -> str:
        return "inside"

    def log_message(self, format: str, *args: object) -> None:
        pass


class UnixServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        pass  # A connection that was cut.


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Path]:
    """A server behind a unix socket that is open to nobody but its owner, in a folder likewise, with a long path."""
    folder = tmp_path / ("long" * 30)
    folder.mkdir(mode=0o700)
    here = os.open(folder, os.O_RDONLY)
    with UnixServer(f"/proc/self/fd/{here}/service", Handler) as server:
        (folder / "service").chmod(0o600)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield folder / "service"
        server.shutdown()
        thread.join()
    os.close(here)


def ask(box: Sandbox, path: str) -> bytes:
    return box.run(["curl", "-sS", "-m", "20", f"{SERVICE_URL}{path}"]).output


def test_a_service_answers_inside_with_or_without_a_network(start: Start, service: Path) -> None:
    for network in (True, False):
        assert ask(start(network=network, service=service), "/") == b"xxxxx"


def test_the_socket_stays_its_owners_alone(start: Start, service: Path) -> None:
    start(service=service)
    assert stat.S_IMODE(service.stat().st_mode) == 0o600
    assert stat.S_IMODE(service.parent.stat().st_mode) == 0o700


def test_another_sandbox_does_not_reach_it(start: Start, service: Path) -> None:
    given, other = start(service=service), start()
    assert ask(given, "/") == b"xxxxx"
    assert b"refused" in ask(other, "/").lower() or b"connect" in ask(other, "/").lower()
    for path in (service, f"@{service}"):
        reached = other.run(["curl", "-sS", "-m", "5", "--unix-socket", str(path), "http://service/"])
        assert reached.exit_status != 0


def test_nothing_else_of_the_host_becomes_reachable(start: Start, service: Path) -> None:
    box = start(service=service)
    with socket.create_server(("127.0.0.1", 0)) as elsewhere:
        port = elsewhere.getsockname()[1]
        for address in (f"127.0.0.1:{port}", f"localhost:{port}"):
            assert box.run(["curl", "-sS", "-m", "5", f"http://{address}/"]).exit_status != 0
        through = box.run(["curl", "-sS", "-m", "5", "-x", SERVICE_URL, f"http://127.0.0.1:{port}/", "--noproxy", ""])
        assert through.output == b"xxxxx"  # The service itself answered: it is no proxy.
    # Neither the socket nor its folder is there.
    assert box.run(["test", "-e", str(service.parent)]).exit_status != 0
    listening = box.run(["sh", "-c", "cat /proc/net/unix | grep -c service"])
    assert listening.output.strip() == b"0"


def test_the_host_does_not_answer_there_itself(start: Start, service: Path) -> None:
    start(service=service)
    with pytest.raises(OSError), socket.create_connection(("127.0.0.1", SERVICE_PORT), 1):
        pass


def test_a_streamed_answer_arrives_as_it_comes(start: Start, service: Path) -> None:
    box = start(service=service)
    said = box.run(["python3", "-c", READ_PIECES, f"{SERVICE_URL}/pieces"]).output.decode().splitlines()
    assert [line.rsplit(" ", 1)[0] for line in said] == [f"piece {number}" for number in range(PIECES)], said
    assert float(said[-1].rsplit(" ", 1)[1]) > PAUSE_SECONDS * (PIECES - 2)


def test_a_large_answer_arrives_whole(start: Start, service: Path) -> None:
    box = start(service=service)
    counted = box.run(["sh", "-c", f"curl -sS -m 60 {SERVICE_URL}/big | wc -c"])
    assert int(counted.output) == BIG_BYTES


def test_many_connections_are_served_and_cut_ones_do_no_harm(start: Start, service: Path) -> None:
    box = start(service=service)
    assert box.run(["python3", "-c", MANY, SERVICE_URL], timeout=120).output.strip() == b"400"
    for _ in range(5):
        box.run(["curl", "-sS", "-m", "0.1", f"{SERVICE_URL}/pieces"])
    assert ask(box, "/") == b"xxxxx"


def test_a_service_that_is_not_there_refuses_and_may_come_later(start: Start) -> None:
    path = a_socket()
    box = start(service=path)
    assert box.run(["curl", "-sS", "-m", "5", SERVICE_URL]).exit_status != 0
    with UnixServer(str(path), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        assert ask(box, "/") == b"xxxxx"
        server.shutdown()
        thread.join()


def test_it_is_gone_with_the_sandbox(start: Start, service: Path) -> None:
    before = threading.active_count()
    box = start(service=service)
    waiting = box.spawn(["curl", "-sS", f"{SERVICE_URL}/pieces"])
    time.sleep(PAUSE_SECONDS)
    box.destroy()
    waiting.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "service"]
    deadline = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert threading.active_count() <= before
