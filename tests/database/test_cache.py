"""The record cache costs time when it is lost, and nothing else: it is never believed against the files."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import argusic.records
from argusic.database import cache as cache_module
from argusic.database import listing as listing_module
from argusic.database.cache import RecordCache, schema_fingerprint
from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.database.listing import blob_id
from argusic.records import sources
from argusic.records.agent import Agent
from argusic.records.run import Run

READ_ALL = """
import sys
from pathlib import Path
from argusic.database.database import Database
database = Database(Path(sys.argv[1]))
for _ in range(int(sys.argv[2])):
    print(len(list(database.runs())), flush=True)
"""


def _file(database: Database) -> Path:
    return next(database.cache_folder.glob("records-*/cache.sqlite3"))


def _runs(database: Database) -> list[Run]:
    return [stored.run for stored in database.runs()]


@pytest.fixture
def filled(plain_database: Database) -> Database:
    assert len(_runs(plain_database)) == 3
    return plain_database


def test_a_record_is_read_once_and_then_remembered(filled: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _runs(filled)
    monkeypatch.setattr(filled, "read_bytes", lambda path: pytest.fail(f"{path} was read again"))
    assert _runs(filled) == before


def test_what_is_remembered_is_what_was_read(tmp_path: Path, make_run: Callable[..., Run]) -> None:
    runs = {blob_id(dump(run)): run for run in (make_run(number) for number in range(2000))}
    cache = RecordCache(tmp_path, tmp_path)
    cache.store(Run, runs)
    assert RecordCache(tmp_path, tmp_path).load(Run, runs) == runs
    assert cache.load(Agent, runs) == {}


def test_an_edited_file_is_read_again(
    filled: Database, make_run: Callable[..., Run], put_run: Callable[..., Path]
) -> None:
    path = put_run(filled.root, make_run(0, commands=4))
    assert sorted(run.commands for run in _runs(filled)) == [3, 3, 4]
    os.utime(path, ns=(0, 0))
    put_run(filled.root, make_run(0, commands=5))
    assert sorted(run.commands for run in _runs(filled)) == [3, 3, 5]


def test_a_file_edited_between_two_ticks_of_the_clock_is_noticed(
    filled: Database, make_run: Callable[..., Run], put_run: Callable[..., Path]
) -> None:
    for commands in range(10, 40):
        put_run(filled.root, make_run(0, commands=commands))
        assert max(run.commands for run in _runs(filled)) == commands


def test_an_edited_file_with_its_old_time_and_size_is_noticed(
    filled: Database, make_run: Callable[..., Run], put_run: Callable[..., Path]
) -> None:
    path = put_run(filled.root, make_run(0, commands=4))
    long_ago = time.time_ns() - 10**12
    os.utime(path, ns=(long_ago, long_ago))
    _runs(filled)
    time.sleep(2.1)  # Until the stamp of the file counts as settled, and is remembered.
    assert max(run.commands for run in _runs(filled)) == 4
    put_run(filled.root, make_run(0, commands=5))
    os.utime(path, ns=(long_ago, long_ago))
    assert max(run.commands for run in _runs(filled)) == 5


@pytest.mark.parametrize("size", [0, 1, 100, 4096])
def test_a_cut_off_cache_is_rebuilt(filled: Database, size: int) -> None:
    before = _runs(filled)
    os.truncate(_file(filled), size)
    assert _runs(filled) == before
    assert _runs(filled) == before
    assert RecordCache(filled.cache_folder, filled.root).load(Run, [blob_id(dump(before[0]))])


def test_a_cache_of_rubbish_is_rebuilt(filled: Database) -> None:
    before = _runs(filled)
    _file(filled).write_bytes(random.Random(7).randbytes(50_000))
    assert _runs(filled) == before
    shutil.rmtree(filled.cache_folder)
    filled.cache_folder.write_text("a file in the way")
    assert _runs(filled) == before


def test_any_flipped_bit_changes_nothing_that_is_read(filled: Database) -> None:
    before = _runs(filled)
    with sqlite3.connect(_file(filled)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    whole = _file(filled).read_bytes()
    chance = random.Random(11)
    for _ in range(150):
        damaged = bytearray(whole)
        damaged[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        _file(filled).parent.mkdir(parents=True, exist_ok=True)
        for rest in _file_family(filled):
            rest.unlink()
        (filled.cache_folder / f"records-{schema_fingerprint()}" / "cache.sqlite3").write_bytes(damaged)
        assert _runs(filled) == before


def _file_family(database: Database) -> list[Path]:
    return list(database.cache_folder.glob("records-*/cache.sqlite3*"))


def test_a_forged_row_is_not_believed(filled: Database, make_run: Callable[..., Run]) -> None:
    before = _runs(filled)
    forged = make_run(0, commands=999).model_dump_json(by_alias=True).encode()
    with sqlite3.connect(_file(filled)) as connection:
        assert connection.execute("UPDATE record SET body = ?", (forged,)).rowcount == 3
    connection.close()
    assert _runs(filled) == before


def test_a_forged_blob_id_is_not_believed(plain_database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing_module, "_SETTLED_NS", -(10**18))  # So that new files are remembered at once.
    before = _runs(plain_database)
    with sqlite3.connect(_file(plain_database)) as connection:
        forged = connection.execute("SELECT blob FROM seen ORDER BY path LIMIT 1").fetchone()
        assert connection.execute("UPDATE seen SET blob = ?", forged).rowcount == 3
    connection.close()
    assert _runs(plain_database) == before


def test_rows_that_changed_places_are_not_believed(filled: Database) -> None:
    before = _runs(filled)
    with sqlite3.connect(_file(filled)) as connection:
        rows = connection.execute("SELECT key, body, sum FROM record ORDER BY key").fetchall()
        for (key, _, _), (_, body, check) in zip(rows, rows[1:] + rows[:1], strict=True):
            connection.execute("UPDATE record SET body = ?, sum = ? WHERE key = ?", (body, check, key))
    connection.close()
    assert _runs(filled) == before


def test_a_program_with_other_models_neither_sees_the_cache_nor_spoils_it(
    filled: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs = [blob_id(dump(run)) for run in _runs(filled)]
    monkeypatch.setattr(cache_module, "schema_fingerprint", lambda: "another")
    other = RecordCache(filled.cache_folder, filled.root)
    assert other.load(Run, blobs) == {}


def test_the_fingerprint_covers_every_model(tmp_path: Path) -> None:
    copied = tmp_path / "records"
    shutil.copytree(Path(argusic.records.__path__[0]), copied)
    fingerprints = {cache_module.fingerprint_of.__wrapped__((str(copied),))}
    for source in sorted(copied.rglob("*.py")):
        source.write_text(source.read_text() + "\n# changed\n")
        fingerprints.add(cache_module.fingerprint_of.__wrapped__((str(copied),)))
    assert len(fingerprints) == 1 + len(list(copied.rglob("*.py")))


def test_the_fingerprint_covers_the_source_model_of_a_kind_that_is_added(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = schema_fingerprint()
    (tmp_path / "added.py").write_text('KIND = "added"\n')
    monkeypatch.setattr(sources, "__path__", [*sources.__path__, str(tmp_path)])
    assert schema_fingerprint() != before


def test_a_file_that_changes_while_it_is_read_is_not_kept_under_its_old_id(
    filled: Database, make_run: Callable[..., Run], put_run: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs = dict.fromkeys(filled.listing("runs").blobs, "0" * 40)
    assert len(list(filled.records(blobs, Run))) == 3
    assert RecordCache(filled.cache_folder, filled.root).load(Run, ["0" * 40]) == {}


def test_two_processes_share_one_cache(
    database: Database, make_run: Callable[..., Run], put_run: Callable[..., Path]
) -> None:
    for number in range(3, 300):
        put_run(database.root, make_run(number))
    readers = [
        subprocess.Popen([sys.executable, "-c", READ_ALL, str(database.root), "5"], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for reader in readers:
        output, _ = reader.communicate(timeout=120)
        assert reader.returncode == 0
        assert output.split() == ["300"] * 5
    assert len(_runs(database)) == 300


def test_a_reader_killed_at_any_moment_leaves_a_cache_that_works(
    plain_database: Database, make_run: Callable[..., Run], put_run: Callable[..., Path]
) -> None:
    for number in range(3, 200):
        put_run(plain_database.root, make_run(number))
    chance = random.Random(5)
    for _ in range(8):
        shutil.rmtree(plain_database.cache_folder, ignore_errors=True)
        reader = subprocess.Popen(
            [sys.executable, "-c", READ_ALL, str(plain_database.root), "1"], stdout=subprocess.DEVNULL
        )
        time.sleep(0.25 + chance.random() * 0.5)
        reader.send_signal(signal.SIGKILL)
        reader.wait()
        assert len(_runs(plain_database)) == 200
