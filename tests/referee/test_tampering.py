"""Whatever is altered in a run, an edition or a derivation is named by `verify`, `check` or `recompute --check`.

A manifest vouches for the other files, and a signature for it: `tests/evidence/signing` alters those.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from argusic.database.codec import parse
from argusic.database.database import Database
from argusic.database.paths import board_path, edition_path, verdicts_path
from argusic.evidence.layout import MANIFEST_NAME, RUN_NAME
from argusic.evidence.store import FolderStore
from argusic.evidence.verify import verify_run
from argusic.records.manifest import Manifest
from argusic.referee.check import check
from argusic.referee.recompute import check_derived, recompute
from tests.program import argusic

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where the first database is kept for the others to be copied from: the same attempts serve them all."""
    return tmp_path_factory.mktemp("tampering") / "kept"


@pytest.fixture
def published(small_database: Callable[..., Database], kept: Path) -> Database:
    """Return a database whose small cycle has one run of each agent, recomputed."""
    database = small_database(board_agents=())
    if kept.exists():
        shutil.rmtree(database.root)
    else:
        done = argusic(database, "cycle", "run", "small", "--json")
        assert done.returncode == 0, done.stderr
        recompute(database)
        database.root.rename(kept)
    shutil.copytree(kept, database.root, symlinks=True)
    assert check(database, None) == []
    assert check_derived(database) == []
    return database


def leaves(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in pairs:
            yield from leaves(inner, (*at, key))
    else:
        yield at


def altered(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case None:
            return "x"
        case _:
            last = value[-1:]
            return value[:-1] + ("b" if last == "a" else "a")


def with_leaf_altered(data: bytes, at: tuple[Any, ...]) -> bytes:
    document = parse(data, file="altered")
    holder = document
    for key in at[:-1]:
        holder = holder[key]
    holder[at[-1]] = altered(holder[at[-1]])
    text: str = yaml.safe_dump(document, sort_keys=False, allow_unicode=True)
    return text.encode()


def each_leaf_altered(path: Path, found: Callable[[], object]) -> list[tuple[Any, ...]]:
    """Alter one scalar after the other; return those that `found` did not name."""
    data = path.read_bytes()
    missed = []
    for at in leaves(parse(data, file=path)):
        path.write_bytes(with_leaf_altered(data, at))
        if not found():
            missed.append(at)
    path.write_bytes(data)
    return missed


def test_each_scalar_of_a_run_is_guarded(published: Database) -> None:
    store = FolderStore(published.store_folder)
    for stored in published.runs("small"):
        folder = published.root / stored.folder
        assert each_leaf_altered(folder / RUN_NAME, partial(verify_run, folder, store)) == []


def test_each_scalar_of_an_edition_is_guarded(published: Database) -> None:
    assert each_leaf_altered(published.root / edition_path("v1.5"), lambda: check(published, None)) == []


def test_each_scalar_of_a_derivation_is_guarded(published: Database) -> None:
    for path in (verdicts_path("small", "repository"), board_path("small", "repository")):
        if (published.root / path).exists():
            assert each_leaf_altered(published.root / path, lambda: check_derived(published)) == []


def test_one_bit_of_each_evidence_file_is_guarded(published: Database) -> None:
    store = FolderStore(published.store_folder)
    looked = 0
    for stored in published.runs("small"):
        folder = published.root / stored.folder
        manifest = published.read(stored.folder / MANIFEST_NAME, Manifest)
        for file in manifest.files:
            path = folder / file.name if file.place == "run" else store.path(file.sha256)
            data = path.read_bytes()
            path.chmod(0o644)
            for position in {0, len(data) // 2, len(data) - 1} if data else ():
                path.write_bytes(data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :])
                assert verify_run(folder, store), f"{file.name}, byte {position}"
                looked += 1
            path.write_bytes(data)
        assert verify_run(folder, store) == []
    assert looked > 10
