"""A hub is asked by its own client, bounded and quiet, and what it gives is proved. Every fault has its class."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import psutil
import pytest

from argusic.errors import InputError
from argusic.pool.hub.answers import read_found
from argusic.pool.hub.bounded import Allowance, BoundedClient, Elsewhere
from argusic.pool.hub.client import Bounds, Hub, Locked
from argusic.pool.hub.snapshots import fetched_files, lay_files, pinned_snapshot
from argusic.pool.kinds.protocol import PinMismatch, SubjectUnavailable, Workshop
from argusic.records.hub import HubFile
from tests.hub_server import Fault, HubServer
from tests.hub_server.state import LARGE, sha256_of

BOUNDS = Bounds(stall=0.7, look=20, fetch=20)
BIG = bytes(range(256)) * (LARGE // 256 + 1)
FILES = {"README.md": b"# Tiny\n", "weights/model.bin": BIG}
PINNED = tuple(HubFile(path=path, size=len(data), sha256=sha256_of(data)) for path, data in sorted(FILES.items()))


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with HubServer() as server:
        yield server


def workshop(folder: Path, server: HubServer, **more: str) -> Workshop:
    def none() -> None:
        raise AssertionError("a hub needs no sandbox")

    return Workshop(folder, none, lambda _: None, {"HF_ENDPOINT": server.url, **more})  # type: ignore[arg-type]


def test_a_repository_is_looked_up_and_fetched_quietly(hub: HubServer, tmp_path: Path) -> None:
    first = hub.add("model", "ada/tiny", FILES, card={"license": "mit"})
    shop = workshop(tmp_path, hub, HF_HUB_CACHE=str(tmp_path / "theirs"), HF_HUB_OFFLINE="1")
    asked = Hub(shop.environment, BOUNDS)
    found = asked.look_up("model", "ada/tiny")
    assert (found.name, found.revision, found.licence, found.gated) == ("ada/tiny", first, "mit", False)
    assert [(file.path, file.size) for file in found.files] == [(f.path, f.size) for f in PINNED]
    assert [file.sha256 for file in found.files] == [None, PINNED[1].sha256]

    assert fetched_files(asked, "model", found.name, first, found.files, shop) == PINNED
    # What is in the cache is proved there: no hub is needed for it, whatever is newer.
    hub.faults = [Fault(".")]
    folder = pinned_snapshot(asked, "model", "ada/tiny", first, PINNED, shop, ())
    assert {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()} == set(FILES)

    assert _routes(hub) == {
        "GET /api/models/ada/tiny",
        f"GET /api/models/ada/tiny/tree/{first}",
        *_of("/ada/tiny", first),
    }
    assert not hub.tokens_seen
    assert not (tmp_path / "theirs").exists()


def test_a_space_is_fetched_at_its_revision_though_there_is_a_newer_one(hub: HubServer, tmp_path: Path) -> None:
    first = hub.add("space", "ada/room", FILES)
    hub.add("space", "ada/room", {"README.md": b"# Newer\n"})
    shop = workshop(tmp_path, hub)
    folder = pinned_snapshot(Hub(shop.environment, BOUNDS), "space", "ada/room", first, PINNED, shop, ())
    assert (folder / "README.md").read_bytes() == b"# Tiny\n"
    assert _routes(hub) == _of("/spaces/ada/room", first)


def _routes(hub: HubServer) -> set[str]:
    return {line.split("?")[0] for line in hub.asked}


def _of(front: str, revision: str) -> set[str]:
    return {f"{how} {front}/resolve/{revision}/{path}" for how in ("HEAD", "GET") for path in FILES}


def test_each_fault_of_a_hub_ends_in_its_own_class_and_nothing_is_kept(hub: HubServer, tmp_path: Path) -> None:
    cases: dict[str, tuple[Fault, type[Exception], str]] = {
        "down": (Fault("/down/"), SubjectUnavailable, "it answers 503"),
        "stall": (Fault("GET /ada/stall/resolve", "stall"), SubjectUnavailable, "timed out"),
        "cut": (Fault("GET /ada/cut/.*bin", "cut"), SubjectUnavailable, "broke off"),
        "wrong": (Fault("GET /ada/wrong/.*bin", "wrong"), PinMismatch, "was pinned"),
        "more": (Fault("GET /ada/more/.*bin", "more"), PinMismatch, "more bytes than it said"),
        "another": (Fault("/ada/another/resolve", "another"), PinMismatch, "was pinned"),
        "onwards": (
            Fault("GET /ada/onwards/.*bin", "onwards", location="http://169.254.0.1/"),
            SubjectUnavailable,
            "neither its own nor under HTTPS",
        ),
        "closed": (Fault("/ada/closed/resolve", "status", status=403), SubjectUnavailable, "was not let in"),
        "gone": (Fault("never"), SubjectUnavailable, "the hub has no ada/gone"),
        "larger": (Fault("never"), PinMismatch, "but 7 were pinned"),
    }
    revisions = {name: hub.add("model", f"ada/{name}", FILES) for name in cases}
    hub.repositories.pop(("model", "ada/gone"))
    hub.repositories["model", "ada/larger"].revisions[revisions["larger"]]["README.md"] = b"# Larger\n"
    hub.faults = [fault for fault, _, _ in cases.values()]
    shop = workshop(tmp_path, hub)

    def ends(name: str) -> Exception | None:
        # Repositories with the same files are one entry of the cache: each has a file of its own name here.
        own = PINNED if name != "larger" else (PINNED[0],)
        try:
            pinned_snapshot(
                Hub(shop.environment, BOUNDS), "model", f"ada/{name}", revisions[name], own,
                Workshop(tmp_path / name, shop.sandbox, shop.progress, shop.environment), (),
            )  # fmt: skip
        except (PinMismatch, SubjectUnavailable) as error:
            return error
        return None

    with ThreadPoolExecutor(6) as pool:
        ended = dict(zip(cases, pool.map(ends, cases), strict=True))
    for name, (_, kind, says) in cases.items():
        assert type(ended[name]) is kind and says in str(ended[name]), (name, ended[name])
        assert "127.0.0.1" not in str(ended[name])
        kept = [path for path in (tmp_path / name / "hub").iterdir() if path.name != ".locks"]
        assert kept == [], name


@pytest.mark.endurance
def test_what_breaks_off_once_is_taken_up_again_where_it_broke_off(hub: HubServer, tmp_path: Path) -> None:
    revision = hub.add("model", "ada/tiny", FILES)
    hub.faults = [Fault("GET .*bin", "cut", times=1)]
    shop = workshop(tmp_path, hub)
    folder = pinned_snapshot(Hub(shop.environment, BOUNDS), "model", "ada/tiny", revision, PINNED, shop, ())
    assert (folder / "weights/model.bin").read_bytes() == BIG


def test_a_hub_that_refuses_connections_is_unavailable(tmp_path: Path) -> None:
    with HubServer() as server:
        shop = workshop(tmp_path, server)
    with pytest.raises(SubjectUnavailable, match="refused"):
        pinned_snapshot(Hub(shop.environment, BOUNDS), "model", "ada/tiny", "0" * 40, PINNED, shop, ())


@pytest.mark.endurance
def test_a_token_opens_what_is_gated_and_travels_only_where_nobody_reads_along(hub: HubServer, tmp_path: Path) -> None:
    hub.add("model", "ada/tiny", FILES)
    hub.repositories["model", "ada/tiny"].gated = True
    hub.tokens = {"hf_secret"}
    found = Hub({"HF_ENDPOINT": hub.url, "HF_TOKEN": "hf_secret"}, BOUNDS).look_up("model", "ada/tiny")
    assert found.gated and hub.tokens_seen == {"hf_secret"}
    # Beyond the loopback it goes over HTTPS alone.
    hub.tokens_seen.clear()
    named = hub.url.replace("127.0.0.1", "localhost.")
    with pytest.raises((Locked, SubjectUnavailable)):
        Hub({"HF_ENDPOINT": named, "HF_TOKEN": "hf_secret"}, BOUNDS).look_up("model", "ada/tiny")
    assert not hub.tokens_seen


def test_what_a_hub_lists_is_not_trusted() -> None:
    def listed(*paths: object) -> dict[str, object]:
        files = [path if isinstance(path, dict) else {"path": path, "size": 1, "sha256": None} for path in paths]
        return {"name": "ada/tiny", "revision": "a" * 40, "files": files}

    assert read_found(listed("b", "a/b"), "a" * 40).files[0].path == "a/b"
    for path in ("../out", "/etc/passwd", "a/../../b", "a//b", ".git/config", "a\\b", "nul\0", "a" * 600, "ab:c", 7):
        with pytest.raises((InputError, SubjectUnavailable)):
            read_found(listed(path), None)
    for wrong in ({"path": "a", "size": -1, "sha256": None}, {"path": "a", "size": 1, "sha256": "../x"}, {"size": 1}):
        with pytest.raises(SubjectUnavailable, match="cannot be read"):
            read_found(listed(wrong), None)
    with pytest.raises(InputError, match="more than 2000 files"):
        read_found(listed(*map(str, range(2001))), None)
    with pytest.raises(PinMismatch):
        read_found(listed("a"), "b" * 40)
    with pytest.raises(SubjectUnavailable, match="full id"):
        read_found({**listed("a"), "revision": "../main"}, None)
    with pytest.raises(InputError):
        read_found({**listed("a"), "name": "../../ada"}, None)


@pytest.mark.endurance
def test_a_hub_that_talks_nonsense_is_unavailable(hub: HubServer) -> None:
    hub.add("model", "ada/tiny", FILES)
    hub.faults = [Fault("tree", "nonsense")]
    with pytest.raises(SubjectUnavailable, match="cannot be read"):
        Hub({"HF_ENDPOINT": hub.url}, BOUNDS).look_up("model", "ada/tiny")


def test_an_endpoint_that_is_no_address_is_refused() -> None:
    for address in ("ftp://hub", "https://user:word@hub", "https://hub/a b", "file:///etc"):
        with pytest.raises(InputError, match="HF_ENDPOINT"):
            Hub({"HF_ENDPOINT": address}).look_up("model", "ada/tiny")


def test_a_link_in_the_cache_is_never_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"# Tiny\n")
    cached, folder = tmp_path / "cached", tmp_path / "folder"
    cached.mkdir()
    folder.mkdir()
    (cached / "README.md").symlink_to(secret)
    with pytest.raises(PinMismatch, match="regular file"):
        lay_files(cached, PINNED[:1], folder)
    assert list(folder.iterdir()) == []


def test_the_library_is_loaded_in_its_own_process_alone() -> None:
    code = "import sys, argusic.pool.kinds.registry as r; r.kinds(); print('huggingface_hub' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PATH": os.environ["PATH"]}
    )
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("hub", "leads", "says"),
    [
        ("https://192.0.2.1", "https://10.0.0.1/x", "10.0.0.1, which is a private address"),
        ("https://192.0.2.1", "https://169.254.169.254/x", "a link-local address"),
        ("https://192.0.2.1", "https://localhost/x", "a loopback address"),
        ("https://192.0.2.1", "https://[::1]/x", "a loopback address"),
        ("https://192.0.2.1", "https://[::ffff:10.0.0.1]/x", "which is"),
        ("https://192.0.2.1", "https://192.0.2.2/x", None),
        ("https://10.0.0.1", "https://10.0.0.2/x", None),
        ("https://192.0.2.1", "https://no-such-host.invalid/x", None),
    ],
)
def test_a_hub_of_the_worlds_leads_to_nobody_of_the_neighbourhood(hub: str, leads: str, says: str | None) -> None:
    with BoundedClient(hub, Allowance(), 1) as client:
        (leaving,) = client.event_hooks["request"]
        if says is None:
            leaving(httpx2.Request("GET", leads))
            return
        with pytest.raises(Elsewhere, match=says):
            leaving(httpx2.Request("GET", leads))


ASKING = """
import sys
from argusic.pool.hub.client import Hub
print(flush=True)
Hub({"HF_ENDPOINT": sys.argv[1]}).look_up("model", "ada/tiny")
"""


def test_whoever_asks_is_killed_and_nothing_goes_on_asking(hub: HubServer) -> None:
    hub.add("model", "ada/tiny", FILES)
    hub.faults.append(Fault("/ada/tiny", "stall"))
    with subprocess.Popen([sys.executable, "-c", ASKING, hub.url], stdout=subprocess.PIPE) as asking:
        talking: list[psutil.Process] = []
        deadline = time.monotonic() + 20
        while not talking and time.monotonic() < deadline:
            talking = [one for one in psutil.Process(asking.pid).children() if "argusic.pool.hub.talk" in one.cmdline()]
            time.sleep(0.02)
        time.sleep(0.5)  # It has begun to ask, or is about to.
        assert talking and asking.poll() is None
        asking.kill()
    _, alive = psutil.wait_procs(talking, timeout=5)
    assert alive == []
