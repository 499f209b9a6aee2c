"""Release assets: packs and not thousands of files, GitHub's limits, and who may read what."""

from __future__ import annotations

import hashlib
import io
import time
import zipfile
from pathlib import Path

import pytest

from argusic.errors import CheckFailed, EnvironmentLack, InputError
from argusic.evidence.stores.pack import packed_size
from tests.evidence.stores.between import Fault
from tests.evidence.stores.places import Place, digest, fetched, here

LOGS = tuple(f"the log of run {number}\n".encode() * 50 for number in range(40))


def test_a_batch_is_one_asset_and_one_more_is_another(releases: Place, tmp_path: Path) -> None:
    assert releases.hub is not None
    files = here(tmp_path / "first", *LOGS)
    releases.make().send("small", files[:30], lambda one: None)
    releases.make().send("small", files[30:], lambda one: None)
    assert [*releases.hub.releases] == ["evidence-small"]
    assert len(releases.hub.assets) == 2
    for number, content in releases.hub.content.items():
        assert releases.hub.assets[number]["name"] == f"{hashlib.sha256(content).hexdigest()}.zip"
        with zipfile.ZipFile(io.BytesIO(content)) as pack:
            assert pack.testzip() is None
            assert all(digest(pack.read(name)) == name for name in pack.namelist())


def test_one_file_is_read_by_its_range_and_a_batch_with_one_request(releases: Place, tmp_path: Path) -> None:
    files = here(tmp_path / "first", *LOGS, b"x" * 300_000)
    releases.make().send("small", files, lambda one: None)
    reader = releases.make()
    assert reader.holds([files[3].sha256])
    releases.between.seen.clear()
    assert fetched(reader, files[3].sha256) == {files[3].sha256: LOGS[3]}
    ranges = [headers["range"] for method, path, headers in releases.between.seen if "/content/" in path]
    first, last = ranges[0].removeprefix("bytes=").split("-")
    assert (len(ranges), int(last) - int(first) + 1) == (1, len(LOGS[3]))
    releases.between.seen.clear()
    assert len(fetched(reader, *(one.sha256 for one in files))) == 41
    assert releases.between.count("GET", "/content/") == 1


def test_the_token_does_not_go_to_another_host(releases: Place, tmp_path: Path) -> None:
    assert releases.hub is not None
    files = here(tmp_path / "first", *LOGS)
    releases.make().send("small", files, lambda one: None)
    assert len(fetched(releases.make(), *(one.sha256 for one in files))) == 40
    assert releases.hub.tokens_at_content == []


def test_a_server_that_ignores_ranges_is_understood(releases: Place, tmp_path: Path) -> None:
    assert releases.hub is not None
    files = here(tmp_path / "first", *LOGS)
    releases.make().send("small", files, lambda one: None)
    releases.hub.ignores_ranges = True
    assert fetched(releases.make(), files[7].sha256) == {files[7].sha256: LOGS[7]}


def test_no_pack_is_larger_than_an_asset_may_be(releases: Place, tmp_path: Path) -> None:
    files = here(tmp_path / "first", *LOGS)
    most = 3 * packed_size(max(one.size for one in files)) + 22
    sent: list[str] = []
    releases.make(most_bytes=most).send("small", files, lambda one: sent.append(one.sha256))
    assert all(len(raw) <= most for raw in releases.raw())
    assert len(releases.raw()) >= 13
    assert sorted(sent) == sorted(one.sha256 for one in files)
    assert len(fetched(releases.make(), *sent)) == 40


def test_a_file_that_no_asset_can_hold_is_named_before_anything_is_sent(releases: Place, tmp_path: Path) -> None:
    files = here(tmp_path / "first", b"small", b"x" * 5000)
    with pytest.raises(InputError, match=r"has 5,000 bytes, and an asset of a release may have 4,000\. A bucket"):
        releases.make(most_bytes=4000).send("small", files, lambda one: None)
    assert releases.raw() == []


def test_a_full_release_is_followed_by_another(releases: Place, tmp_path: Path) -> None:
    assert releases.hub is not None
    files = here(tmp_path / "first", *LOGS[:5])
    for one in files:
        releases.make(most_assets=2).send("small", [one], lambda one: None)
    assert [*releases.hub.releases] == ["evidence-small", "evidence-small-2", "evidence-small-3"]
    assert len(fetched(releases.make(), *(one.sha256 for one in files))) == 5


