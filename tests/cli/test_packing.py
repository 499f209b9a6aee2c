"""`argusic cycle close` where evidence is kept in the repository itself: all of it is packed, or nothing is closed."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from argusic.database.database import Database
from argusic.database.paths import EVIDENCE_HOME_PATH
from argusic.evidence.store import FolderStore
from argusic.records.evidence_home import EvidenceHome, RepositoryHome
from argusic.referee.check import check
from tests.evidence.stores.places import digest
from tests.program import argusic
from tests.referee.test_packs import LOG, RUN, keep

CLOSE = ("cycle", "close", "small", "--by", "a maintainer", "--incomplete", "--sign", "none")


@pytest.fixture
def database(small_database: Callable[..., Database]) -> Database:
    database = small_database()
    keep(database, 0, LOG)
    database.write(EVIDENCE_HOME_PATH, EvidenceHome(repository=RepositoryHome()))
    return database


def test_the_close_of_a_cycle_packs_its_evidence(database: Database) -> None:
    closed = argusic(database, *CLOSE, "--json")
    assert closed.returncode == 0, closed.stderr
    collected = json.loads(closed.stdout)["collected"]
    assert (collected["store"], collected["files"]) == ("the packs of this repository", 2)
    assert len(list(database.root.glob("runs/small/packs/*.zip"))) == 1
    assert check(database) == []
    again = argusic(database, "evidence", "collect", "small")
    assert "0 files with 0 bytes were sent to the packs of this repository; 2 were there already." in again.stdout


def test_a_cycle_whose_evidence_is_not_whole_stays_open(database: Database) -> None:
    FolderStore(database.store_folder).remove(digest(LOG))
    refused = argusic(database, *CLOSE)
    assert refused.returncode == 1
    assert refused.stderr.startswith("argusic: cycle small is not closed, for its evidence is not whole: runs/small/")
    assert "session.log: it is not sent: in the store on this machine it is not in the evidence store" in refused.stderr
    assert database.close("small") is None
    gone = ("--file", "session.log", "--reason", "The disk failed.", "--by", "ada")
    assert argusic(database, "run", "withdraw", RUN, *gone).returncode == 0
    closed = argusic(database, *CLOSE)
    assert (closed.returncode, "files with" in closed.stdout) == (0, True)
    assert check(database) == []


def test_a_cycle_that_is_too_large_for_git_stays_open(database: Database) -> None:
    keep(database, 1, b"x" * 1_000_000)
    (database.root / EVIDENCE_HOME_PATH).write_text("schema: 1\nrepository: {most_mb: 1}\n")
    refused = argusic(database, *CLOSE)
    assert (refused.returncode, database.close("small")) == (2, None)
    assert "cycle small would take 1.0 MB of evidence in git" in refused.stderr
