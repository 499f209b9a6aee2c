from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from argusic.errors import CheckFailed
from argusic.evidence.store import FolderStore


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    return FolderStore(tmp_path / "store")


def put(store: FolderStore, tmp_path: Path, content: bytes) -> str:
    source = tmp_path / "source"
    source.write_bytes(content)
    return store.put(source).sha256


def test_a_file_lies_under_its_digest_and_reads_back(store: FolderStore, tmp_path: Path) -> None:
    sha256 = put(store, tmp_path, b"evidence")
    assert sha256 == hashlib.sha256(b"evidence").hexdigest()
    assert store.path(sha256) == store.folder / sha256[:2] / sha256
    assert store.read(sha256) == b"evidence"
    assert store.check(sha256) == store.path(sha256)


def test_putting_a_file_twice_keeps_the_first(store: FolderStore, tmp_path: Path) -> None:
    before = store.path(put(store, tmp_path, b"evidence")).stat()
    after = store.path(put(store, tmp_path, b"evidence")).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_stored_file_is_not_writable_and_nothing_else_is_left(store: FolderStore, tmp_path: Path) -> None:
    sha256 = put(store, tmp_path, b"evidence")
    assert store.path(sha256).stat().st_mode & 0o222 == 0
    assert [path for path in store.folder.rglob("*") if path.is_file()] == [store.path(sha256)]


@pytest.mark.parametrize("bit", [0, 17, 63])
def test_a_flipped_bit_is_caught_on_reading(store: FolderStore, tmp_path: Path, bit: int) -> None:
    sha256 = put(store, tmp_path, b"evidence")
    path = store.path(sha256)
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    path.chmod(0o644)
    path.write_bytes(content)
    for read in (store.read, store.check):
        with pytest.raises(CheckFailed, match="which is not its name"):
            read(sha256)
    with pytest.raises(CheckFailed):
        put(store, tmp_path, b"evidence")


def test_a_missing_file_is_named(store: FolderStore) -> None:
    with pytest.raises(CheckFailed, match="not in the evidence store"):
        store.read("0" * 64)


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "A" * 64, "0" * 63])
def test_only_a_digest_is_a_name(store: FolderStore, name: str) -> None:
    with pytest.raises(ValueError, match="no SHA-256 digest"):
        store.path(name)
