"""What a cycle collects is signed where it is collected: by whoever can sign here, once, and never at a run's cost."""

from __future__ import annotations

import json
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from argusic.cli.quickstart import ensure_authority
from argusic.database.database import Database
from argusic.evidence.keys import KeyFolder
from argusic.evidence.signing.alone import signing_alone
from argusic.evidence.signing.statement import unverified_statement
from argusic.evidence.trust.starting import start_authority
from tests.program import argusic, started

pytestmark = pytest.mark.sandbox

Make = Callable[..., Database]

NOP = {"standard_agent": None, "board_agents": (), "controls": ("nop",)}


@pytest.fixture
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KeyFolder:
    """Return a folder of private keys with nothing in it yet."""
    monkeypatch.setenv("ARGUSIC_KEYS", str(tmp_path / "keys"))
    return KeyFolder(tmp_path / "keys")


@pytest.fixture
def authority(keys: KeyFolder) -> str:
    """Return the name of a local authority that is trusted here."""
    return start_authority(keys, "ada").name


def killed_at(database: Database, fault: str, *words: str) -> int:
    """Run the program in a process that ends itself at a fault point, if it passes it; return its exit status."""
    process = started(database, *words, ARGUSIC_FAULT=fault)
    process.communicate(timeout=120)
    return process.returncode


def bundles(database: Database) -> list[Path]:
    return sorted((database.root / "runs/small/signatures").glob("*"))


def signed_runs(database: Database) -> list[str]:
    """Return the manifests that the batches of the cycle name, a run for each time that it is named."""
    statements = [unverified_statement(path.read_bytes()) for path in bundles(database)]
    names = [name for statement in statements if statement.purpose == "batch" for name in statement.digests()]
    return sorted(name for name in names if name.endswith("/evidence.yaml"))


def test_a_cycle_signs_what_it_ran_and_its_close_signs_the_rest(small_database: Make, authority: str) -> None:
    database = small_database(**NOP)
    done = argusic(database, "cycle", "run", "small")
    assert (done.returncode, "Signed by the local authority ada: 1 run" in done.stdout) == (0, True), done.stdout
    verified = json.loads(argusic(database, "verify", "--json").stdout)
    assert (verified["ok"], verified["signed"], verified["unsigned"]) == (True, 1, [])
    assert verified["signatures"][0]["attempts_seen"] == 1
    argusic(database, "attempt", "small", "repository/greeter", "nop")
    closed = argusic(database, "cycle", "close", "small", "--by", "a maintainer", "--json")
    assert closed.returncode == 0, closed.stderr
    assert json.loads(closed.stdout)["signature"] == "runs/small/signatures/close.sigstore.json"
    assert len(bundles(database)) == 3
    verified = json.loads(argusic(database, "verify", "--json").stdout)
    assert (verified["ok"], verified["signed"]) == (True, 2)
    shutil.rmtree(database.root / next(iter(database.runs("small"))).folder)
    gone = argusic(database, "verify")
    assert (gone.returncode, "a run was removed" in gone.stdout) == (1, True)


def test_where_nobody_can_sign_it_says_so_and_a_close_is_refused(small_database: Make, keys: KeyFolder) -> None:
    database = small_database(**NOP)
    done = argusic(database, "cycle", "run", "small")
    assert done.returncode == 0
    said = [line for line in done.stdout.splitlines() if "not signed" in line]
    assert said == [
        "1 run of cycle small not signed (there is no authority here); `argusic trust init` makes an authority; "
        "then `argusic evidence sign small` signs them."
    ]
    refused = argusic(database, "cycle", "close", "small", "--by", "a maintainer")
    assert (refused.returncode, "no authority here to sign" in refused.stderr) == (1, True)
    assert database.close("small") is None
    closed = argusic(database, "cycle", "close", "small", "--by", "a maintainer", "--sign", "none")
    assert (closed.returncode, bundles(database)) == (0, [])
    again = argusic(database, "cycle", "close", "small", "--by", "a maintainer", "--sign", "none")
    assert (again.returncode, "cycle small is closed already" in again.stderr) == (2, True)
    assert argusic(database, "trust", "init", "--name", "ada").returncode == 0
    assert argusic(database, "evidence", "sign", "small").returncode == 0
    assert len(bundles(database)) == 2
    assert argusic(database, "verify").returncode == 0


