"""Packs in the repository: `argusic check` believes none, and misses what a closed cycle should have in one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.database.paths import EVIDENCE_HOME_PATH, close_path, pack_path, run_folder
from argusic.evidence.store import FolderStore
from argusic.evidence.stores.collecting import collect
from argusic.evidence.stores.pack import packed_size
from argusic.records.cycle import Close
from argusic.records.evidence_home import EvidenceHome, RepositoryHome
from argusic.records.manifest import EvidenceFile
from argusic.referee.check import check
from argusic.referee.withdrawing import withdraw
from tests.evidence.stores.places import digest
from tests.evidence.stores.test_pack import pack_of
from tests.referee import test_check as rules

LOG, TABLE = b"the token is abc\n", b'{"number": 1}\n'
RUN = rules.RUN


def keep(database: Database, number: int, log: bytes, table: bytes = TABLE) -> Path:
    """Publish a run that keeps a log and a table in the store."""
    run = rules._run(database, number)
    folder = rules._put(database, run)
    data = (folder / "run.yaml").read_bytes()
    store = FolderStore(database.store_folder)
    kept = [
        EvidenceFile(name=name, role=role, media_type="text/plain", place="store", **made._asdict())  # type: ignore[arg-type]
        for name, role, made in (
            ("commands.jsonl", "commands", store.keep([table])),
            ("session.log", "log", store.keep([log])),
        )
    ]
    files = (*kept, *rules._manifest(database, run, data, {}).files)
    (folder / "evidence.yaml").write_bytes(dump(rules._manifest(database, run, data, {"files": files})))
    return folder


@pytest.fixture
def packed(small_database: Callable[..., Database]) -> Database:
    """A database with one run whose evidence is in a pack, committed."""
    database = small_database()
    keep(database, 0, LOG)
    database.write(EVIDENCE_HOME_PATH, EvidenceHome(repository=RepositoryHome()))
    assert collect(database, "small").files == 2
    (database.root / ".gitignore").write_text(".argusic/\n")
    rules._git(database.root, "init", "-q", "-b", "main")
    made = Database(database.root, cache_folder=database.cache_folder)
    rules._commit(made)
    return made


def said(database: Database, base: str | None = None) -> list[str]:
    return [str(finding) for finding in check(database, base)]


def the_pack(database: Database) -> Path:
    [pack] = database.root.glob("runs/small/packs/*.zip")
    return pack


def put(database: Database, data: bytes, name: str | None = None) -> str:
    path = pack_path("small", name or hashlib.sha256(data).hexdigest())
    (database.root / path).write_bytes(data)
    return str(path)


def close(database: Database, runs: int = 1) -> None:
    closed = Close(cycle="small", closed=rules.LATER, by="ada", runs=runs, derived={})
    database.write(close_path("small"), closed)


def test_a_pack_of_what_manifests_name_passes(packed: Database) -> None:
    assert said(packed, rules._git(packed.root, "rev-parse", "HEAD")) == []


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"no pack", "it is no pack of evidence"),
        (pack_of([LOG]).replace(LOG, LOG.upper()), f"holds something else than {digest(LOG)} under that name"),
        (b"PK\x03\x04evil" + pack_of([LOG])[8:], "it holds something besides them"),
        (pack_of([LOG, b"a stranger's"]), f"holds {digest(b'a stranger' + bytes([39]) + b's')}, which no manifest"),
    ],
    ids=["no pack", "another file", "hidden bytes", "a file of nobody"],
)
def test_what_is_no_pack_of_the_cycle_is_named(packed: Database, content: bytes, what: str) -> None:
    path = put(packed, content)
    [line] = said(packed)
    assert line.startswith(path)
    assert what in line


def test_a_pack_has_its_digest_for_a_name(packed: Database) -> None:
    path = put(packed, pack_of([LOG]), "0" * 64)
    assert said(packed) == [f"{path}: is not what its name says: its digest is {digest(pack_of([LOG]))}."]
    (packed.root / path).unlink()
    (the_pack(packed).parent / "evidence.zip").write_bytes(pack_of([LOG]))
    assert [line for line in said(packed) if "evidence.zip" in line]


def test_a_pack_that_is_too_large_is_named_and_not_read(packed: Database) -> None:
    path = packed.root / put(packed, b"")
    with path.open("r+b") as writing:
        writing.truncate(packed_size(60_000_000))
    [line] = said(packed)
    assert f"has {packed_size(60_000_000):,} bytes; a pack has 50,000,000 at most" in line


def test_a_closed_cycle_has_all_of_its_evidence_in_packs(packed: Database) -> None:
    keep(packed, 1, b"another log\n")
    assert said(packed) == []  # Its cycle is open: it is collected later.
    close(packed, runs=2)
    [line] = said(packed)
    folder = run_folder("small", "repository/greeter", "newcomer", "20261130T014501Z-kax7q2")
    assert line == (
        f"{folder}/evidence.yaml: files: names session.log, in no pack of this repository, and its cycle is closed: "
        "`argusic evidence collect small` writes one."
    )
    assert collect(packed, "small").files == 1
    assert said(packed) == []
    (packed.root / EVIDENCE_HOME_PATH).unlink()
    the = sorted(packed.root.glob("runs/small/packs/*.zip"))
    the[0].unlink()
    assert said(packed) == []  # Where it lies elsewhere, no pack has to be here.


def test_a_pack_is_neither_edited_nor_removed(packed: Database) -> None:
    base = rules._git(packed.root, "rev-parse", "HEAD")
    pack = the_pack(packed)
    data = pack.read_bytes()
    pack.write_bytes(data + b"x")
    assert any("was edited; a published pack stays as it is" in line for line in said(packed, base))
    pack.unlink()
    assert any("was removed or renamed; a published pack stays as it is" in line for line in said(packed, base))
    # Nor is it packed anew for no reason.
    put(packed, pack_of([LOG]))
    put(packed, pack_of([TABLE]))
    assert any("was removed or renamed; a published pack stays as it is" in line for line in said(packed, base))


def test_a_pack_gives_way_to_one_without_what_was_withdrawn(packed: Database) -> None:
    close(packed)
    base = rules._commit(packed)
    assert said(packed, base) == []
    before = the_pack(packed)
    withdraw(packed, RUN, ["session.log"], reason="A token.", by="ada", at=rules.LATER)
    assert the_pack(packed) != before
    assert LOG not in the_pack(packed).read_bytes()
    assert said(packed, base) == []
    # With it goes nothing else, and it does not come back.
    after, data = the_pack(packed), the_pack(packed).read_bytes()
    after.unlink()
    assert any("was removed or renamed; a published pack" in line for line in said(packed, base))
    after.write_bytes(data)
    path = put(packed, pack_of([LOG]))
    assert [line for line in said(packed, base) if line.startswith(path) and "or which was withdrawn" in line]


def test_a_run_that_is_rid_of_all_leaves_no_pack(packed: Database) -> None:
    base = rules._commit(packed)
    names = ["session.log", "commands.jsonl"]
    withdraw(packed, RUN, names, reason="A token.", by="ada", at=rules.LATER + timedelta(seconds=1))
    assert list(packed.root.glob("runs/small/packs/*")) == []
    assert said(packed, base) == []


def test_a_pack_that_cannot_be_read_is_named_alone_for_what_lay_in_it_is_not_known(packed: Database) -> None:
    close(packed)
    pack = the_pack(packed)
    pack.write_bytes(pack.read_bytes() + b"x")
    [finding] = said(packed)
    assert finding.startswith(f"{pack.relative_to(packed.root)}: is not what its name says")
