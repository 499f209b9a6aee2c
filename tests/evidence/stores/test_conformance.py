"""What every evidence store promises, the folder and those elsewhere: one suite for all."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from argusic.errors import CheckFailed
from argusic.evidence.store import EvidenceStore, FolderStore
from argusic.evidence.stores.cached import CachedStore
from tests.evidence.stores.places import Place, digest, fetched, here

CONTENTS = (b"", b"one", b"two" * 70_000, bytes(range(256)) * 9)


@pytest.fixture(params=["folder", "bucket", "releases", "repository"])
def two_machines(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Callable[[str], tuple[EvidenceStore, Callable[[], None]]]:
    """Return a maker of the store as one machine has it, and what collects there. A folder they share."""
    kind = request.param
    if kind == "folder":
        return lambda machine: (FolderStore(tmp_path / "shared"), lambda: None)
    place: Place = request.getfixturevalue(kind)

    def make(machine: str) -> tuple[EvidenceStore, Callable[[], None]]:
        store = CachedStore(FolderStore(tmp_path / machine), place.make)

        def collect() -> None:
            files = here(tmp_path / machine, *CONTENTS)
            elsewhere = place.make()
            there = elsewhere.holds([file.sha256 for file in files])
            elsewhere.send("small", [file for file in files if file.sha256 not in there], lambda file: None)

        return store, collect

    return make


def test_what_one_machine_keeps_another_reads_by_its_digest(
    two_machines: Callable[[str], tuple[EvidenceStore, Callable[[], None]]], tmp_path: Path
) -> None:
    store, collect = two_machines("first")
    for content in CONTENTS:
        (tmp_path / "source").write_bytes(content)
        kept = store.put(tmp_path / "source")
        assert kept == (digest(content), len(content))
        assert store.read(kept.sha256) == content
    collect()
    collect()
    other, _ = two_machines("second")
    for content in CONTENTS:
        path = other.check(digest(content))
        assert path == other.path(digest(content))
        assert path.read_bytes() == content
        assert other.read(digest(content)) == content


def test_many_are_brought_at_once_and_what_is_nowhere_is_passed_over(
    two_machines: Callable[[str], tuple[EvidenceStore, Callable[[], None]]], tmp_path: Path
) -> None:
    store, collect = two_machines("first")
    here_already = here(store.path("0" * 64).parents[1], *CONTENTS)
    collect()
    other, _ = two_machines("second")
    told: list[tuple[int, int]] = []
    wanted = [file.sha256 for file in here_already]
    other.bring([*wanted, digest(b"nowhere")], lambda done, of: told.append((done, of)))
    assert all(other.path(sha256).is_file() for sha256 in wanted)
    assert not other.path(digest(b"nowhere")).exists()
    assert told in ([], [(done, 5) for done in range(5)])


def test_what_is_nowhere_is_named(
    two_machines: Callable[[str], tuple[EvidenceStore, Callable[[], None]]],
) -> None:
    store, _ = two_machines("first")
    for ask in (store.check, store.read):
        with pytest.raises(CheckFailed, match="is not in the evidence store"):
            ask(digest(b"nowhere"))
    with pytest.raises(ValueError, match="is no SHA-256 digest"):
        store.path("../secret")
    assert store.absent.startswith("it is missing in the evidence store")


def test_a_file_that_is_damaged_here_is_caught_at_each_reading(
    two_machines: Callable[[str], tuple[EvidenceStore, Callable[[], None]]],
) -> None:
    store, collect = two_machines("first")
    file = here(store.path("0" * 64).parents[1], *CONTENTS)[1]
    collect()
    file.path.chmod(0o644)
    file.path.write_bytes(b"0ne")
    for ask in (store.check, store.read):
        with pytest.raises(CheckFailed, match="which is not its name"):
            ask(file.sha256)


# What those elsewhere promise besides


def test_it_says_what_it_holds(place: Place, tmp_path: Path) -> None:
    files, store = here(tmp_path / "here", *CONTENTS), place.make()
    wanted = {file.sha256 for file in files}
    assert store.holds(wanted) == set()
    sent: list[str] = []
    store.send("small", files[:2], lambda file: sent.append(file.sha256))
    assert sorted(sent) == sorted(file.sha256 for file in files[:2])
    assert store.holds(wanted) == set(sent)
    assert place.make().holds([]) == set()
    assert fetched(place.make(), *wanted) == {file.sha256: file.path.read_bytes() for file in files[:2]}


def test_what_is_there_is_never_changed(place: Place, tmp_path: Path) -> None:
    files = here(tmp_path / "here", *CONTENTS)
    place.make().send("small", files, lambda file: None)
    before = sorted(place.raw())
    place.make().send("small", files, lambda file: None)
    assert sorted(place.raw()) == before


def test_two_that_send_the_same_at_once_leave_it_there_once(place: Place, tmp_path: Path) -> None:
    files = here(tmp_path / "here", *(bytes([number]) * 3000 for number in range(12)))
    start, failed = threading.Barrier(4), list[Exception]()

    def send() -> None:
        store = place.make()
        start.wait(20)
        try:
            store.send("small", files, lambda file: None)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failed == []
    assert len(fetched(place.make(), *(file.sha256 for file in files))) == 12
    assert len(place.raw()) == (12 if place.kind == "bucket" else 1)


def test_what_is_removed_is_gone_and_all_else_is_not(place: Place, tmp_path: Path) -> None:
    files = here(tmp_path / "here", *CONTENTS)
    store = place.make()
    store.send("small", files, lambda file: None)
    reader = place.make()
    assert len(fetched(reader, *(file.sha256 for file in files))) == 4
    store.remove(files[2].sha256)
    assert not any(files[2].path.read_bytes() in raw for raw in place.raw())
    rest = {file.sha256: file.path.read_bytes() for file in files if file is not files[2]}
    # One who knew where things lay before finds the rest again.
    assert fetched(reader, *rest) == rest
    assert fetched(place.make(), *(file.sha256 for file in files)) == rest
    store.remove(files[2].sha256)
    for sha256 in rest:
        store.remove(sha256)
    assert place.raw() == []
