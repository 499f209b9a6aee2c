"""`argusic trust init`, `argusic evidence sign|open` and `argusic verify` as a person uses them one after the other."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from argusic.cli.main import build
from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.database.paths import TRUST_PATH
from argusic.evidence.keys import KeyFolder
from argusic.evidence.layout import LOG_NAME, MANIFEST_NAME, RUN_NAME
from argusic.evidence.sealing.keys import ensure_recipients
from argusic.evidence.sealing.sealing import seal
from argusic.evidence.store import FolderStore
from argusic.records.trust import Trust
from tests.evidence.published import RUN_IDS, Published, publish_two
from tests.evidence.signing.test_closing import cycle_of_published


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Published:
    monkeypatch.setenv("ARGUSIC_EVIDENCE", str(tmp_path / "store"))
    monkeypatch.setenv("ARGUSIC_KEYS", str(tmp_path / "keys"))
    made = publish_two(tmp_path)
    cycle_of_published(made.database.root)
    return made


def argusic(published: Published, *words: str) -> Result:
    return CliRunner().invoke(build(words[0]), ["--repo", str(published.database.root), *words], catch_exceptions=True)


def test_from_an_authority_to_verified_signatures(published: Published, tmp_path: Path) -> None:
    made = argusic(published, "trust", "init", "--name", "ada", "--publish")
    assert made.exit_code == 0, made.output
    assert (published.database.root / TRUST_PATH).is_file()
    done = argusic(published, "verify")
    assert done.exit_code == 1
    assert "no valid signature names this run" in done.stdout
    done = argusic(published, "evidence", "sign", "small")
    assert done.exit_code == 0, done.output
    assert "2 runs, 10 files" in done.stdout
    assert "Everything is signed already." in argusic(published, "evidence", "sign", "small").stdout
    done = argusic(published, "verify")
    assert done.exit_code == 0, done.output
    assert "signed by ada (https://local.argusic.invalid/ada)" in done.stdout
    assert "certified by the local authority ada." in done.stdout
    assert "Not proven by a signature: that the attempt happened as recorded" in done.stdout
    result = json.loads(argusic(published, "verify", "--json").stdout)
    assert (result["ok"], result["signed"], result["signatures"][0]["attempts_seen"]) == (True, 2, 0)
    assert result["trust"] == [str(tmp_path / "keys/trust/ada.yaml")]


def test_who_trusts_nobody_is_told_so(published: Published, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    argusic(published, "trust", "init", "--name", "ada")
    argusic(published, "evidence", "sign", "small")
    monkeypatch.setenv("ARGUSIC_KEYS", str(tmp_path / "a-stranger"))
    done = argusic(published, "verify")
    assert done.exit_code == 0
    assert "certified by an authority that is not known here" in done.stdout
    assert "2 of 2 runs have no signature that could be judged." in done.stdout
    assert "not signed" not in done.stdout
    assert "name them with --trust FILE" in done.stdout
    assert "Whom this repository itself states is in rules/trust/policy.yaml" in done.stdout
    done = argusic(published, "verify", "--trust", str(tmp_path / "keys/trust/ada.yaml"))
    assert done.exit_code == 0, done.output
    assert "signed by ada" in done.stdout


def test_a_changed_policy_is_shown_as_history(published: Published, monkeypatch: pytest.MonkeyPatch) -> None:
    argusic(published, "trust", "init", "--name", "ada", "--publish")
    argusic(published, "evidence", "sign", "small")
    root = published.database.root
    git = ["git", "-C", str(root), "-c", "user.name=T", "-c", "user.email=t@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    for subject in ("A policy", "Another policy"):
        (root / TRUST_PATH).write_bytes((root / TRUST_PATH).read_bytes() + b"# more\n")
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", subject], check=True)
    done = argusic(published, "verify")
    assert "Who may sign, as this repository states it, changed 1 times:" in done.stdout
    assert "Another policy" in done.stdout
    history = json.loads(argusic(published, "verify", "--json").stdout)["policy_history"]
    assert [revision["subject"] for revision in history] == ["Another policy", "A policy"]


def test_an_authority_is_made_once_and_never_in_a_repository(
    published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert argusic(published, "trust", "init", "--name", "ada").exit_code == 0
    again = argusic(published, "trust", "init", "--name", "ada")
    assert "holds an authority already" in str(again.exception)
    monkeypatch.setenv("ARGUSIC_KEYS", str(published.database.root / "keys"))
    inside = argusic(published, "trust", "init")
    assert "lies in a repository" in str(inside.exception)
    assert not (published.database.root / "keys").exists()


def test_the_published_policy_is_a_record(published: Published) -> None:
    argusic(published, "trust", "init", "--name", "ada", "--publish")
    policy = published.database.read(TRUST_PATH, Trust)
    assert "ada" in [signer.name for signer in policy.signers]
    assert "names this authority already" in str(argusic(published, "trust", "init", "--publish").exception)


def _sealed(published: Published, tmp_path: Path) -> None:
    """Seal the raw log of the first run, as whoever publishes it does."""
    database = Database(published.database.root)
    raw = tmp_path / "raw" / LOG_NAME
    raw.parent.mkdir()
    raw.write_text("the token is abc\n")
    recipients = ensure_recipients(database, "small", KeyFolder.of_user())
    entry = seal(raw, "log", FolderStore(database.store_folder), recipients)
    path = published.folders[0] / MANIFEST_NAME
    path.write_bytes(dump(published.manifest().model_copy(update={"sealed": (entry,)})))


def test_a_sealed_file_is_opened_and_checked(published: Published, tmp_path: Path) -> None:
    _sealed(published, tmp_path)
    done = argusic(published, "evidence", "open", RUN_IDS[0], "--to", str(tmp_path / "opened"))
    assert done.exit_code == 0, done.output
    assert (tmp_path / "opened" / LOG_NAME).read_text() == "the token is abc\n"
    key = tmp_path / "keys/sealing/recovery.key"
    done = argusic(
        published,
        "evidence",
        "open",
        RUN_IDS[0],
        "--to",
        str(tmp_path / "b"),
        "--identity",
        str(key),
        "--file",
        LOG_NAME,
    )
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ((RUN_IDS[1],), "has no sealed file"),
        ((RUN_IDS[0], "--file", RUN_NAME), "has no sealed run.yaml; it has: session.log"),
        ((RUN_IDS[0], "--to", "TOP/runs/x"), "lies in the repository"),
        ((RUN_IDS[0], "--to", "/etc/passwd"), "/etc/passwd: is no folder"),
        ((RUN_IDS[0], "--to", "/nowhere/x", "--identity", "/nowhere"), "cannot be read"),
        (("20261130T014500Z-zzzzzz",), "there is no run"),
    ],
)
def test_what_cannot_be_opened_is_said(published: Published, tmp_path: Path, words: tuple[str, ...], what: str) -> None:
    _sealed(published, tmp_path)
    words = tuple(word.replace("TOP", str(published.database.root)) for word in words)
    assert what in str(argusic(published, "evidence", "open", *words).exception)


def test_a_sealed_file_is_vouched_for_and_need_not_be_here(published: Published, tmp_path: Path) -> None:
    _sealed(published, tmp_path)
    argusic(published, "trust", "init", "--name", "ada")
    assert "2 runs, 11 files" in argusic(published, "evidence", "sign", "small").stdout
    entry = (published.manifest().sealed or ())[0]
    sealed = FolderStore(published.database.store_folder).path(entry.sealed_sha256)
    sealed.chmod(0o644)
    whole = sealed.read_bytes()
    sealed.write_bytes(whole[:-1])
    assert "session.log.age: in the evidence store it is not the sealed file" in argusic(published, "verify").stdout
    sealed.unlink()
    sealed.symlink_to("/etc/passwd")
    assert "session.log.age: in the evidence store it is a symbolic link" in argusic(published, "verify").stdout
    sealed.unlink()
    assert argusic(published, "verify").exit_code == 0
