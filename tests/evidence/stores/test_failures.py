"""What goes wrong with a store elsewhere: one sentence each, nothing half-written, and asked again within bounds."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from argusic.errors import ArgusicError, CheckFailed, EnvironmentLack
from argusic.evidence.store import FolderStore
from argusic.evidence.stores.cached import CachedStore
from argusic.evidence.stores.elsewhere import Here
from tests.evidence.stores.between import Fault
from tests.evidence.stores.places import Place, here

CONTENT = b"the log of a run\n" * 5000
OTHER = b"another log of a run\n" * 5000


@pytest.fixture
def file(tmp_path: Path) -> Here:
    return here(tmp_path / "first", CONTENT)[0]


@pytest.fixture(params=["bucket", "releases"])
def place(request: pytest.FixtureRequest) -> Place:
    """A store behind a network, which the repository itself is not."""
    return request.getfixturevalue(request.param)  # type: ignore[no-any-return]


def send(place: Place, *files: Here) -> list[str]:
    sent: list[str] = []
    place.make().send("small", files, lambda one: sent.append(one.sha256))
    return sent


def cached(place: Place, folder: Path) -> CachedStore:
    return CachedStore(FolderStore(folder), place.make)


def leftovers(folder: Path) -> list[str]:
    """Return whatever lies in a folder's store."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def one_sentence(error: ArgusicError) -> str:
    said = str(error)
    assert "\n" not in said
    assert "Traceback" not in said
    assert said.endswith(".")
    return said


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_asks_to_wait_is_asked_again_when_it_said(place: Place, file: Here, status: int) -> None:
    place.between.faults = [
        Fault("answer", place.sending[0], place.sending[1], times=2, status=status, headers={"Retry-After": "7"}),
    ]
    assert send(place, file) == [file.sha256]
    assert [wait for wait in place.slept if wait >= 7] == [7, 7]
    assert len(place.raw()) == 1


def test_a_server_that_asks_to_wait_for_too_long_is_not_waited_for(place: Place, file: Here) -> None:
    place.between.faults = [Fault("answer", *place.sending, status=429, headers={"Retry-After": "3600"})]
    with pytest.raises(EnvironmentLack, match=r"429.* and asks to wait 3,600 seconds") as caught:
        send(place, file)
    one_sentence(caught.value)
    assert place.slept == []
    assert place.raw() == []


@pytest.mark.parametrize("what", ["reading", "sending"])
def test_a_server_that_goes_on_failing_is_asked_five_times(place: Place, file: Here, what: str) -> None:
    if what == "reading":
        send(place, file)
    method, path = place.reading if what == "reading" else place.sending
    place.between.faults = [Fault("answer", method, path, times=99, status=500)]
    before = place.between.count(method, path)
    with pytest.raises(EnvironmentLack, match=r"500.*, after 5 tries in") as caught:
        send(place, file) if what == "sending" else cached(place, file.path.parent / "other").check(file.sha256)
    one_sentence(caught.value)
    assert place.between.count(method, path) - before == 5
    assert len(place.slept) == 4
    assert place.slept == sorted(place.slept)


def test_no_network_is_said_and_not_tried_for_each_file_anew(place: Place, file: Here, tmp_path: Path) -> None:
    send(place, file)
    place.between.faults = [Fault("refuse", "GET", times=9999)]
    store = cached(place, tmp_path / "second")
    with pytest.raises(EnvironmentLack, match="cannot be reached") as caught:
        store.check(file.sha256)
    one_sentence(caught.value)
    before = len(place.between.seen)
    with pytest.raises(EnvironmentLack, match="cannot be reached"):
        store.read(file.sha256)
    assert len(place.between.seen) == before
    assert leftovers(tmp_path / "second") == []


def test_nothing_that_listens_is_said(place: Place, file: Here) -> None:
    home = place.home[place.kind]
    home["endpoint" if place.kind == "bucket" else "api"] = "http://127.0.0.1:9"
    with pytest.raises(EnvironmentLack, match=r"cannot be reached.*, after 5 tries") as caught:
        place.make().holds([file.sha256])
    one_sentence(caught.value)


