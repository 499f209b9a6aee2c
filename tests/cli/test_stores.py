"""`argusic evidence collect|fetch` and `argusic verify --offline`, typed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.database.paths import EVIDENCE_HOME_PATH
from argusic.records.evidence_home import EvidenceHome
from tests.evidence.published import RUN_IDS, publish
from tests.evidence.stores.places import Place, set_credentials, some_releases
from tests.program import argusic


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    set_credentials(monkeypatch)
    with some_releases(tmp_path) as made:
        yield made


def test_a_cycle_is_collected_fetched_and_verified_elsewhere(
    small_database: Callable[..., Database], tmp_path: Path, place: Place
) -> None:
    database = small_database()
    assert "so there is nowhere to send it to" in (none := argusic(database, "evidence", "collect", "small")).stderr
    assert none.returncode == 2
    for run in RUN_IDS:
        publish(database, tmp_path / run, run)
    database.write(EVIDENCE_HOME_PATH, EvidenceHome.model_validate({"schema": 1, **place.home}))
    done = argusic(database, "evidence", "collect", "small")
    assert (done.returncode, done.stderr) == (0, "")
    assert "were sent to the releases of ada/evidence; 0 were there already." in done.stdout
    again = json.loads(argusic(database, "evidence", "collect", "small", "--json").stdout)
    assert (again["store"], again["files"], again["findings"]) == ("the releases of ada/evidence", 0, [])

    shutil.copytree(database.root, tmp_path / "other", ignore=shutil.ignore_patterns(".argusic"))
    other = Database(tmp_path / "other")
    offline = argusic(other, "verify", "--offline")
    assert offline.returncode == 1
    assert "it is not on this machine, and nothing is fetched (--offline)" in offline.stdout
    one = json.loads(argusic(other, "evidence", "fetch", RUN_IDS[0], "--json").stdout)
    assert one == {"files": again["there"], "here": 0, "findings": []}
    assert "0 files were fetched" in argusic(other, "evidence", "fetch", "small").stdout
    assert argusic(other, "verify", "--offline").returncode == 0
    assert argusic(other, "evidence", "fetch", "nothing").returncode == 2

    shutil.rmtree(other.store_folder)
    place.hub.content.clear()  # type: ignore[union-attr]
    lost = argusic(other, "evidence", "fetch", RUN_IDS[0])
    assert lost.returncode == 3
    assert "argusic: the releases of ada/evidence have" in lost.stderr
    assert len(lost.stderr.splitlines()) == 1


def test_a_wrong_token_ends_with_one_sentence(
    small_database: Callable[..., Database], tmp_path: Path, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = small_database()
    publish(database, tmp_path / RUN_IDS[0], RUN_IDS[0])
    database.write(EVIDENCE_HOME_PATH, EvidenceHome.model_validate({"schema": 1, **place.home}))
    monkeypatch.setenv("GH_TOKEN", "wrong")
    done = argusic(database, "evidence", "collect", "small")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(
        "argusic: the releases of ada/evidence refuse this token (401 Bad credentials). It takes"
    )
