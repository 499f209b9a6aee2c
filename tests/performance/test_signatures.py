"""Verifying signatures costs a fraction of verifying the files: each bundle once, whatever the number of its runs."""

from __future__ import annotations

import os
import time
from datetime import timedelta
from pathlib import Path

import pytest

from argusic.database.codec import dump
from argusic.database.paths import run_folder
from argusic.evidence.keys import KeyFolder
from argusic.evidence.layout import MANIFEST_NAME, RECORDING_NAME, RUN_NAME
from argusic.evidence.manifest import describe
from argusic.evidence.one_run import check_run
from argusic.evidence.signing.authorities import LocalSigning
from argusic.evidence.signing.batches import sign_runs
from argusic.evidence.signing.checking import vouching
from argusic.evidence.signing.manifests import run_folders
from argusic.evidence.signing.trusting import Trusting
from argusic.evidence.store import FolderStore
from argusic.evidence.trust.authority import LocalAuthority
from argusic.records.run import Run
from tests.evidence.published import Published, publish_two

RUNS = 1000


def _more(published: Published) -> None:
    """Publish further runs with the first one's files."""
    database, first, manifest = published.database, published.folders[0], published.manifest()
    run = database.read(first.relative_to(database.root) / RUN_NAME, Run)  # type: ignore[arg-type]
    for number in range(2, RUNS):
        started = run.started + timedelta(seconds=number)
        name = f"{started:%Y%m%dT%H%M%SZ}-aaaaaa"
        folder = database.root / run_folder("small", run.subject, run.agent, name)
        folder.mkdir()
        own = run.model_copy(update={"run": name, "started": started, "finished": started})
        (folder / RUN_NAME).write_bytes(dump(own))
        os.link(first / RECORDING_NAME, folder / RECORDING_NAME)
        listed = [describe(folder / RUN_NAME, "run", "run") if file.role == "run" else file for file in manifest.files]
        changed = manifest.model_copy(update={"run": name, "files": tuple(listed)})
        (folder / MANIFEST_NAME).write_bytes(dump(changed))


@pytest.mark.performance
def test_signatures_over_a_thousand_runs_cost_less_than_half_of_their_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARGUSIC_EVIDENCE", str(tmp_path / "store"))
    published = publish_two(tmp_path)
    _more(published)
    database = published.database
    authority = LocalAuthority.create(KeyFolder(tmp_path / "keys"), "ada")
    made = sign_runs(database, "small", LocalSigning(authority))
    files = sum(batch.files for batch in made)
    size = sum((database.root / batch.path).stat().st_size for batch in made)
    assert size / files < 300, "bytes of git for each file that is vouched for"
    store = FolderStore(database.store_folder)
    began = time.process_time()
    checked = [check_run(folder, store, database.root) for folder in run_folders(database, "small")]
    of_files = time.process_time() - began
    trusted = Trusting((Path("outside"),), (authority.root(),), (authority.signer(),))
    began = time.process_time()
    vouched = vouching(database, ["small"], [database.root / "runs"], checked, trusted)
    of_signatures = time.process_time() - began
    assert (len(checked), vouched.findings, vouched.unsigned) == (RUNS, [], [])
    assert of_signatures < of_files / 2
