"""The stores under test, each with its real server on the loopback if it has one, and what a test needs to spoil it."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import boto3
import pytest

from argusic.database.database import Database
from argusic.evidence.store import FolderStore
from argusic.evidence.stores.bucket import Bucket
from argusic.evidence.stores.committed import CommittedPacks
from argusic.evidence.stores.elsewhere import Elsewhere, Here
from argusic.evidence.stores.github_assets import GitHubAssets
from argusic.evidence.stores.patience import Patience
from argusic.evidence.stores.releases import Releases
from argusic.records.evidence_home import BucketHome, ReleasesHome, RepositoryHome
from tests.evidence.stores.between import Between, standing_before
from tests.github_server import TOKEN, GitHubServer
from tests.github_server.state import Hub

_NUMBERS = itertools.count(1)


@dataclass
class Place:
    """A store elsewhere under test.

    `make` gives a new client; `between` stands before the server; `sending` and `reading` name the requests that carry
    content there and back, where there is a server; `home` is what `rules/evidence.yaml` says; `raw` is what really
    lies there.
    """

    kind: str
    make: Callable[..., Elsewhere]
    between: Between
    sending: tuple[str, str]
    reading: tuple[str, str]
    home: dict[str, Any]
    raw: Callable[[], list[bytes]]
    slept: list[float] = field(default_factory=list)
    hub: Hub | None = None
    s3: Any = None


def patience(slept: list[float]) -> Patience:
    """Return one that does not wait."""
    return Patience(sleep=slept.append)


def here(folder: Path, *contents: bytes) -> list[Here]:
    """Put contents into a folder's store and return them as files to be sent."""
    store = FolderStore(folder)
    kept = [store.keep([content]) for content in contents]
    return [Here(one.sha256, one.size, store.path(one.sha256)) for one in kept]


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def fetched(place: Elsewhere, *wanted: str) -> dict[str, bytes]:
    """Return what a store hands over."""
    got: dict[str, bytes] = {}
    place.fetch(wanted, lambda sha256, content: got.__setitem__(sha256, b"".join(content)))
    return got


def set_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give this process the credentials of the tests and hide whatever else it has."""
    for name, value in {
        "AWS_ACCESS_KEY_ID": "a-key",
        "AWS_SECRET_ACCESS_KEY": "a-secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
        "GH_TOKEN": TOKEN,
        "NO_PROXY": "127.0.0.1,localhost",
    }.items():
        monkeypatch.setenv(name, value)
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "GITHUB_TOKEN", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"):
        monkeypatch.delenv(name, raising=False)


def a_repository(folder: Path) -> Place:
    """Give a new repository that keeps its evidence itself."""
    root = folder / "repository"
    for name in ("pool", "rules", "runs"):
        (root / name).mkdir(parents=True)

    def make(**limits: int) -> CommittedPacks:
        return CommittedPacks(Database(root), RepositoryHome(**limits))

    def raw() -> list[bytes]:
        return [path.read_bytes() for path in root.glob("runs/*/packs/*")]

    return Place("repository", make, Between(""), ("", ""), ("", ""), {"repository": {}}, raw)


@contextmanager
def a_bucket(moto: str) -> Iterator[Place]:
    """Give a new bucket."""
    name = f"evidence-{next(_NUMBERS)}"
    server = urlsplit(moto)
    s3 = boto3.client("s3", endpoint_url=moto)
    s3.create_bucket(Bucket=name)
    slept: list[float] = []

    def raw() -> list[bytes]:
        listed = s3.list_objects_v2(Bucket=name).get("Contents", ())
        return [s3.get_object(Bucket=name, Key=one["Key"])["Body"].read() for one in listed]

    try:
        with standing_before(server.hostname or "", server.port or 0) as between:
            home = {"name": name, "endpoint": between.address, "prefix": "a/b/"}
            yield Place(
                "bucket",
                lambda **_: Bucket(BucketHome.model_validate(home), patience(slept)),
                between,
                ("PUT", name),
                ("GET", "/a/b/"),
                {"bucket": home},
                raw,
                slept,
                s3=s3,
            )
    finally:
        s3.close()


@contextmanager
def some_releases(folder: Path) -> Iterator[Place]:
    """Give a new repository with releases."""
    slept: list[float] = []
    with ExitStack() as stack:
        server = stack.enter_context(GitHubServer(repository="ada/evidence"))
        hub, url = server.hub, urlsplit(server.url)
        between = stack.enter_context(standing_before(url.hostname or "", url.port or 0))
        home = {"repository": "ada/evidence", "api": between.address}

        def make(*, token: str | None = TOKEN, **limits: int) -> Releases:
            environment = {"GH_TOKEN": token} if token else {}
            assets = GitHubAssets(ReleasesHome.model_validate(home), patience(slept), environment)
            number = next(_NUMBERS)
            return Releases(assets, folder / f"known-{number}", folder / "scratch", patience(slept), **limits)

        yield Place(
            "releases",
            make,
            between,
            ("POST", "/assets"),
            ("GET", "/content/"),
            {"releases": home},
            lambda: list(hub.content.values()),
            slept,
            hub=hub,
        )
