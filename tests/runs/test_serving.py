"""What is published of an attempt that printed secrets: masks, with the raw form sealed; and nothing of it in clear."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.evidence.layout import MANIFEST_NAME
from argusic.evidence.store import FolderStore
from argusic.evidence.verify import verify
from argusic.records.manifest import Manifest
from argusic.rules.rubric import score
from argusic.runs.session import Mission, Session
from tests.runs.test_attempt import REPORT, Bench

pytestmark = pytest.mark.sandbox

#: The shape of a token, made up here and valid nowhere.
TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5"


@pytest.fixture
def bench(small_database: Callable[..., Database], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setenv("ARGUSIC_KEYS", str(tmp_path / "keys"))
    return Bench(small_database())


def everything(database: Database) -> bytes:
    """Return every byte that is published or kept, but for the user's keys."""
    folders = (database.root / "runs", database.store_folder)
    return b"".join(path.read_bytes() for folder in folders for path in sorted(folder.rglob("*")) if path.is_file())


def test_a_secret_is_nowhere_in_what_is_kept_and_its_raw_form_can_be_opened(bench: Bench, tmp_path: Path) -> None:
    def act(session: Session, mission: Mission) -> None:
        session.run(f"echo token={TOKEN}")
        session.run("python3 subject/greet.py World")
        session.run(
            f"cat > {mission.report_path} <<'END'\n{REPORT.replace('It greets.', f'It greets with {TOKEN}.')}END"
        )

    run = bench.attempt(act)
    database = bench.database
    assert run.ending.how == "completed"
    assert score(run, database.edition("v1.5")[0]).outcome == "pass_full"
    assert run.report.content is not None
    assert TOKEN not in run.report.content.final_state
    assert TOKEN.encode() not in everything(database)
    (stored,) = database.runs()
    manifest = database.read(stored.folder / MANIFEST_NAME, Manifest)
    assert manifest.redaction is not None
    assert {(change.file, change.what) for change in manifest.redaction.transforms} == {
        (name, "secret_shape") for name in ("recording.cast", "session.log", "commands.jsonl", "report.yaml")
    }
    assert [sealed.name for sealed in manifest.sealed or ()] == [
        "commands.jsonl", "recording.cast", "report.yaml", "session.log"
    ]  # fmt: skip
    assert verify(database).findings == []


def test_evidence_without_a_secret_is_served_as_it_was_recorded(bench: Bench) -> None:
    bench.attempt(lambda session, mission: session.run("sha256sum subject/*") and None)
    (stored,) = bench.database.runs()
    manifest = bench.database.read(stored.folder / MANIFEST_NAME, Manifest)
    assert manifest.sealed is None
    assert manifest.redaction is not None
    assert manifest.redaction.transforms == ()
    assert not (bench.database.root / "runs/small/recipients.yaml").exists()


def test_a_generated_private_key_is_masked_and_does_not_withhold_the_run(bench: Bench) -> None:
    key = subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519"], capture_output=True, text=True, check=True)
    body = key.stdout.splitlines()[1]
    run = bench.attempt(lambda session, mission: session.run(f"cat <<'END'\n{key.stdout}END") and None)
    assert run.ending.how == "completed"
    assert body.encode() not in everything(bench.database)
    (stored,) = bench.database.runs()
    manifest = bench.database.read(stored.folder / MANIFEST_NAME, Manifest)
    assert manifest.redaction is not None
    assert {change.what for change in manifest.redaction.transforms} == {"generated_key"}
    assert FolderStore(bench.database.store_folder).check((manifest.sealed or ())[0].sealed_sha256).is_file()


def test_where_the_search_itself_fails_nothing_is_served(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(raw: Path, folder: Path, known: object, program: str | None) -> None:
        (folder / "recording.cast").write_bytes((raw / "recording.cast").read_bytes())
        raise RecursionError

    monkeypatch.setattr("argusic.runs.serving.redact", fails)
    run = bench.attempt(lambda session, mission: session.run(f"echo {TOKEN}") and None)
    assert (run.ending.how, run.ending.detail) == ("withheld", "the search for credentials failed: RecursionError")
    assert TOKEN.encode() not in everything(bench.database)
    (stored,) = bench.database.runs()
    manifest = bench.database.read(stored.folder / MANIFEST_NAME, Manifest)
    assert [file.name for file in manifest.files] == ["run.yaml"]
    assert verify(bench.database).findings == []
