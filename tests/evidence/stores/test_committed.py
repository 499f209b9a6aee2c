"""Packs in the repository itself: within a limit, never trusted, and enough for whoever has a clone alone."""

from __future__ import annotations

import hashlib
import os
import struct
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.database.paths import EVIDENCE_HOME_PATH
from argusic.errors import CheckFailed, InputError
from argusic.evidence.layout import LOG_NAME
from argusic.evidence.store import FolderStore
from argusic.evidence.stores.collecting import collect
from argusic.evidence.stores.committed import CommittedPacks
from argusic.evidence.stores.configured import store_of
from argusic.evidence.stores.pack import packed_size
from argusic.evidence.verify import verify
from argusic.records.evidence_home import EvidenceHome, RepositoryHome
from argusic.referee.withdrawing import withdraw
from tests.evidence.published import RUN_IDS, publish
from tests.evidence.stores.places import Place, digest, fetched, here
from tests.evidence.stores.test_pack import pack_of

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
FILES = (b"one", b"two" * 500, b"")


@pytest.fixture
def database(small_database: Callable[..., Database], tmp_path: Path) -> Database:
    """A database with two runs that keeps its evidence itself."""
    database = small_database()
    for run in RUN_IDS:
        publish(database, tmp_path / run, run)
    database.write(EVIDENCE_HOME_PATH, EvidenceHome(repository=RepositoryHome()))
    return database


def packs(database: Database) -> list[Path]:
    return sorted(database.root.glob("runs/small/packs/*.zip"))


def said(database: Database) -> list[str]:
    return [finding.what for finding in verify(database).findings]


def git(folder: Path, *words: str) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    alone = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
    who = ("-c", "user.name=ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *who, *words], cwd=folder, env=kept | alone, check=True, capture_output=True, timeout=60)


def test_a_strangers_clone_is_whole(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    collect(database, "small")
    (database.root / ".gitignore").write_text(".argusic/\n")
    git(database.root, "init", "-q", "-b", "main")
    git(database.root, "add", ".")
    git(database.root, "commit", "-q", "-m", "A cycle")
    git(tmp_path, "clone", "-q", "--no-hardlinks", str(database.root), "clone")
    clone = Database(tmp_path / "clone")
    assert not clone.store_folder.exists()
    # Neither of the libraries that other stores need, nor a network.
    for module in ("boto3", "github"):
        monkeypatch.setitem(sys.modules, module, None)
    assert said(clone) == []
    assert verify(clone, offline=True).findings == []


def test_a_batch_is_one_pack_under_its_own_digest_and_one_more_is_another(database: Database) -> None:
    made = collect(database, "small")
    [first] = packs(database)
    assert made.store == "the packs of this repository"
    assert first.stem == hashlib.sha256(first.read_bytes()).hexdigest()
    before = first.read_bytes()
    CommittedPacks(database, RepositoryHome()).send("small", here(database.store_folder, b"later"), lambda file: None)
    assert len(packs(database)) == 2
    assert first.read_bytes() == before


def test_more_than_was_stated_is_refused_before_anything_is_written(database: Database) -> None:
    files = here(database.store_folder, b"x" * 999_000)
    store = CommittedPacks(database, RepositoryHome(most_mb=1))
    recordings = sum(path.stat().st_size for path in database.root.glob("runs/small/*/*/*/*/*/recording.cast"))
    assert recordings > 0
    rest = 1_000_000 - 999_000 - packed_size(0) - 22 - recordings
    store.send("small", files, lambda file: None)
    with pytest.raises(InputError) as caught:
        store.send("small", here(database.store_folder, b"y" * rest), lambda file: None)
    assert str(caught.value) == (
        "cycle small would take 1.0 MB of evidence in git: 0.0 in run folders, 1.0 in packs and 0.0 more. "
        "rules/evidence.yaml allows 1 MB a cycle. Nothing was written. Keep the evidence in releases or in a bucket, "
        "or allow more as `repository: {most_mb: N}`."
    )
    assert len(packs(database)) == 1
    store.send("other", here(database.store_folder, b"y" * rest), lambda file: None)


def test_a_file_that_no_host_of_git_takes_is_named(repository: Place, tmp_path: Path) -> None:
    [file] = here(tmp_path / "here", b"large")
    with pytest.raises(InputError, match=r"has 60,000,000 bytes, and a pack in git may have 50,000,000\. Keep the ev"):
        repository.make(most_mb=1000).send("small", [file._replace(size=60_000_000)], lambda file: None)
    assert repository.raw() == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no pack",
        pack_of([*FILES])[:-1],
        pack_of([b"one"]).replace(digest(b"one").encode(), b"../../../../evil".ljust(64, b"x")),
    ],
    ids=["empty", "no pack", "cut off", "a name that leads out"],
)
def test_what_is_no_pack_is_named_and_keeps_no_other_from_being_read(
    repository: Place, tmp_path: Path, content: bytes
) -> None:
    repository.make().send("small", here(tmp_path / "here", *FILES), lambda file: None)
    folder = tmp_path / "repository" / "runs" / "a" / "packs"
    folder.mkdir(parents=True)
    (folder / f"{'0' * 64}.zip").write_bytes(content)
    assert fetched(repository.make(), *map(digest, FILES)) == {digest(one): one for one in FILES}
    wrong = r"^the packs of this repository have runs/a/packs/0{64}\.zip: it is no pack of evidence.*`git restore`"
    for ask in (lambda: fetched(repository.make(), "1" * 64), lambda: repository.make().holds(["1" * 64])):
        with pytest.raises(CheckFailed, match=wrong):
            ask()