def test_a_download_that_is_cut_off_is_begun_again(place: Place, file: Here, tmp_path: Path) -> None:
    send(place, file)
    place.between.faults = [Fault("cut", *place.reading, times=2)]
    assert cached(place, tmp_path / "second").read(file.sha256) == CONTENT
    assert len(leftovers(tmp_path / "second")) == 1


def test_a_download_that_is_always_cut_off_leaves_nothing(place: Place, file: Here, tmp_path: Path) -> None:
    send(place, file)
    place.between.faults = [Fault("cut", *place.reading, times=99)]
    with pytest.raises(EnvironmentLack, match="cut off") as caught:
        cached(place, tmp_path / "second").check(file.sha256)
    one_sentence(caught.value)
    assert leftovers(tmp_path / "second") == []


def test_content_that_is_not_what_its_digest_says_is_not_used(place: Place, tmp_path: Path) -> None:
    files = here(tmp_path / "first", CONTENT, OTHER)
    send(place, *files)
    reader = place.make()
    assert reader.holds([files[0].sha256])
    place.between.faults = [Fault("flip", *place.reading)]
    store = CachedStore(FolderStore(tmp_path / "second"), lambda: reader)
    with pytest.raises(CheckFailed, match=r"has the digest [0-9a-f]{64}, and is not used") as caught:
        store.bring([one.sha256 for one in files])
    assert place.kind in str(caught.value)
    # The other one of the two arrived all the same.
    assert len(leftovers(tmp_path / "second")) == 1


def test_wrong_credentials_are_said_with_what_mends_it(place: Place, file: Here) -> None:
    place.between.faults = [Fault("answer", m, times=9, status=403) for m in ("GET", "PUT", "POST")]
    for ask in (lambda: send(place, file), lambda: place.make().holds([file.sha256])):
        with pytest.raises(EnvironmentLack, match=r"refuses? th(ese credentials|is token) \(403") as caught:
            ask()
        assert "AWS_ACCESS_KEY_ID" in str(caught.value) or "GH_TOKEN" in str(caught.value)
    assert place.slept == []
    assert place.raw() == []


def test_a_store_that_is_full_is_said(place: Place, file: Here) -> None:
    place.between.faults = [Fault("answer", *place.sending, status=507)]
    with pytest.raises(EnvironmentLack, match=r"(is|are) full \(507") as caught:
        send(place, file)
    one_sentence(caught.value)
    assert place.slept == []


def test_an_upload_whose_answer_is_lost_is_found_to_be_there(place: Place, file: Here) -> None:
    place.between.faults = [Fault("cut", *place.sending)]
    if place.kind == "bucket":
        place.between.faults = [Fault("refuse", *place.sending)]
    assert send(place, file) == [file.sha256]
    assert len(place.raw()) == 1


SENDING = """
import os, sys
from pathlib import Path
from argusic.evidence.store import FolderStore
from argusic.evidence.stores.bucket import Bucket
from argusic.evidence.stores.elsewhere import Here
from argusic.evidence.stores.github_assets import GitHubAssets
from argusic.evidence.stores.releases import Releases
from argusic.records.evidence_home import EvidenceHome

home = EvidenceHome.model_validate_json(sys.argv[1])
folder, sha256 = Path(sys.argv[2]), sys.argv[3]
path = FolderStore(folder).check(sha256)
place = Bucket(home.bucket) if home.bucket else Releases(GitHubAssets(home.releases), folder / "known", folder)
place.send("small", [Here(sha256, path.stat().st_size, path)], lambda file: print("sent", flush=True))
"""


def test_a_sender_that_is_killed_in_the_middle_leaves_nothing_and_the_next_one_sends_it(
    place: Place, file: Here, tmp_path: Path
) -> None:
    stall = Fault("stall", *place.sending)
    place.between.faults = [stall]
    words = [json.dumps({"schema": 1, **place.home}), str(tmp_path / "first"), file.sha256]
    sender = subprocess.Popen([sys.executable, "-c", SENDING, *words], stdout=subprocess.PIPE, env=dict(os.environ))
    try:
        assert stall.reached.wait(60)
        sender.send_signal(signal.SIGKILL)
        assert sender.communicate(timeout=30)[0] == b""
    finally:
        sender.kill()
        stall.over.set()
    assert place.raw() == []
    assert place.make().holds([file.sha256]) == set()
    assert send(place, file) == [file.sha256]
    assert place.make().holds([file.sha256]) == {file.sha256}
