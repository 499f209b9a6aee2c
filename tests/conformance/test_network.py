"""Nothing comes in; nothing local is reached; the outside is, where the specification asks for it."""

from __future__ import annotations

import http.server
import socket
import threading
import time
from collections.abc import Callable, Iterator

import psutil
import pytest

from argusic.sandbox.protocol import Sandbox

pytestmark = pytest.mark.sandbox
Start = Callable[..., Sandbox]

LISTEN = "import socket, sys, time; s = socket.create_server(('', int(sys.argv[1]))); time.sleep(60)"
CONNECT = "import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), 3)"


@pytest.fixture
def host_port() -> Iterator[tuple[int, list[str]]]:
    """A server on every address of the host: its port, and the requests that it has seen."""
    seen: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1], seen
        server.shutdown()
        thread.join()


def own_addresses() -> list[str]:
    entries = [entry for entries in psutil.net_if_addrs().values() for entry in entries]
    return sorted({entry.address for entry in entries if entry.family == socket.AF_INET})


@pytest.fixture
def free_port() -> int:
    """A port that nothing on the host listens on."""
    with socket.create_server(("", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


def test_a_listener_inside_is_not_reachable_from_the_host(box: Sandbox, free_port: int) -> None:
    process = box.spawn(["python3", "-c", LISTEN, str(free_port)])
    time.sleep(0.5)
    assert box.run(["python3", "-c", CONNECT, "127.0.0.1", str(free_port)]).exit_status == 0
    for address in own_addresses():
        with pytest.raises(OSError), socket.create_connection((address, free_port), 1):
            pass
    process.kill()
    process.close()


def test_the_host_is_not_reached_directly(box: Sandbox, host_port: tuple[int, list[str]]) -> None:
    port, seen = host_port
    for address in own_addresses():
        assert box.run(["python3", "-c", CONNECT, address, str(port)]).exit_status != 0
    assert seen == []


def test_the_host_is_not_reached_through_the_way_out(box: Sandbox, host_port: tuple[int, list[str]]) -> None:
    port, seen = host_port
    names = [*own_addresses(), "localhost", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0177.1", "127.1"]
    for name in names:
        asked = box.run(["curl", "-sS", "--noproxy", "", "-m", "10", "-w", "%{http_code}", f"http://{name}:{port}/x"])
        assert not asked.output.endswith(b"200"), name
        tunnel = ["curl", "-sS", "--noproxy", "", "-m", "10", "-p", f"http://{name}:{port}/x"]
        assert box.run(tunnel).exit_status != 0, name
    assert seen == []


@pytest.mark.parametrize(
    "address", ["169.254.169.254", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.100.100.200", "[fd00:ec2::254]"]
)
def test_private_addresses_are_refused_with_a_sentence(box: Sandbox, address: str) -> None:
    asked = box.run(["curl", "-sS", "-i", "-m", "10", f"http://{address}/latest/meta-data/"])
    assert asked.output.startswith(b"HTTP/1.1 403 ") and b"cannot be reached from a sandbox" in asked.output
    assert b"403" in box.run(["curl", "-sS", "-m", "10", f"https://{address}/"]).output


def test_a_sibling_is_not_reached(start: Start, free_port: int) -> None:
    one, other = start(), start()
    process = one.spawn(["python3", "-c", LISTEN, str(free_port)])
    time.sleep(0.5)
    for address in ("127.0.0.1", *own_addresses()):
        assert other.run(["python3", "-c", CONNECT, address, str(free_port)]).exit_status != 0
    process.kill()
    process.close()


def test_a_sandbox_without_a_network_has_no_way_out(start: Start) -> None:
    box = start(network=False)
    assert box.facts.network == "none"
    assert box.run(["sh", "-c", "env | grep -i proxy"]).exit_status == 1
    assert box.run(["python3", "-c", CONNECT, "127.0.0.1", "61184"]).exit_status != 0
    assert box.run(["curl", "-sS", "-m", "5", "http://198.51.100.1/"]).exit_status != 0


def answer(box: Sandbox, address: str) -> bytes:
    """Return what a server inside answers, which may not listen yet."""
    deadline = time.monotonic() + 20
    while True:
        asked = box.run(["curl", "-sS", "-m", "5", address])
        if asked.exit_status == 0 or time.monotonic() > deadline:
            return asked.output
        time.sleep(0.1)


def test_loopback_inside_works(start: Start) -> None:
    for box in (start(), start(network=False)):
        server = box.spawn(["python3", "-m", "http.server", "8000"])
        for name in ("127.0.0.1", "localhost"):
            assert b"Directory listing" in answer(box, f"http://{name}:8000/")
        server.kill()
        server.close()


@pytest.mark.network
def test_a_package_can_be_installed(box: Sandbox) -> None:
    script = "python3 -m venv v && v/bin/pip install -q tinydb && v/bin/python -c 'import tinydb; print(tinydb)'"
    installed = box.run(["bash", "-c", script], timeout=180)
    assert b"module 'tinydb'" in installed.output, installed.output


@pytest.mark.network
def test_a_node_package_can_be_installed(box: Sandbox) -> None:
    if box.run(["sh", "-c", "command -v npm"]).exit_status != 0:
        pytest.skip("there is no npm inside")
    installed = box.run(["sh", "-c", "npm install -g is-odd && ls ~/.local/lib/node_modules"], timeout=180)
    assert installed.output.endswith(b"is-odd\n"), installed.output