def test_none_signs_nothing_and_the_next_start_signs_what_is_left(small_database: Make, authority: str) -> None:
    database = small_database(**NOP)
    done = json.loads(argusic(database, "cycle", "run", "small", "--sign", "none", "--json").stdout)
    assert (done["signing"]["unsigned"], bundles(database)) == (1, [])
    done = json.loads(argusic(database, "cycle", "run", "small", "--json").stdout)
    assert (done["runs"], done["signing"]["unsigned"], len(done["signing"]["signed"])) == ([], 0, 1)
    verified = json.loads(argusic(database, "verify", "--json").stdout)
    # This process ran none of them.
    assert (verified["ok"], verified["signatures"][0]["attempts_seen"]) == (True, 0)


@pytest.mark.parametrize("fault", ["run-published", "between-attempts"])
def test_killed_between_publishing_and_signing_a_run_is_signed_once(
    small_database: Make, authority: str, fault: str
) -> None:
    database = small_database(**NOP)
    assert killed_at(database, fault, "cycle", "run", "small") == -signal.SIGKILL
    (stored,) = database.runs("small")
    assert bundles(database) == []
    for _ in range(2):
        assert argusic(database, "cycle", "run", "small").returncode == 0
    assert signed_runs(database) == [f"{stored.folder}/evidence.yaml"]
    assert argusic(database, "verify").returncode == 0


def test_killed_while_signing_a_run_is_signed_once(small_database: Make, authority: str) -> None:
    database = small_database(**NOP)
    argusic(database, "cycle", "run", "small", "--sign", "none")
    for fault in ("file-written", "file-renamed"):
        assert killed_at(database, fault, "evidence", "sign", "small") in (0, -signal.SIGKILL)
    assert argusic(database, "cycle", "run", "small").returncode == 0
    assert (len(bundles(database)), len(signed_runs(database))) == (1, 1)
    assert argusic(database, "check").returncode == 0
    assert argusic(database, "verify").returncode == 0


def test_signing_that_fails_loses_no_run_and_says_how_to_go_on(
    small_database: Make, authority: str, keys: KeyFolder
) -> None:
    database = small_database(**NOP)
    key = keys.path("authority/certificates.pem")
    key.chmod(0o644)
    done = argusic(database, "cycle", "run", "small")
    assert done.returncode == 2
    assert "Nothing is lost: 1 run not signed, and `argusic evidence sign small` tries again." in done.stderr
    assert "Traceback" not in done.stderr
    assert len(list(database.runs("small"))) == 1
    key.chmod(0o600)
    assert argusic(database, "evidence", "sign", "small").returncode == 0
    assert len(signed_runs(database)) == 1


def test_an_authority_that_is_asked_for_must_be_there(small_database: Make, keys: KeyFolder) -> None:
    database = small_database(**NOP)
    done = argusic(database, "cycle", "run", "small", "--sign", "local")
    assert (done.returncode, "there is no local authority" in done.stderr) == (3, True)
    assert len(list(database.runs("small"))) == 1


def test_a_cycle_that_is_stopped_signs_what_it_has(small_database: Make, authority: str) -> None:
    database = small_database(**(NOP | {"controls": ("nop", "oracle")}))
    path = database.root / "pool/subjects/repository/g/greeter.yaml"
    path.write_text(path.read_text().replace("test -f subject/greet.py", "sleep 60"))
    process = started(database, "cycle", "run", "small")
    deadline = time.monotonic() + 60
    while not list(database.runs("small")) or not list(database.work.glob("*/evidence/recording.cast")):
        assert time.monotonic() < deadline, "the second attempt never began"
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert len(signed_runs(database)) == 2


def test_two_that_sign_at_once_sign_each_run_once(small_database: Make, authority: str) -> None:
    database = small_database(**NOP)
    argusic(database, "cycle", "run", "small", "--sign", "none")
    with signing_alone(database, "small"):
        both = [started(database, "evidence", "sign", "small") for _ in range(2)]
        time.sleep(2)
        assert [process.poll() for process in both] == [None, None]
    for process in both:
        process.communicate(timeout=60)
    assert [process.returncode for process in both] == [0, 0]
    assert (len(bundles(database)), len(signed_runs(database))) == (1, 1)


def test_the_quickstart_makes_an_authority_for_who_has_none_and_never_in_a_repository(
    small_database: Make, keys: KeyFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = small_database(**NOP)
    made = ensure_authority(database)
    assert made is not None and str(keys.folder) in made
    assert ensure_authority(database) is None
    assert argusic(database, "cycle", "run", "small").returncode == 0
    verified = json.loads(argusic(database, "verify", "--json").stdout)
    assert (verified["ok"], verified["signed"], len(verified["trust"])) == (True, 1, 1)
    monkeypatch.setenv("ARGUSIC_KEYS", str(database.root / "keys"))
    refused = ensure_authority(database)
    assert refused is not None and refused.startswith("No signing authority could be made: ")
    assert not (database.root / "keys").exists()