def test_what_a_dead_uploader_left_unfinished_gives_way(releases: Place, tmp_path: Path) -> None:
    assert releases.hub is not None
    files = here(tmp_path / "first", *LOGS)
    releases.make().send("small", files, lambda one: None)
    asset = next(iter(releases.hub.assets.values()))
    asset["state"] = "starter"
    assert releases.make().holds([files[0].sha256]) == set()
    releases.make().send("small", files, lambda one: None)
    assert [one["state"] for one in releases.hub.assets.values()] == ["uploaded"]
    assert next(iter(releases.hub.assets)) != asset["id"]


def test_known_packs_are_not_asked_about_again(releases: Place, tmp_path: Path) -> None:
    files = here(tmp_path / "first", *LOGS)
    releases.make().send("small", files, lambda one: None)
    reader = releases.make()
    wanted = [one.sha256 for one in files]
    assert reader.holds(wanted) == set(wanted)
    releases.between.seen.clear()
    assert reader.holds(wanted) == set(wanted)
    assert releases.between.count("GET", "/content/") == 0
    releases.between.seen.clear()
    assert fetched(reader, digest(b"nowhere"), digest(b"no where")) == {}
    assert fetched(reader, digest(b"nowhere")) == {}
    assert releases.between.count("GET") == 0


def test_an_asset_that_is_no_pack_is_named(releases: Place, tmp_path: Path) -> None:
    assert releases.hub is not None
    releases.make().send("small", here(tmp_path / "first", *LOGS), lambda one: None)
    number = next(iter(releases.hub.content))
    for content in (b"", b"no pack", releases.hub.content[number][:-1], b"\0" * 100):
        releases.hub.content[number] = content
        releases.hub.assets[number]["size"] = len(content)
        with pytest.raises(CheckFailed, match=r"the releases of ada/evidence have [0-9a-f]{64}\.zip: it is no pack"):
            releases.make().holds([digest(LOGS[0])])


def test_a_pack_that_cannot_be_removed_is_for_a_person(releases: Place, tmp_path: Path) -> None:
    assert releases.hub is not None
    releases.make().send("small", here(tmp_path / "first", *LOGS), lambda one: None)
    releases.hub.immutable = True
    with pytest.raises(EnvironmentLack, match="answer 422 Cannot delete asset from an immutable release"):
        releases.make().remove(digest(LOGS[0]))
    # What is not withdrawn is still there, twice.
    assert len(fetched(releases.make(), *(digest(one) for one in LOGS))) == 40


def test_everybody_reads_what_is_public_and_nobody_else_what_is_private(releases: Place, tmp_path: Path) -> None:
    assert releases.hub is not None
    files = here(tmp_path / "first", *LOGS)
    releases.make().send("small", files, lambda one: None)
    with pytest.raises(InputError, match=r"are not there, or whoever has no token may not see them"):
        releases.make(token=None).holds([files[0].sha256])
    assert releases.make().is_private()
    releases.hub.private = False
    assert not releases.make(token=None).is_private()
    assert len(fetched(releases.make(token=None), *(one.sha256 for one in files))) == 40
    with pytest.raises(EnvironmentLack, match=r"refuse this token \(403"):
        releases.make(token=None).send("small", here(tmp_path / "second", b"more"), lambda one: None)


def test_a_wrong_token_is_said(releases: Place) -> None:
    with pytest.raises(
        EnvironmentLack, match=r"refuse this token \(401 Bad credentials\)\. It takes a token from GH_TOKEN"
    ):
        releases.make(token="wrong").holds([digest(b"")])


def test_a_spent_allowance_is_waited_for_as_long_as_github_says(releases: Place) -> None:
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + 30)}
    releases.between.faults = [Fault("answer", "GET", "/releases", status=403, headers=headers, body=b"{}")]
    assert releases.make().holds([digest(b"")]) == set()
    assert 25 < releases.slept[0] <= 30
    headers["X-RateLimit-Reset"] = str(int(time.time()) + 3000)
    releases.between.faults = [Fault("answer", "GET", "/releases", status=403, headers=headers, body=b"{}")]
    with pytest.raises(EnvironmentLack, match=r"403.*and asks to wait (2,999|3,000) seconds; .* try again later"):
        releases.make().holds([digest(b"")])
