"""Raw evidence is sealed to two keys, opens with either, and is checked against the public fingerprint."""

from __future__ import annotations

import os
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyrage import x25519

from argusic.database.database import Database
from argusic.database.paths import recipients_path
from argusic.errors import CheckFailed, InputError
from argusic.evidence.keys import KeyFolder, refuse_inside_a_repository
from argusic.evidence.layout import RECORDING_NAME
from argusic.evidence.sealing.keys import ensure_recipients, ensure_recovery_key, identities, private_keys
from argusic.evidence.sealing.sealing import seal, unseal
from argusic.evidence.store import FolderStore
from argusic.records.sealed import Recipients

SECRET = b"export TOKEN=sk-not-a-real-one\n"


@pytest.fixture
def keys(tmp_path: Path) -> KeyFolder:
    return KeyFolder(tmp_path / "keys")


@pytest.fixture
def database(tmp_path: Path) -> Database:
    root = tmp_path / "top"
    root.mkdir()
    return Database(root)


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    return FolderStore(tmp_path / "store")


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    path = tmp_path / RECORDING_NAME
    path.write_bytes(SECRET * 1000)
    return path


@pytest.mark.parametrize("number", [0, 1])
def test_either_private_key_opens_what_was_sealed(
    database: Database, keys: KeyFolder, store: FolderStore, raw: Path, tmp_path: Path, number: int
) -> None:
    recipients = ensure_recipients(database, "small", keys)
    entry = seal(raw, "recording", store, recipients)
    assert entry.recipients == tuple(sorted([recipients.cycle_key, recipients.recovery_key]))
    assert SECRET not in store.read(entry.sealed_sha256)
    key = identities(private_keys(keys, "small")[number])
    opened = unseal(entry, store, key, tmp_path / "opened")
    assert opened.read_bytes() == raw.read_bytes() == SECRET * 1000
    assert stat.S_IMODE(opened.stat().st_mode) == 0o600


def test_another_key_opens_nothing(
    database: Database, keys: KeyFolder, store: FolderStore, raw: Path, tmp_path: Path
) -> None:
    entry = seal(raw, "recording", store, ensure_recipients(database, "small", keys))
    with pytest.raises(InputError, match="none of the keys opens"):
        unseal(entry, store, [x25519.Identity.generate()], tmp_path / "opened")
    assert list((tmp_path / "opened").iterdir()) == []


def test_what_is_not_what_was_recorded_is_not_opened(
    database: Database, keys: KeyFolder, store: FolderStore, raw: Path, tmp_path: Path
) -> None:
    entry = seal(raw, "recording", store, ensure_recipients(database, "small", keys))
    key = identities(private_keys(keys, "small")[0])
    other = entry.model_copy(update={"sha256": "0" * 64})
    with pytest.raises(CheckFailed, match="something else than what was recorded"):
        unseal(other, store, key, tmp_path / "opened")
    assert list((tmp_path / "opened").iterdir()) == []
    sealed = store.path(entry.sealed_sha256)
    sealed.chmod(0o644)
    sealed.write_bytes(sealed.read_bytes()[:-1] + b"x")
    with pytest.raises(CheckFailed, match="has the digest"):
        unseal(entry, store, key, tmp_path / "opened")


def test_nothing_is_overwritten(
    database: Database, keys: KeyFolder, store: FolderStore, raw: Path, tmp_path: Path
) -> None:
    entry = seal(raw, "recording", store, ensure_recipients(database, "small", keys))
    with pytest.raises(InputError, match="nothing is overwritten"):
        unseal(entry, store, identities(private_keys(keys, "small")[0]), tmp_path)


def test_each_cycle_has_a_pair_of_its_own_and_all_have_one_recovery_key(database: Database, keys: KeyFolder) -> None:
    first, second = (ensure_recipients(database, cycle, keys) for cycle in ("spring", "summer"))
    assert first.cycle_key != second.cycle_key
    assert first.recovery_key == second.recovery_key == ensure_recovery_key(keys)
    assert ensure_recipients(database, "spring", KeyFolder(Path("/nowhere"))) == first
    assert database.read(recipients_path("spring"), Recipients) == first


def test_attempts_that_begin_together_seal_to_the_same_keys(database: Database, keys: KeyFolder) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: ensure_recipients(database, "small", keys), range(24)))
    assert len({recipients.keys() for recipients in made}) == 1
    assert sorted(path.name for path in keys.path("sealing").rglob("*") if path.is_file()) == [
        "recovery.key",
        "small.key",
    ]


def test_keys_are_readable_by_their_owner_alone(keys: KeyFolder) -> None:
    ensure_recovery_key(keys)
    path = keys.path("sealing/recovery.key")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    path.chmod(0o640)
    with pytest.raises(InputError, match="may be read by others"):
        ensure_recovery_key(keys)


def test_no_private_key_goes_into_a_repository(database: Database, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="lies in a repository"):
        ensure_recipients(database, "small", KeyFolder(database.root / ".argusic" / "keys"))
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    subprocess.run(["git", "init", "-q", checkout], check=True)
    with pytest.raises(InputError, match="lies in a repository"):
        KeyFolder(checkout / "deep" / "keys").add("x", b"y")
    (tmp_path / "link").symlink_to(checkout)
    with pytest.raises(InputError, match="lies in a repository"):
        refuse_inside_a_repository(tmp_path / "link" / "keys")
    assert not (checkout / "deep").exists()


def test_a_key_is_never_replaced(keys: KeyFolder) -> None:
    keys.add("a", b"one")
    with pytest.raises(InputError, match="never replaced"):
        keys.add("a", b"two")


def test_the_folder_of_keys_is_the_users(tmp_path: Path) -> None:
    assert KeyFolder.of_user({"ARGUSIC_KEYS": str(tmp_path)}).folder == tmp_path
    assert KeyFolder.of_user({"XDG_CONFIG_HOME": "/c"}).folder == Path("/c/argusic/keys")
    assert KeyFolder.of_user({}).folder == Path.home() / ".config/argusic/keys"


@pytest.mark.parametrize("text", ["", "# only a comment\n", "AGE-SECRET-KEY-1NONSENSE", "age1public"])
def test_what_is_no_key_file_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="holds no private key of age"):
        identities(text)


def test_a_sparse_200_mb_file_is_sealed_in_little_memory(
    database: Database, keys: KeyFolder, store: FolderStore, tmp_path: Path
) -> None:
    large = tmp_path / "session.log"
    with large.open("wb") as file:
        os.truncate(file.fileno(), 200 * 1024 * 1024)
    entry = seal(large, "log", store, ensure_recipients(database, "small", keys))
    opened = unseal(entry, store, identities(private_keys(keys, "small")[0]), tmp_path / "opened")
    assert opened.stat().st_size == entry.size == 200 * 1024 * 1024