def test_files_that_lie_over_one_another_are_no_pack(repository: Place, tmp_path: Path) -> None:
    """A thousand names for the same bytes would make much of little."""
    pack = bytearray(pack_of([b"", b"\0" * 5000]))
    entries = [at for at in range(len(pack)) if pack.startswith(b"PK\x01\x02", at)]
    for at in entries:  # Both sizes are that of the whole, and both begin at its beginning.
        pack[at + 20 : at + 28] = struct.pack("<II", 5000, 5000)
        pack[at + 42 : at + 46] = bytes(4)
    folder = tmp_path / "repository" / "runs" / "small" / "packs"
    folder.mkdir(parents=True)
    path = folder / f"{hashlib.sha256(pack).hexdigest()}.zip"
    path.write_bytes(pack)
    with pytest.raises(CheckFailed, match="it is no pack of evidence"):
        repository.make().holds(["1" * 64])


def test_a_wrong_file_under_a_digest_is_caught_on_its_way_out(database: Database) -> None:
    sha256 = digest(b"right")
    data = pack_of([b"wrong"]).replace(digest(b"wrong").encode(), sha256.encode())
    folder = database.root / "runs" / "small" / "packs"
    folder.mkdir()
    (folder / f"{hashlib.sha256(data).hexdigest()}.zip").write_bytes(data)
    with pytest.raises(CheckFailed, match=f"what lies there as {sha256} has the digest {digest(b'wrong')}"):
        store_of(database).check(sha256)
    assert not FolderStore(database.store_folder).path(sha256).exists()
    # Nor does it get into another pack.
    data = pack_of([b"wrong", b"other"]).replace(digest(b"wrong").encode(), sha256.encode())
    (folder / f"{hashlib.sha256(data).hexdigest()}.zip").write_bytes(data)
    with pytest.raises(CheckFailed, match=f"it holds something else as {sha256}, so it cannot be packed anew"):
        CommittedPacks(database, RepositoryHome()).remove(digest(b"other"))


def test_links_and_pipes_are_passed_over(repository: Place, tmp_path: Path) -> None:
    packs = tmp_path / "repository" / "runs" / "small" / "packs"
    packs.mkdir(parents=True)
    outside = tmp_path / "outside" / "packs"
    outside.mkdir(parents=True)
    (outside / f"{'1' * 64}.zip").write_bytes(pack_of([b"one"]))
    (packs / f"{'1' * 64}.zip").symlink_to(outside / f"{'1' * 64}.zip")
    os.mkfifo(packs / f"{'2' * 64}.zip")
    (tmp_path / "repository" / "runs" / "linked").symlink_to(outside.parent)
    assert repository.make().holds([digest(b"one")]) == set()


def test_what_is_withdrawn_leaves_a_pack_without_it(database: Database) -> None:
    collect(database, "small")
    [before] = packs(database)
    withdraw(database, RUN_IDS[0], [LOG_NAME], reason="A token.", by="ada", at=NOW)
    [after] = packs(database)
    assert after != before
    assert after.stem == hashlib.sha256(after.read_bytes()).hexdigest()
    assert collect(database, "small").files == 0
