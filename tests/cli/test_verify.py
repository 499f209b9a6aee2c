from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from argusic.cli.main import build
from argusic.evidence.layout import RECORDING_NAME
from tests.evidence.published import Published, publish_two


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Published:
    monkeypatch.setenv("ARGUSIC_EVIDENCE", str(tmp_path / "store"))
    return publish_two(tmp_path)


def verify(published: Published, *words: str) -> Result:
    return CliRunner().invoke(build("verify"), ["--repo", str(published.database.root), "verify", *words])


def test_it_says_what_it_checked_and_what_that_does_not_prove(published: Published) -> None:
    done = verify(published)
    assert done.exit_code == 0
    assert "2 runs, 8 files" in done.stdout
    assert "Checked: " in done.stdout
    assert "2 of 2 runs are not signed." in done.stdout
    assert "Not proven: who made the evidence of runs that are not signed." in done.stdout


def test_a_finding_is_named_and_exits_with_1(published: Published) -> None:
    (published.folders[0] / RECORDING_NAME).write_bytes(b"")
    done = verify(published, str(published.folders[0]))
    assert done.exit_code == 1
    assert f"{RECORDING_NAME}: it is not the file that the manifest names" in done.stdout


def test_json_holds_the_same(published: Published) -> None:
    (published.folders[1] / RECORDING_NAME).unlink()
    done = verify(published, "--json")
    assert done.exit_code == 1
    result = json.loads(done.stdout)
    assert (result["ok"], result["runs"], result["files"]) == (False, 2, 8)
    (finding,) = result["findings"]
    assert finding["what"] == "it is missing in the run's folder"
    assert "not signed" in result["not_proven"]
