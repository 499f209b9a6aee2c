from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.database.paths import edition_path, instructions_path
from argusic.errors import InputError
from argusic.evidence.layout import MANIFEST_NAME, RECORDING_NAME, RUN_NAME
from argusic.evidence.manifest import describe
from argusic.evidence.store import FolderStore
from argusic.evidence.verify import verify, verify_run
from argusic.records.run import Run
from tests.evidence.published import RUN_IDS, Published, publish_two


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Published:
    monkeypatch.setenv("ARGUSIC_EVIDENCE", str(tmp_path / "store"))
    return publish_two(tmp_path)


def test_untouched_evidence_has_no_findings(published: Published) -> None:
    told: list[tuple[int, int]] = []
    verified = verify(published.database, (), lambda done, of: told.append((done, of)))
    assert verified.findings == []
    assert (verified.runs, verified.files) == (2, 8)
    assert verified.size > 0
    assert told == [(1, 2), (2, 2)]


@pytest.mark.parametrize("role", ["run", "recording", "log", "commands"])
def test_one_flipped_bit_of_any_file_is_named(published: Published, role: str) -> None:
    entry = next(file for file in published.manifest().files if file.role == role)
    path = published.folders[0] / entry.name if entry.place == "run" else published.stored(role)
    whole = path.read_bytes()
    for place in {0, len(whole) // 2, len(whole) - 1}:
        for bit in (0, 5):
            flipped = bytearray(whole)
            flipped[place] ^= 1 << bit
            path.write_bytes(flipped)
            assert any(f"{entry.name}: it is not the file that the manifest names" in said for said in published.said())
    path.write_bytes(whole)
    assert published.said() == []


def test_a_missing_file_is_named(published: Published) -> None:
    (published.folders[0] / RECORDING_NAME).unlink()
    published.stored("log").unlink()
    said = published.said(published.folders[0])
    assert [line.rpartition("/")[2] for line in said] == [
        "recording.cast: it is missing in the run's folder",
        "session.log: it is missing in the evidence store",
    ]


def test_a_file_that_is_not_listed_is_named(published: Published) -> None:
    (published.folders[0] / "notes.txt").write_text("later")
    (published.folders[0] / "more").mkdir()
    said = published.said()
    assert [line.rpartition("/")[2] for line in said] == [
        "more: the manifest does not list it",
        "notes.txt: the manifest does not list it",
    ]


def test_a_link_in_the_place_of_a_file_is_named(published: Published, tmp_path: Path) -> None:
    path = published.folders[0] / RECORDING_NAME
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert any("in the run's folder it is a symbolic link" in line for line in published.said())


def test_a_run_without_its_manifest_or_record_is_named(published: Published) -> None:
    (published.folders[0] / MANIFEST_NAME).unlink()
    (published.folders[1] / RUN_NAME).unlink()
    said = published.said()
    assert any(f"{RUN_IDS[0]}/{MANIFEST_NAME}: does not exist" in line for line in said)
    assert any(f"{RUN_IDS[1]}/{RUN_NAME}: does not exist" in line for line in said)


def _change_run(published: Published, **fields: Any) -> None:
    """Change the run and make the manifest list the changed file: only the comparison can catch it."""
    path = published.folders[0] / RUN_NAME
    run = published.database.read(path.relative_to(published.database.root), Run)  # type: ignore[arg-type]
    path.write_bytes(dump(run.model_copy(update=fields)))
    listed = [file for file in published.manifest().files if file.role != "run"]
    published.set_manifest(files=tuple(sorted([*listed, describe(path, "run", "run")], key=lambda file: file.name)))


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"commands": 2}, "run.yaml: commands: it says 2, the manifest says 1"),
        ({"agent": "oracle"}, "run.yaml: agent: it says oracle, the manifest says newcomer"),
        ({"cycle": "other"}, "run.yaml: cycle: it says other, the manifest says small"),
        ({"edition": "v1.4"}, "run.yaml: edition: it says v1.4, the manifest says v1.5"),
        ({"phases": ()}, "coverage.agent_seconds: the manifest says 1.5, measured again it is 0"),
    ],
)
def test_a_run_that_disagrees_with_its_manifest_is_named(
    published: Published, fields: dict[str, Any], what: str
) -> None:
    _change_run(published, **fields)
    assert any(what in line for line in published.said())


