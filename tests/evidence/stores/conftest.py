"""Each store that others reach, with a real server of its own on the loopback where it has one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from moto.server import ThreadedMotoServer

from tests.evidence.stores.places import Place, a_bucket, a_repository, set_credentials, some_releases


@pytest.fixture(scope="session")
def moto() -> Iterator[str]:
    """Return the address of a server with the interface of S3."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    set_credentials(monkeypatch)


@pytest.fixture
def bucket(moto: str, credentials: None) -> Iterator[Place]:
    with a_bucket(moto) as place:
        yield place


@pytest.fixture
def releases(tmp_path: Path, credentials: None) -> Iterator[Place]:
    with some_releases(tmp_path) as place:
        yield place


@pytest.fixture
def repository(tmp_path: Path) -> Place:
    return a_repository(tmp_path)


@pytest.fixture(params=["bucket", "releases", "repository"])
def place(request: pytest.FixtureRequest) -> Place:
    return request.getfixturevalue(request.param)  # type: ignore[no-any-return]
