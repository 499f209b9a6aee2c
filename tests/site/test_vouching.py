"""A run's page says what its report claims against the record, whether it is held, and who vouches for it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from argusic.database.codec import dump
from argusic.database.paths import MANIFEST_FILE, claim_screening_path, run_folder
from argusic.evidence.keys import KeyFolder
from argusic.evidence.signing.authorities import LocalSigning
from argusic.evidence.signing.batches import sign_runs
from argusic.evidence.trust.authority import LocalAuthority
from argusic.evidence.trust.starting import start_authority
from argusic.records.findings import ClaimScreening
from argusic.records.manifest import Manifest
from argusic.records.run import Run
from argusic.referee.recompute import recompute
from argusic.site.build import build
from tests.site.conftest import silent
from tests.site.fixture_database import CYCLE, PASS, Command, FixtureDatabase
from tests.site.reading import ReadPage, dead_links, pages

#: What ran: not the command that the report names as its proof.
RAN = (Command("pip install demo", "Successfully installed demo-1.0\n"), Command("python -m demo", "usage: demo\n"))


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FixtureDatabase:
    """Return a database with an honest run, one whose proof never ran, and a control that lied."""
    monkeypatch.setenv("ARGUSIC_KEYS", str(tmp_path / "keys"))
    made = FixtureDatabase(tmp_path / "referee")
    made.agent("liar", "Liar", role="control")
    made.run(made.subject("honest"), PASS, audited=True)
    boasts = made.subject("boasts")
    made.run(boasts, PASS, commands=RAN, audited=True)
    made.run(boasts, PASS, agent="liar", purpose="control", commands=RAN, audited=True)
    made.finish()
    return made


def shown(made: FixtureDatabase, to: Path) -> dict[str, ReadPage]:
    built = build(made.database, to, silent)
    found = pages(built.folder)
    assert dead_links(built.folder, found) == []
    return found


def sections(page: ReadPage) -> dict[str, str]:
    """Return the text of each run on a subject's page, by whether it is an attempt or a control."""
    _, _, attempt = page.said().partition("Attempt 1, ")
    attempt, _, control = attempt.partition("Control, ")
    return {"attempt": attempt, "control": control}


def run_of(made: FixtureDatabase, agent: str, subject: str = "package/boasts") -> Run:
    (found,) = [one.run for one in made.database.runs() if (one.run.agent, one.run.subject) == (agent, subject)]
    return found


def test_what_the_recording_does_not_bear_out_is_on_the_page_with_its_second(
    made: FixtureDatabase, tmp_path: Path
) -> None:
    found = shown(made, tmp_path / "site")
    boasts = sections(found["subjects/package/boasts.html"])
    for section in boasts.values():
        assert "The report against the recording" in section
        assert "Contradicted: verified_how.command: No recorded command is “python -m demo decode out.bin”." in section
    assert "a control, which proves the harness, is held up by none of it" in boasts["control"]
    assert "is contradicted outright keeps a run from counting until a person has said" in boasts["attempt"]
    # A finding that commands show leads to each of them.
    honest = found["subjects/package/honest.html"]
    note = "Note: verified_how.command: Whether “python” decodes is not known; what it printed is in the recording."
    assert f"{note} command 3, at 0:14" in honest.said()
    assert any(address.endswith("recording.html?t=14.5") for address in honest.addresses())


def test_a_held_run_says_so_shows_no_score_and_what_a_person_found(made: FixtureDatabase, tmp_path: Path) -> None:
    found = sections(shown(made, tmp_path / "site")["subjects/package/boasts.html"])
    assert "Held: The record contradicts what its report claims (verified_how.command);" in found["attempt"]
    assert "How the score came about" not in found["attempt"] and "no score" in found["attempt"]
    assert "Held" not in found["control"] and "How the score came about" in found["control"]
    held = run_of(made, "newcomer")
    said = ClaimScreening(
        run=held.run,
        cycle=CYCLE,
        fields=("verified_how.command",),
        finding="agent",
        reason="The recording shows <b>no</b> such command.",
        by="ada",
        at=datetime(2026, 11, 30, tzinfo=UTC),
    )
    made.database.write(claim_screening_path(CYCLE, held.run), said)
    recompute(made.database)
    attempt = sections(shown(made, tmp_path / "again")["subjects/package/boasts.html"])["attempt"]
    assert "The agent claimed what did not happen. The run counts with the score that its edition gives." in attempt
    assert "The recording shows <b>no</b> such command." in attempt
    assert "How the score came about" in attempt and "Contradicted: verified_how.command" in attempt


def test_who_signed_is_on_the_page_or_that_nobody_did(made: FixtureDatabase, tmp_path: Path) -> None:
    unsigned = shown(made, tmp_path / "unsigned")["subjects/package/honest.html"].said()
    assert "Not signed: nobody vouches for this run yet." in unsigned
    keys = KeyFolder(tmp_path / "keys")
    authority = start_authority(keys, "ada")
    (batch,) = _signed(made, authority)
    text = shown(made, tmp_path / "signed")["subjects/package/honest.html"].said()
    assert "Signed by ada (https://local.argusic.invalid/ada)" in text
    assert f"{batch}, runs/first/signatures/{batch}.sigstore.json" in text
    assert "Certified by the local authority ada" in text
    assert "whoever built it had stated that this signer may sign" in text
    assert "argusic verify runs/first/package/h/honest/" in text


def test_a_signature_that_proves_nothing_is_never_shown_as_one(
    made: FixtureDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = start_authority(KeyFolder(tmp_path / "keys"), "ada")
    _signed(made, authority)
    # Whoever builds the site does not know the authority.
    monkeypatch.setenv("ARGUSIC_KEYS", str(tmp_path / "a-stranger"))
    text = shown(made, tmp_path / "stranger")["subjects/package/honest.html"].said()
    assert "certified by an authority that was not known where this page was built" in text
    assert "Signed by" not in text
    # The manifest is another one than was signed.
    monkeypatch.setenv("ARGUSIC_KEYS", str(tmp_path / "keys"))
    run = run_of(made, "newcomer", "package/honest")
    path = run_folder(CYCLE, run.subject, run.agent, run.run) / MANIFEST_FILE
    manifest = made.database.read(path, Manifest)
    (made.root / path).write_bytes(dump(manifest.model_copy(update={"key": "shared"})))
    text = shown(made, tmp_path / "changed")["subjects/package/honest.html"].said()
    assert "It names another manifest than the one that lies here." in text and "Signed by" not in text


def _signed(made: FixtureDatabase, authority: LocalAuthority) -> list[str]:
    return [one.batch for one in sign_runs(made.database, CYCLE, LocalSigning(authority))]