@pytest.mark.parametrize(
    "change",
    [
        {"complete": False},
        {"events": 5},
        {"commands_seen": 0},
        {"recorded_seconds": 2.0},
        {"end_marked": False},
        {"lacks": ("a word",)},
    ],
)
def test_coverage_that_was_claimed_and_is_not_measured_is_named(published: Published, change: dict[str, Any]) -> None:
    published.set_manifest(coverage=published.manifest().coverage.model_copy(update=change))
    (field,) = change
    assert any(f"coverage.{field}: the manifest says" in line for line in published.said())


def test_a_list_that_contradicts_itself_is_named(published: Published) -> None:
    files = published.manifest().files
    published.set_manifest(files=(*files, files[-1]))
    assert any("is listed 2 times" in line for line in published.said())
    published.set_manifest(files=tuple(file for file in files if file.role != "run"))
    assert any("run.yaml is not listed" in line for line in published.said())


def test_a_run_that_was_moved_to_another_subject_is_named(published: Published) -> None:
    moved = published.folders[0].parents[2] / "zope" / published.folders[0].parent.name / published.folders[0].name
    moved.parent.mkdir(parents=True)
    published.folders[0].rename(moved)
    assert any("run.yaml: it belongs in runs/" in said for said in published.said())


def test_rules_that_were_edited_after_the_run_are_named(published: Published) -> None:
    with (published.database.root / edition_path("v1.5")).open("a") as file:
        file.write("# edited\n")
    (published.database.root / instructions_path("standard-1")).unlink()
    said = published.said(published.folders[0])
    assert any("edition.sha256: rules/editions/v1.5.yaml now has the digest" in line for line in said)
    assert any("instructions: rules/instructions/standard-1.md cannot be read" in line for line in said)


@pytest.mark.parametrize(
    ("path", "runs"),
    [
        (".", 2),
        ("runs", 2),
        ("runs/small", 2),
        ("runs/small/package/t", 2),
        (f"runs/small/package/t/tinydb/newcomer/{RUN_IDS[0]}", 1),
        (f"runs/small/package/t/tinydb/newcomer/{RUN_IDS[0]}/run.yaml", 1),
    ],
)
def test_a_path_names_the_runs_at_above_or_below_it(published: Published, path: str, runs: int) -> None:
    assert verify(published.database, [published.database.root / path]).runs == runs


@pytest.mark.parametrize("path", ["pool", "rules/editions", "runs/nothing", ".."])
def test_a_path_without_runs_is_refused(published: Published, path: str) -> None:
    with pytest.raises(InputError):
        verify(published.database, [published.database.root / path])


@pytest.mark.parametrize("closed", ["runs/small/package/t", "runs/small/signatures"])
def test_a_folder_that_cannot_be_read_is_not_passed_over(
    published: Published, monkeypatch: pytest.MonkeyPatch, closed: str
) -> None:
    folder = published.database.root / closed
    folder.mkdir(exist_ok=True)
    scandir = os.scandir

    def refusing(path: Any = ".") -> Any:
        if not isinstance(path, int) and Path(path) == folder:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return scandir(path)

    def listing(path: Any = ".") -> list[str]:
        with refusing(path) as found:
            return [entry.name for entry in found]

    monkeypatch.setattr(os, "scandir", refusing)
    monkeypatch.setattr(os, "listdir", listing)
    with pytest.raises(PermissionError):
        verify(published.database)


def test_a_database_without_runs_has_nothing_to_verify(tmp_path: Path) -> None:
    assert verify(Database(tmp_path)).runs == 0


def test_one_run_is_verified_without_a_database(published: Published) -> None:
    store = FolderStore(published.database.store_folder)
    assert verify_run(published.folders[0], store) == []
    (published.folders[0] / "x").touch()
    assert [finding.what for finding in verify_run(published.folders[0], store)] == ["the manifest does not list it"]
