"""A close signs what the cycle held: what is dropped, added or changed later is noticed."""

from __future__ import annotations

import hashlib
import shutil
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argusic.database.codec import dump
from argusic.database.paths import close_path, cycle_path, edition_path, invalidation_path
from argusic.errors import CheckFailed, InputError
from argusic.evidence import merkle
from argusic.evidence.merkle import manifests_root
from argusic.evidence.signing.authorities import LocalSigning
from argusic.evidence.signing.batches import MOST_SUBJECTS, sign_runs
from argusic.evidence.signing.closing import sign_close
from argusic.records.base import Record
from argusic.records.cycle import Close, Cycle
from argusic.records.findings import Invalidation
from tests.evidence.published import RUN_IDS, publish
from tests.evidence.signing.conftest import Signed

NOW = datetime(2026, 11, 30, 3, tzinfo=UTC)


def write(signed: Signed, path: PurePosixPath, record: Record) -> None:
    full = signed.root / path
    full.parent.mkdir(parents=True, exist_ok=True)
    full.write_bytes(dump(record))


def cycle_of_published(root: Path) -> None:
    """Write the cycle that the published runs are of."""
    cycle = {
        "cycle": "small",
        "title": "Small",
        "edition": "v1.5",
        "edition_sha256": hashlib.sha256((root / edition_path("v1.5")).read_bytes()).hexdigest(),
        "opens": NOW,
        "closes": NOW.replace(year=2027),
        "standard_agent": "newcomer",
        "subjects": [
            {
                "subject": "package/tinydb",
                "pin": {"kind": "package", "version": "4.8.2", "file": "tinydb-4.8.2.tar.gz", "sha256": "0" * 64},
            }
        ],
    }
    path = root / cycle_path("small")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(dump(Cycle.model_validate(cycle)))


@pytest.fixture
def closed(signed: Signed) -> Signed:
    cycle_of_published(signed.root)
    finding = Invalidation(run=RUN_IDS[1], cycle="small", reason="A mirror was down.", by="ada", at=NOW)
    write(signed, invalidation_path("small", RUN_IDS[1]), finding)
    write(signed, close_path("small"), Close(cycle="small", closed=NOW, by="ada", runs=2, derived={}))
    return signed


def close(signed: Signed) -> None:
    sign_close(signed.published.database, "small", LocalSigning(signed.authority))


def test_a_close_that_nobody_signed_is_named(closed: Signed) -> None:
    assert [line.rpartition(": ")[2] for line in closed.said()] == ["no signature names this close"]
    close(closed)
    assert closed.said() == []


def test_what_was_decided_before_the_close_stays(closed: Signed) -> None:
    close(closed)
    decided = invalidation_path("small", RUN_IDS[1])
    for path in (close_path("small"), cycle_path("small"), edition_path("v1.5"), decided):
        full = closed.root / path
        whole = full.read_bytes()
        full.write_bytes(whole + b"# more\n")
        assert any("it is not the file that the close of small signed" in line for line in closed.said()), path
        full.write_bytes(whole)
    (closed.root / decided).unlink()
    assert any("the close of small signed it, and it is gone" in line for line in closed.said())


def test_an_invalidation_after_the_close_is_named(closed: Signed) -> None:
    close(closed)
    finding = Invalidation(run=RUN_IDS[0], cycle="small", reason="It lost.", by="mallory", at=NOW)
    write(closed, invalidation_path("small", RUN_IDS[0]), finding)
    assert any("it was added after small was closed and signed" in line for line in closed.said())


def test_a_run_that_is_dropped_with_the_batch_that_named_it_is_noticed(closed: Signed) -> None:
    batch = closed.bundle
    close(closed)
    for folder in closed.folders:
        shutil.rmtree(folder)
    batch.unlink()
    said = closed.said()
    assert any(f"{batch.name}: the close of small signed it, and it is gone" in line for line in said)
    assert any("it signed 2 manifests, and 0 lie there" in line for line in said)


def test_a_run_that_is_added_after_the_close_is_noticed(closed: Signed, tmp_path: Path) -> None:
    close(closed)
    publish(closed.published.database, tmp_path / "later", "20261130T014502Z-cccccc")
    closed.sign()
    said = closed.said()
    assert any("it signed 2 manifests, and 3 lie there" in line for line in said)
    assert any("it was added after small was closed and signed" in line for line in said)


def test_only_a_closed_cycle_with_signed_runs_is_signed_once(closed: Signed, tmp_path: Path) -> None:
    publish(closed.published.database, tmp_path / "later", "20261130T014502Z-cccccc")
    with pytest.raises(CheckFailed, match="1 runs of cycle small are not signed"):
        close(closed)
    closed.sign()
    close(closed)
    with pytest.raises(InputError, match="is there already"):
        close(closed)
    (closed.root / close_path("small")).unlink()
    with pytest.raises(InputError, match="is not closed"):
        close(closed)


def test_a_run_that_does_not_verify_is_not_signed(unsigned: Signed) -> None:
    (unsigned.folders[0] / "recording.cast").write_bytes(b"")
    with pytest.raises(CheckFailed, match="a run that does not verify is not signed"):
        unsigned.sign()
    assert not (unsigned.root / "runs/small/signatures").exists()


def test_what_is_signed_is_not_signed_again(signed: Signed) -> None:
    assert signed.sign() == []


def test_a_large_batch_becomes_several(unsigned: Signed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("argusic.evidence.signing.batches.MOST_SUBJECTS", 6)
    assert MOST_SUBJECTS > 6
    made = unsigned.sign()
    assert [(batch.runs, batch.files) for batch in made] == [(1, 5), (1, 5)]
    assert unsigned.said() == []


def test_a_signer_says_which_attempts_it_saw(unsigned: Signed) -> None:
    sign_runs(unsigned.published.database, "small", LocalSigning(unsigned.authority), attempts=[RUN_IDS[0]])
    (signature,) = unsigned.verify().vouching.signatures
    assert signature.attempts == 1
    assert any("the attempts that it did not run itself" in text for text in signature.not_seen)


def test_the_root_over_manifests_does_not_depend_on_their_order() -> None:
    manifests = [(PurePosixPath(f"runs/a/{number}"), f"{number:064}") for number in range(5)]
    assert manifests_root(manifests) == manifests_root(reversed(manifests))
    assert manifests_root(manifests) != manifests_root(manifests[:-1])


@given(st.lists(st.binary(max_size=4), min_size=1, max_size=40), st.data())
def test_every_inclusion_proof_leads_to_the_root(entries: list[bytes], data: st.DataObject) -> None:
    leaves = [merkle.leaf(entry) for entry in entries]
    index = data.draw(st.integers(0, len(leaves) - 1))
    at, last, found = index, len(leaves) - 1, leaves[index]
    # The verifier's side of RFC 9162, section 2.1.3.2.
    for sibling in merkle.inclusion(index, leaves):
        if at & 1 or at == last:
            found = hashlib.sha256(b"\1" + sibling + found).digest()
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            found = hashlib.sha256(b"\1" + found + sibling).digest()
        at, last = at >> 1, last >> 1
    assert last == 0
    assert found == merkle.root(leaves)


def test_the_empty_tree_has_the_hash_of_nothing() -> None:
    assert merkle.root([]) == hashlib.sha256(b"").digest()
