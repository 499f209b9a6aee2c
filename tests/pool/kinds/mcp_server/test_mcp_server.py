"""The kind `mcp-server`: how one is named, pinned and proved, and where what goes wrong ends."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from argusic.errors import InputError
from argusic.pool.kinds.mcp_server import CLIENT, KIND, McpServerKind
from argusic.pool.kinds.protocol import PinMismatch, SubjectUnavailable
from argusic.pool.kinds.registry import recognise
from argusic.records.sources.mcp_server import Pin, Source, Transport
from argusic.records.sources.package import Ecosystem
from argusic.records.subject import Subject
from tests.pool.conftest import Index, Said, node_package, wheel

AT_ONCE = McpServerKind(pauses=())


def server(name: str = "birds", ecosystem: Ecosystem = "pypi", transport: Transport = "stdio") -> Subject:
    source = Source(ecosystem=ecosystem, name=name, transport=transport)
    return Subject(kind="mcp-server", slug=name, name=name, source=source)


def pin(sha256: str = "0" * 64, file: str = "birds-1.0-py3-none-any.whl") -> Pin:
    return Pin(version="1.0", file=file, sha256=sha256)


@pytest.mark.parametrize(
    "target",
    ["mcp:birds", "mcp:birds==1.0", "mcp:npm:@flock/birds", "mcp:npm:birds@1.0", "mcp+sse:birds", "mcp+stdio:birds"],
)
def test_a_server_is_named_by_a_word_before_its_package(target: str) -> None:
    assert recognise(target).kind == "mcp-server"


@pytest.mark.parametrize(
    "target", ["birds", "mcp:", "mcp:../x", "mcp+http:birds", "mcp:mcp:birds", "mcp:a b", "mcp:-x"]
)
def test_anything_else_is_no_server(target: str) -> None:
    assert not KIND.recognises(target)
    with pytest.raises(InputError, match=r"Write mcp:NAME|is no server"):
        KIND.resolve(target, None)  # type: ignore[arg-type]  # It is refused before anything is used.


def test_a_server_is_pinned_by_the_file_that_its_client_picks_and_handed_in_as_it_is(
    workshop: Said, index: Index
) -> None:
    file, content = wheel("birds", "1.0", summary="Serves birds.")
    sha256 = index.add("birds", file, content)
    found = KIND.resolve("mcp+streamable-http:birds", workshop.workshop)
    assert found.source == Source(ecosystem="pypi", name="birds", transport="streamable-http")
    assert found.pin == pin(sha256) and found.summary == "Serves birds."
    cached = KIND.fetch(server(), found.pin, workshop.workshop)
    folder = workshop.workshop.cache / "handed"
    folder.mkdir()
    KIND.hand_in(server(), found.pin, cached, folder)
    assert (folder / file).read_bytes() == content
    with pytest.raises(PinMismatch, match="sha256"):
        KIND.hand_in(server(), pin(), cached, folder)


def test_another_digest_than_the_pinned_one_stops_it_and_nothing_is_kept(workshop: Said, index: Index) -> None:
    index.add("birds", *wheel("birds", "1.0"))
    with pytest.raises(PinMismatch, match=r"0{64} was pinned"):
        AT_ONCE.fetch(server(), pin(), workshop.workshop)
    assert not list((workshop.workshop.cache / "packages").glob("[!.]*"))


def test_a_pin_of_npm_without_an_integrity_stops_it_before_anything_is_asked(workshop: Said, index: Index) -> None:
    with pytest.raises(PinMismatch, match="lacks the integrity"):
        AT_ONCE.fetch(server(ecosystem="npm"), pin(file="birds-1.0.tgz"), workshop.workshop)
    assert index.asked == [] and workshop.opened == []


@pytest.mark.node
@pytest.mark.endurance
def test_an_archive_of_npm_that_is_another_than_the_pinned_one_stops_it(workshop: Said, index: Index) -> None:
    index.publish("birds", "1.0.0", node_package("birds", "1.0.0"))
    pinned = Pin(version="1.0.0", file="birds-1.0.0.tgz", sha256="0" * 64, integrity=f"sha512-{'A' * 86}==")
    with pytest.raises(PinMismatch, match=r"0{64} was pinned"):
        AT_ONCE.fetch(server(ecosystem="npm"), pinned, workshop.workshop)


@pytest.mark.endurance
@pytest.mark.parametrize("trouble", ["refuses", "fails", "ends in the middle"])
def test_a_registry_in_trouble_makes_the_server_unavailable(trouble: str, workshop: Said, index: Index) -> None:
    sha256 = index.add("birds", *wheel("birds", "1.0"))
    index.status = 503
    with registry(answers=trouble == "ends in the middle") as port:
        if trouble != "fails":
            index.url = f"http://127.0.0.1:{port}/simple/"
        with pytest.raises(SubjectUnavailable):
            AT_ONCE.fetch(server(), pin(sha256), workshop.workshop)


def test_the_mission_names_file_client_and_transport_and_what_counts() -> None:
    said = KIND.task(server(transport="streamable-http"), pin())
    for told in ("birds 1.0, an MCP server", "birds-1.0-py3-none-any.whl", CLIENT, "(streamable-http)", "pip list"):
        assert told in said
    assert "stdio" in KIND.task(server(), pin())
    assert KIND.variables(server(), pin()) == {}


@contextmanager
def registry(*, answers: bool) -> Iterator[int]:
    """A registry that ends in the middle of what it answers, or refuses connections."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        if answers:
            listening.listen()
            threading.Thread(target=_serve, args=(listening,), daemon=True).start()
        yield int(listening.getsockname()[1])
        with suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)


def _serve(listening: socket.socket) -> None:
    with suppress(OSError):
        while True:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9000\r\n\r\n<html>")
