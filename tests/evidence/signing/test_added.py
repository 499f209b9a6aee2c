"""Runs that a pull request adds: what they are, and who vouches for them, by the policy that was there before."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from argusic.database.codec import dump
from argusic.database.paths import TRUST_PATH
from argusic.evidence.keys import KeyFolder
from argusic.evidence.layout import MANIFEST_NAME, RECORDING_NAME
from argusic.evidence.signing.authorities import LocalSigning
from argusic.evidence.signing.batches import sign_runs
from argusic.evidence.trust.authority import LocalAuthority
from argusic.records.trust import Trust
from argusic.referee.checks.signed import check_signed
from tests.evidence.published import publish
from tests.evidence.signing.conftest import Signed
from tests.made_database import commit

NOT_SIGNED = f"evidence.yaml: no signature that {TRUST_PATH} allowed before this change names this run."


def policy(*authorities: LocalAuthority) -> bytes:
    roots, signers = ([getattr(one, what)() for one in authorities] for what in ("root", "signer"))
    return dump(Trust(roots=tuple(roots), signers=tuple(signers)))


@pytest.fixture
def proposed(unsigned: Signed) -> Signed:
    """Return a checkout whose base names who may sign, and has no run yet; two runs are added to it."""
    (unsigned.root / TRUST_PATH).write_bytes(policy(unsigned.authority))
    runs = unsigned.root / "runs"
    aside = runs.rename(unsigned.root.parent / "aside")
    commit(unsigned.root)
    aside.rename(runs)
    return unsigned


def found(proposed: Signed) -> list[str]:
    return [str(finding) for finding in check_signed(proposed.published.database, "HEAD")]


def test_runs_that_somebody_signed_who_may_have_no_findings(proposed: Signed) -> None:
    proposed.sign()
    assert found(proposed) == []


def test_a_run_that_nobody_signed_is_named(proposed: Signed, tmp_path: Path) -> None:
    proposed.sign()
    new = publish(proposed.published.database, tmp_path / "third", "20261130T014502Z-cccccc")
    assert found(proposed) == [f"{new.relative_to(proposed.root)}/{NOT_SIGNED}"]


@pytest.mark.parametrize("adds", [False, True], ids=["unknown", "named by the change itself"])
def test_whoever_the_change_names_as_a_signer_signs_nothing_in_it(proposed: Signed, tmp_path: Path, adds: bool) -> None:
    other = LocalAuthority.create(KeyFolder(tmp_path / "other"), "eve")
    sign_runs(proposed.published.database, "small", LocalSigning(other, None))
    if adds:
        (proposed.root / TRUST_PATH).write_bytes(policy(proposed.authority, other))
    said = found(proposed)
    assert sum(line.endswith(NOT_SIGNED) for line in said) == 2
    assert any(".sigstore.json: it is certified by an authority that is not known here" in line for line in said)


def forget(signed: Signed) -> None:
    shutil.rmtree(signed.folders[1])


def alter(signed: Signed) -> None:
    path = signed.folders[0] / MANIFEST_NAME
    path.write_bytes(path.read_bytes().replace(b"schema: 1", b"schema: 1 # one"))


def swap(signed: Signed) -> None:
    path = signed.folders[0] / RECORDING_NAME
    path.write_bytes(path.read_bytes() + b" ")


def spoil(signed: Signed) -> None:
    signed.bundle.write_bytes(signed.bundle.read_bytes()[:-9])


def link(signed: Signed) -> None:
    aside = signed.bundle.rename(signed.root.parent / "aside.json")
    (signed.root / "runs/small/signatures" / f"{'a' * 4}.sigstore.json").symlink_to(aside)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            forget,
            "was made over runs/small/package/t/tinydb/newcomer/20261130T014501Z-bbbbbb as well, which is not here.",
        ),
        (alter, "evidence.yaml: it is not the file that batch"),
        (swap, "it is not the file that the manifest names"),
        (spoil, "sigstore.json: it is no Sigstore bundle"),
        (link, NOT_SIGNED),
    ],
)
def test_what_is_not_as_it_was_signed_is_named(
    proposed: Signed, change: Callable[[Signed], None], sentence: str
) -> None:
    proposed.sign()
    change(proposed)
    assert any(sentence in line for line in found(proposed)), found(proposed)


@pytest.mark.parametrize("home", ["releases: {repository: ada/referee}", "bucket: {name: elsewhere}", "no: store", "{"])
def test_evidence_that_lies_elsewhere_is_not_looked_at_and_not_fetched(proposed: Signed, home: str) -> None:
    proposed.sign()
    shutil.rmtree(proposed.published.database.store_folder)
    # A change may say where evidence lies; nobody asks there while it is checked.
    (proposed.root / "rules/evidence.yaml").write_text(f"schema: 1\n{home}\n")
    assert found(proposed) == []


def test_where_the_base_names_nobody_signatures_are_not_asked_for(proposed: Signed, tmp_path: Path) -> None:
    (proposed.root / TRUST_PATH).unlink()
    shutil.rmtree(proposed.root / ".git")
    aside = (proposed.root / "runs").rename(tmp_path / "aside")
    commit(proposed.root)
    aside.rename(proposed.root / "runs")
    assert found(proposed) == []
    swap(proposed)
    assert any("is not the file that the manifest names" in line for line in found(proposed))


def test_a_close_is_signed_where_runs_are(proposed: Signed) -> None:
    proposed.sign()
    (proposed.root / "runs/small/close.yaml").write_text("schema: 1\n")
    assert found(proposed) == ["runs/small/close.yaml: no signature names this close."]
