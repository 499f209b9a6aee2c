"""Signing digests that another job took: the signer says that it read nothing, and the files still have to agree."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from argusic.database.database import Database
from argusic.database.paths import cycle_path
from argusic.errors import CheckFailed, EnvironmentLack, InputError
from argusic.evidence.keys import KeyFolder
from argusic.evidence.signing.authorities import LocalSigning
from argusic.evidence.signing.digests import digests_of, must_be_main, sign_digests
from argusic.evidence.signing.statement import unverified_statement
from argusic.records.cycle import Cycle
from argusic.records.handing_over import Digests
from tests.evidence.signing.conftest import Signed
from tests.program import argusic


def taken(unsigned: Signed) -> Digests:
    return digests_of(unsigned.published.database, "small", [folder.name for folder in unsigned.folders])


def without_runs(unsigned: Signed, tmp_path: Path) -> Database:
    """Return the same database as main has it: without any run."""
    shutil.copytree(unsigned.root, tmp_path / "main")
    shutil.rmtree(tmp_path / "main/runs")
    main = Database(tmp_path / "main")
    (batch,) = taken(unsigned).batches
    pin = {"kind": "package", "version": "4.8.2", "file": "tinydb-4.8.2.tar.gz", "sha256": "0" * 64}
    cycle = Cycle.model_validate(
        {
            "cycle": "small",
            "title": "A small cycle",
            "edition": batch.edition.id,
            "edition_sha256": batch.edition.sha256,
            "opens": datetime(2026, 1, 1, tzinfo=UTC),
            "closes": datetime(2100, 1, 1, tzinfo=UTC),
            "standard_agent": "newcomer",
            "subjects": [{"subject": "package/tinydb", "pin": pin}],
        }
    )
    main.write(cycle_path("small"), cycle)
    return main


def signed_elsewhere(unsigned: Signed, digests: Digests, tmp_path: Path) -> Path:
    """Sign digests where no run is, bring the bundle to the runs, and return it."""
    main = without_runs(unsigned, tmp_path)
    (made,) = sign_digests(main, digests, LocalSigning(unsigned.authority), tmp_path / "signatures")
    shutil.copytree(tmp_path / "signatures", unsigned.root, dirs_exist_ok=True)
    return unsigned.root / made.path


def test_what_was_signed_by_digests_verifies_where_the_files_agree(unsigned: Signed, tmp_path: Path) -> None:
    bundle = signed_elsewhere(unsigned, taken(unsigned), tmp_path)
    verified = unsigned.verify()
    assert list(verified.findings) == []
    (signature,) = verified.vouching.signatures
    assert (signature.runs, signature.attempts, signature.by_digests) == (2, 0, True)
    assert "the files themselves" in signature.not_seen[0] and "the attempts" in signature.not_seen[1]
    batch = unverified_statement(bundle.read_bytes()).batch()
    assert batch.witnessed.files_read == 0 and batch.counts.runs == 2
    # It names the same as a signer does that has read everything, and there is nothing left to sign.
    unsigned.sign()
    assert unsigned.bundle == bundle


def test_a_file_that_is_another_than_was_collected_is_found(unsigned: Signed, tmp_path: Path) -> None:
    signed_elsewhere(unsigned, taken(unsigned), tmp_path)
    (unsigned.folders[0] / "run.yaml").write_text("another\n")
    assert any("not the file" in said or "run.yaml" in said for said in unsigned.said())


def test_a_run_that_does_not_verify_or_is_not_there_has_no_digests(unsigned: Signed) -> None:
    with pytest.raises(CheckFailed, match="is not there"):
        digests_of(unsigned.published.database, "small", ["20260101T000000Z-aaaaaa"])
    (unsigned.folders[0] / "run.yaml").write_text("another\n")
    with pytest.raises(CheckFailed, match="does not verify"):
        taken(unsigned)


def test_digests_that_no_honest_job_takes_are_refused(unsigned: Signed, tmp_path: Path) -> None:
    main, digests = without_runs(unsigned, tmp_path), taken(unsigned)
    (batch,) = digests.batches
    name, sha256 = next(iter(batch.files.items()))
    manifests = {path: digest for path, digest in batch.files.items() if not path.endswith("/evidence.yaml")}
    wrong: dict[str, dict[str, Any]] = {
        "which is no file of a run": {"files": {**batch.files, "pool/cycles/small.yaml": sha256}},
        "is no file": {"files": {**batch.files, name.replace("/newcomer/", "/stranger/"): sha256, "x": sha256}},
        "names no manifest|name no manifest": {"files": manifests},
        "of each run": {"runs": (*batch.runs, "20260101T000000Z-aaaaaa")},
        "other rules": {"edition": batch.edition.model_copy(update={"sha256": "0" * 64})},
    }
    for said, fields in wrong.items():
        one = digests.model_copy(update={"batches": (batch.model_copy(update=fields),)})
        with pytest.raises(InputError, match=said):
            sign_digests(main, one, LocalSigning(unsigned.authority), tmp_path / "signatures")
    folder = unsigned.folders[0].relative_to(unsigned.root)
    shutil.copytree(unsigned.root / folder, main.root / folder)
    (main.root / folder / "evidence.yaml").write_text("another\n")
    with pytest.raises(InputError, match="is here already"):
        sign_digests(main, digests, LocalSigning(unsigned.authority), tmp_path / "signatures")
    assert not (tmp_path / "signatures").exists()


def test_only_main_signs_in_a_workflow() -> None:
    must_be_main({})
    must_be_main({"GITHUB_ACTIONS": "true", "GITHUB_REF": "refs/heads/main"})
    for ref in ("refs/heads/other", "refs/pull/1/merge", "refs/tags/main", ""):
        with pytest.raises(EnvironmentLack, match="signs"):
            must_be_main({"GITHUB_ACTIONS": "true", "GITHUB_REF": ref})


def test_the_command_signs_what_a_file_says_and_nothing_where_that_is_nothing(unsigned: Signed, tmp_path: Path) -> None:
    main, file, to = without_runs(unsigned, tmp_path), tmp_path / "digests.json", tmp_path / "signatures"
    file.write_text(taken(unsigned).model_dump_json(by_alias=True))
    keys = {"ARGUSIC_KEYS": str(KeyFolder(tmp_path / "keys").folder)}
    sign = ("evidence", "sign", "small", "--digests", str(file), "--to", str(to), "--json")
    other = argusic(main, *sign, GITHUB_ACTIONS="true", GITHUB_REF="refs/heads/x", **keys)
    assert (other.returncode, to.exists()) == (3, False), other.stderr
    done = argusic(main, *sign, **keys)
    assert done.returncode == 0, done.stderr
    (made,) = json.loads(done.stdout)["signed"]
    assert (to / made["path"]).is_file() and made["runs"] == 2
    file.write_text(Digests(cycle="small", batches=()).model_dump_json(by_alias=True))
    nothing = argusic(main, *sign, **keys)
    assert (nothing.returncode, json.loads(nothing.stdout)["signed"]) == (0, [])
    assert argusic(main, "evidence", "sign", "small", "--digests", str(file), **keys).returncode == 2
