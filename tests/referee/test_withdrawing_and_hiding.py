"""Evidence goes lawfully with a tombstone alone; runs are neither hidden, re-labelled nor dated back."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from pyrage import x25519

from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.database.paths import agent_path, recipients_path, withdrawal_path
from argusic.errors import InputError
from argusic.records.findings import Withdrawal
from argusic.records.manifest import EvidenceFile, SealedFile
from argusic.records.sealed import Recipients
from argusic.referee.check import check
from argusic.referee.checks.append_only import check_append_only
from argusic.referee.withdrawing import withdraw
from tests.referee import test_check as rules

LOG = b"the token is abc\n"
NOTE = "notes.txt"


def said(database: Database, base: str | None = None) -> list[str]:
    return [str(finding) for finding in check(database, base)]


def taken_back(database: Database, base: str) -> list[str]:
    """The evidence of the runs here is made up, and no check of evidence would have it."""
    return [str(finding) for finding in check_append_only(database, base)]


@pytest.fixture
def committed(small_database: Callable[..., Database]) -> Database:
    """A database with one run by the newcomer, which has a file of notes, committed."""
    database = small_database()
    run = rules._run(database)
    note = EvidenceFile(
        name=NOTE,
        role="trajectory",
        media_type="text/plain",
        size=len(LOG),
        sha256=hashlib.sha256(LOG).hexdigest(),
        place="run",
    )
    folder = rules._put(database, run)
    (folder / NOTE).write_bytes(LOG)
    data = (folder / "run.yaml").read_bytes()
    files = (note, *rules._manifest(database, run, data, {}).files)
    manifest = rules._manifest(database, run, data, {"files": files})
    (folder / "evidence.yaml").write_bytes(dump(manifest))
    rules._git(database.root, "init", "-q", "-b", "main")
    made = Database(database.root, cache_folder=database.cache_folder)
    rules._commit(made)
    return made


def _withdraw(database: Database, *names: str) -> Withdrawal:
    return withdraw(database, rules.RUN, names or (NOTE,), reason="A token.", by="ada", at=rules.LATER)


def test_evidence_goes_with_a_tombstone_that_states_its_fingerprint(committed: Database) -> None:
    base = rules._commit(committed)
    _withdraw(committed)
    assert not (committed.root / rules.FOLDER / NOTE).exists()
    assert said(committed, base) == []
    rules._commit(committed)
    assert said(committed, base) == []


def test_evidence_that_goes_without_one_or_with_another_fingerprint_is_named(committed: Database) -> None:
    base = rules._commit(committed)
    (committed.root / rules.FOLDER / NOTE).unlink()
    assert any("was removed or renamed; a published evidence stays as it is" in line for line in said(committed, base))
    wrong = {"name": NOTE, "sha256": "0" * 64}
    facts = {"run": rules.RUN, "cycle": "small", "files": [wrong], "reason": "x", "by": "y", "at": rules.LATER}
    committed.write(withdrawal_path("small", rules.RUN), Withdrawal.model_validate(facts))
    lines = said(committed, base)
    assert any("was removed or renamed" in line for line in lines)
    assert any("names notes.txt with a digest that" in line for line in lines)


def test_a_tombstone_stays(committed: Database) -> None:
    _withdraw(committed)
    base = rules._commit(committed)
    with pytest.raises(InputError, match="a tombstone is never edited"):
        _withdraw(committed)
    (committed.root / withdrawal_path("small", rules.RUN)).unlink()
    assert any("a published withdrawal stays as it is" in line for line in said(committed, base))


@pytest.mark.parametrize("name", ["run.yaml", "evidence.yaml", "nothing.txt"])
def test_a_run_is_not_rid_of_its_record_or_of_what_it_never_had(committed: Database, name: str) -> None:
    with pytest.raises(InputError, match="is no file that run"):
        _withdraw(committed, name)


def test_a_signature_that_is_edited_or_removed_is_named(committed: Database) -> None:
    path = committed.root / "runs/small/signatures/20261130T030000Z-aaaaaa.sigstore.json"
    path.parent.mkdir()
    path.write_text("{}")
    base = rules._commit(committed)
    assert said(committed, base) == []
    path.write_text("{ }")
    assert any("a published signature stays as it is" in line for line in said(committed, base))
    path.unlink()
    assert any("a published signature stays as it is" in line for line in said(committed, base))


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("edition: v1.5", "edition: v1.4", "of its edition, which they were made under"),
        ("memory_mb: 4096", "memory_mb: 512", "of its conditions"),
        ("standard_agent: newcomer", "standard_agent: null", "of its standard_agent"),
        ("board_agents:\n  - newcomer", "board_agents: []", "no longer says newcomer as before among its board_agents"),
        ("tier: standard", "tier: gpu", "no longer says repository/greeter as before among its subjects"),
    ],
)
def test_a_cycle_with_runs_is_neither_relabelled_nor_thinned_out(
    committed: Database, old: str, new: str, what: str
) -> None:
    base = rules._commit(committed)
    rules._edit(rules.CYCLE, old, new)(committed)
    assert any(what in line for line in said(committed, base))


WITH_MODEL = "configuration: {model: {name: m, url: 'https://model.invalid/v1'}, key: {provider: none}}"


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("implementation: newcomer", "implementation: oracle", "Another implementation is another agent."),
        ("program: none", f"program: shell\n{WITH_MODEL}", "Another program is another agent."),
        ("title: ", "title: New ", None),
    ],
)
def test_an_agent_with_runs_stays_what_it_was(committed: Database, old: str, new: str, what: str | None) -> None:
    base = rules._commit(committed)
    rules._edit(agent_path("newcomer"), old, new)(committed)
    found = said(committed, base)
    assert found == [] if what is None else any(what in line for line in found)


def test_a_cycle_may_grow(committed: Database) -> None:
    base = rules._commit(committed)
    rules._edit(rules.CYCLE, "controls:\n  - oracle", "controls:\n  - liar\n  - oracle")(committed)
    rules._edit(rules.CYCLE, "title: A small cycle", "title: A cycle")(committed)
    assert said(committed, base) == []


def test_a_cycle_without_runs_may_change(committed: Database) -> None:
    shutil.rmtree(committed.root / "runs")
    base = rules._commit(committed)
    rules._edit(rules.CYCLE, "memory_mb: 4096", "memory_mb: 512")(committed)
    assert said(committed, base) == []


def test_a_run_that_had_ended_before_a_published_one_began_is_named(committed: Database) -> None:
    base = rules._commit(committed)
    rules._put(committed, rules._run(committed, -3600))
    (line,) = taken_back(committed, base)
    assert f"had ended when {rules.RUN} began, and is published after it" in line


def test_runs_that_overlap_and_runs_published_together_are_not(committed: Database) -> None:
    base = rules._commit(committed)
    rules._put(committed, rules._run(committed, -10))
    rules._put(committed, rules._run(committed, 100))
    rules._put(committed, rules._run(committed, 200))
    assert taken_back(committed, base) == []


def test_a_run_from_before_its_cycle_opened_is_named(committed: Database) -> None:
    base = rules._commit(committed)
    opens = committed.cycle("small").opens
    before = int((opens - rules.START - timedelta(days=1)).total_seconds())
    rules._put(committed, rules._run(committed, before, agent="oracle", purpose="control"))
    assert any("started before its cycle opened" in line for line in said(committed, base))


def test_a_private_key_in_the_repository_is_named(
    committed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (committed.root / "pool/README.md").write_text(f"# mine\n{x25519.Identity.generate()}\n")
    assert any("pool/README.md: holds a private key of age" in line for line in said(committed))
    (committed.root / "pool/README.md").unlink()
    keys = committed.root / ".argusic/keys"
    keys.mkdir(parents=True)
    monkeypatch.setenv("ARGUSIC_KEYS", str(keys))
    assert any("is to hold private keys and lies in a repository" in line for line in said(committed))
    monkeypatch.setenv("ARGUSIC_KEYS", str(tmp_path / "elsewhere"))
    assert said(committed) == []


def test_what_was_sealed_to_other_keys_than_the_cycles_is_named(committed: Database) -> None:
    keys = [str(x25519.Identity.generate().to_public()) for _ in range(3)]
    recipients = Recipients(cycle="small", cycle_key=keys[0], recovery_key=keys[1], made=rules.LATER)
    committed.write(recipients_path("small"), recipients)
    for number, own in enumerate((keys[:2], keys[1:])):
        sealed = SealedFile(
            name="session.log",
            role="log",
            media_type="text/plain",
            size=1,
            sha256="a" * 64,
            sealed_size=9,
            sealed_sha256="b" * 64,
            recipients=tuple(sorted(own)),
        )
        rules._put(committed, rules._run(committed, 50 + number), {"sealed": (sealed,)})
    assert ["was sealed to other keys" in line for line in said(committed)] == [True]
