"""Whatever is altered after signing is named, also where files and manifest were altered together."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from argusic.database.codec import dump
from argusic.database.paths import withdrawal_path
from argusic.evidence.layout import LOG_NAME, MANIFEST_NAME, RECORDING_NAME, RUN_NAME
from argusic.evidence.manifest import describe
from argusic.evidence.signing.verifying import NotSigned, SignatureVerifier
from argusic.evidence.store import FolderStore
from argusic.records.findings import Withdrawal
from argusic.records.trust import Trust
from tests.evidence.published import publish
from tests.evidence.signing.conftest import Signed
from tests.referee.test_tampering import each_leaf_altered


def test_what_was_signed_and_not_touched_has_no_findings(signed: Signed) -> None:
    verified = signed.verify()
    assert verified.findings == []
    (signature,) = verified.vouching.signatures
    assert (signature.signer, signature.runs, signature.authority) == ("ada", 2, "the local authority ada")
    assert verified.vouching.unsigned == []


def test_one_run_is_verified_against_the_batch_it_is_in(signed: Signed) -> None:
    verified = signed.verify(signed.folders[0])
    assert (verified.runs, verified.findings) == (1, [])


@pytest.mark.parametrize("role", ["run", "recording", "log", "commands"])
def test_a_file_that_was_altered_together_with_its_manifest_is_named(signed: Signed, tmp_path: Path, role: str) -> None:
    manifest = signed.published.manifest()
    entry = next(file for file in manifest.files if file.role == role)
    path = signed.folders[0] / entry.name if entry.place == "run" else signed.published.stored(role)
    altered = tmp_path / "altered" / entry.name
    altered.parent.mkdir()
    altered.write_bytes(path.read_bytes() + b"# more\n")
    if entry.place == "run":
        shutil.copy(altered, path)
    else:
        FolderStore(signed.published.database.store_folder).put(altered)
    changed = describe(altered, entry.role, entry.place)
    signed.published.set_manifest(files=tuple(changed if file == entry else file for file in manifest.files))
    said = signed.said()
    assert any(f"{entry.name}: it is not the file that batch" in line for line in said)
    assert any(f"{MANIFEST_NAME}: it is not the file that batch" in line for line in said)


@pytest.mark.parametrize("number", [0, 1])
def test_one_flipped_bit_of_any_file_of_any_run_is_named(signed: Signed, number: int) -> None:
    store = signed.published.database.store_folder
    files = list(signed.folders[number].iterdir())
    files += [path for path in store.rglob("*") if path.is_file()]
    for path in files:
        path.chmod(0o644)
        whole = path.read_bytes()
        for place in {0, len(whole) // 3, len(whole) // 2, len(whole) - 1}:
            flipped = bytearray(whole)
            flipped[place] ^= 1
            path.write_bytes(flipped)
            assert signed.said(), f"{path.name}, byte {place}"
        path.write_bytes(whole)
    assert signed.said() == []


def test_no_flipped_bit_of_a_bundle_changes_what_was_signed(signed: Signed) -> None:
    whole = signed.bundle.read_bytes()
    shown = signed.bundle.relative_to(signed.root)
    verifier = SignatureVerifier(signed.trusting())
    sound = verifier.verify(shown, whole)  # type: ignore[arg-type]
    caught = 0
    for place in range(0, len(whole) - 1, 37):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << (place % 7)
        try:
            survived = verifier.verify(shown, bytes(flipped))  # type: ignore[arg-type]
        except NotSigned:
            caught += 1
        else:
            # A bit that says nothing, such as the unused ones at the end of base64.
            assert (survived.statement, survived.identity) == (sound.statement, sound.identity)
    assert caught > 0.9 * len(range(0, len(whole) - 1, 37))


def test_each_scalar_of_a_manifest_is_guarded(signed: Signed) -> None:
    folder = signed.folders[0]
    assert each_leaf_altered(folder / MANIFEST_NAME, lambda: signed.said(folder)) == []


def test_a_bundle_that_is_none_is_named(signed: Signed) -> None:
    for data in (b"", b"{}", b"[1]", b"\xff\xfe", b"[" * 100_000, b'{"mediaType": 7}', b"null"):
        signed.bundle.write_bytes(data)
        assert any("it is no Sigstore bundle" in line for line in signed.said()), data[:20]


def test_a_run_that_was_dropped_is_named(signed: Signed) -> None:
    shutil.rmtree(signed.folders[1])
    (said,) = signed.said()
    assert "was signed in batch" in said and said.endswith("and is gone")
    (said,) = signed.said(signed.root / "runs/small/package")
    assert said.endswith("and is gone")
    assert signed.said(signed.folders[0]) == []


def test_a_run_that_was_added_is_named(signed: Signed, tmp_path: Path) -> None:
    publish(signed.published.database, tmp_path / "later", "20261130T014502Z-cccccc")
    assert [line.rpartition(": ")[2] for line in signed.said()] == ["no valid signature names this run"]
    signed.sign()
    assert signed.said() == []
    assert len(signed.verify().vouching.signatures) == 2


def test_two_runs_whose_files_were_swapped_are_named(signed: Signed, tmp_path: Path) -> None:
    first, second = signed.folders
    for name in (RUN_NAME, MANIFEST_NAME, RECORDING_NAME):
        shutil.move(first / name, tmp_path / name)
        shutil.move(second / name, first / name)
        shutil.move(tmp_path / name, second / name)
    said = signed.said()
    for folder in (first, second):
        assert any(f"{folder.name}/{MANIFEST_NAME}: it is not the file that batch" in line for line in said)


def test_a_run_that_was_moved_to_another_subject_is_named(signed: Signed) -> None:
    elsewhere = signed.root / "runs/small/package/o/other/newcomer" / signed.folders[0].name
    elsewhere.parent.mkdir(parents=True)
    signed.folders[0].rename(elsewhere)
    said = signed.said()
    assert any("o/other" in line and "no valid signature names this run" in line for line in said)
    assert any("t/tinydb" in line and line.endswith("and is gone") for line in said)


def test_a_bundle_that_is_replayed_on_another_cycle_or_batch_is_named(signed: Signed) -> None:
    shutil.copytree(signed.root / "runs/small", signed.root / "runs/other")
    said = signed.said(signed.root / "runs/other")
    assert any("it was made for batch" in line and "of cycle small" in line for line in said)
    assert sum("no valid signature names this run" in line for line in said) == 2
    shutil.rmtree(signed.root / "runs/other")
    shutil.copy(signed.bundle, signed.bundle.with_name("20261130T090000Z-zzzzzz.sigstore.json"))
    (said_once,) = signed.said()
    assert "it was made for batch" in said_once


def test_a_statement_that_leaves_a_file_out_or_names_one_more_is_named(signed: Signed) -> None:
    manifest = signed.published.manifest()
    signed.published.set_manifest(files=tuple(file for file in manifest.files if file.role != "log"))
    assert any(f"{LOG_NAME}: batch" in line and "the manifest lacks it" in line for line in signed.said())
    extra = signed.folders[0] / "extra.txt"
    extra.write_text("more")
    signed.published.set_manifest(
        files=tuple(sorted([*manifest.files, describe(extra, "trajectory", "run")], key=lambda file: file.name))
    )
    assert any("extra.txt: no signature names it" in line for line in signed.said())


def test_two_signatures_that_contradict_each_other_are_named(signed: Signed) -> None:
    first = signed.bundle
    kept = first.read_bytes()
    first.unlink()
    signed.published.set_manifest(key="shared")
    signed.sign()
    first.write_bytes(kept)
    assert any("with another digest" in line for line in signed.said())


def test_withdrawn_files_are_counted_and_an_empty_tombstone_excuses_nothing(signed: Signed) -> None:
    manifest = signed.published.manifest()
    sha256 = next(file.sha256 for file in manifest.files if file.name == RECORDING_NAME)
    (signed.folders[0] / RECORDING_NAME).unlink()
    facts = {"run": manifest.run, "cycle": "small", "reason": "A name.", "by": "ada", "at": signed.clock()}
    path = signed.root / withdrawal_path("small", manifest.run)
    path.parent.mkdir()
    path.write_bytes(dump(Withdrawal.model_validate({**facts, "files": [{"name": RECORDING_NAME, "sha256": sha256}]})))
    verified = signed.verify()
    assert (verified.withdrawn, verified.findings) == (1, [])
    path.write_bytes(
        dump(Withdrawal.model_validate({**facts, "files": [{"name": RECORDING_NAME, "sha256": "0" * 64}]}))
    )
    assert any("it is missing in the run's folder" in line for line in signed.said())


@pytest.mark.sandbox
def test_it_verifies_without_any_network(signed: Signed, tmp_path: Path, unshared: Callable[..., list[str]]) -> None:
    trust = tmp_path / "trust.yaml"
    trust.write_bytes(dump(Trust(roots=(signed.authority.root(),), signers=(signed.authority.signer(),))))
    command = [sys.executable, "-m", "argusic", "--repo", str(signed.root), "verify", "--trust", str(trust), "--json"]
    done = subprocess.run(unshared(*command), capture_output=True, text=True, timeout=100, env={**os.environ})
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout)
    assert (result["ok"], result["signed"], result["unsigned"]) == (True, 2, [])
