"""`argusic keys list|sweep`: what is shown, what is deleted, and the exit status."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from argusic.cli.main import build
from argusic.database.database import Database
from argusic.database.paths import agent_path
from argusic.errors import CheckFailed
from argusic.records.agent import Agent
from argusic.records.configuration import KeyUsed, ModelUsed, OpenConfiguration
from argusic.runs.keys.aliases import Aliases
from tests.runs.keys.key_servers import MASTER, LiteLlmServer

RUN, OLD = "20261130T014500Z-aaaaaa", "20261130T014500Z-bbbbbb"
NOW = datetime.now(UTC).replace(microsecond=0)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LiteLlmServer]:
    monkeypatch.setenv("MASTER_KEY", MASTER)
    with LiteLlmServer() as running:
        yield running


@pytest.fixture
def database(small_database: Callable[..., Database], server: LiteLlmServer) -> Database:
    made = small_database()
    configuration = OpenConfiguration(
        model=ModelUsed(name="m", url=f"{server.url}/v1"), key=KeyUsed(provider="litellm", variable="MASTER_KEY")
    )
    agent = Agent(
        agent="quarry",
        title="Quarry",
        role="agent",
        program="shell",
        implementation="shell",
        configuration=configuration,
    )
    made.write(agent_path("quarry"), agent)
    aliases = Aliases.of(made)
    server.add(aliases.alias(RUN), NOW + timedelta(hours=1))
    server.add(aliases.alias(OLD), NOW - timedelta(hours=1))
    return made


def argusic(database: Database, *words: str) -> Result:
    return CliRunner().invoke(build("keys"), ["--repo", str(database.root), "keys", *words])


def test_keys_are_listed_with_whose_they_are(database: Database) -> None:
    done = argusic(database, "list")
    assert done.exit_code == 0 and MASTER not in done.output
    assert f"{RUN}, litellm at" in done.output and "another machine" in done.output and "nobody's" in done.output
    plain = json.loads(argusic(database, "list", "--json").stdout)
    assert {one["run"]: one["owner"] for one in plain["keys"]} == {RUN: "elsewhere", OLD: "nobody"}
    told = json.loads(argusic(database, "list", "--running", RUN, "--json").stdout)
    assert {one["run"]: one["owner"] for one in told["keys"]} == {RUN: "running", OLD: "nobody"}


def test_a_sweep_deletes_what_nobody_owns(database: Database, server: LiteLlmServer) -> None:
    dry = argusic(database, "sweep", "--dry-run")
    assert f"would be deleted: {OLD}" in dry.output and len(server.keys) == 2
    done = argusic(database, "sweep")
    assert f"deleted: {OLD}" in done.output and f"left: {RUN}" in done.output
    plain = json.loads(argusic(database, "sweep", "--everywhere", "--json").stdout)
    assert [one["run"] for one in plain["deleted"]] == [RUN] and plain["left"] == plain["troubles"] == []
    assert server.keys == []
    assert "there is no key to delete" in argusic(database, "sweep").output


def test_a_provider_that_cannot_be_asked_is_a_failed_check(
    database: Database, server: LiteLlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MASTER_KEY")
    for words in (("list",), ("sweep",), ("sweep", "--json")):
        done = argusic(database, *words)
        assert isinstance(done.exception, CheckFailed) and "MASTER_KEY holds no key" in done.output
    assert len(server.keys) == 2


def test_without_any_service_there_is_nothing_to_look_through(small_database: Callable[..., Database]) -> None:
    assert "nothing to look through" in argusic(small_database(), "sweep").output


def test_a_sealed_agents_provider_is_asked_where_its_configuration_is_named(
    database: Database, server: LiteLlmServer, tmp_path: Path
) -> None:
    path = database.root / agent_path("quarry")
    file = tmp_path / "quarry.yaml"
    file.write_text(
        f"schema: 1\nagent: granite\nsalt: {'a' * 64}\nmodel:\n  name: m\n  url: {server.url}/v1\n"
        "key:\n  provider: litellm\n  variable: MASTER_KEY\n"
    )
    path.write_text(
        "schema: 1\nagent: quarry\ntitle: Quarry\nrole: agent\nprogram: shell\nimplementation: shell\n"
        f"commitment: {'a' * 64}\nsealed:\n  sealed_size: 1\n  sealed_sha256: {'a' * 64}\n"
        f"  recipients:\n    - age1{'q' * 58}\n    - age1{'z' * 58}\n"
    )
    done = argusic(database, "sweep", "--json")
    assert done.exit_code == 0, done.exception
    plain = json.loads(done.stdout)
    assert (plain["deleted"], plain["not_asked"]) == ([], ["quarry"])
    assert "Sealed" in argusic(database, "sweep").output
    named = json.loads(argusic(database, "sweep", "--configuration", str(file), "--json").stdout)
    assert [one["run"] for one in named["deleted"]] == [OLD]


def test_a_configuration_is_named_as_it_was_sealed(database: Database, server: LiteLlmServer, tmp_path: Path) -> None:
    (database.root / agent_path("quarry")).unlink()
    assert "nothing to look through" in argusic(database, "sweep").output
    file = tmp_path / "exact.yaml"
    file.write_text(f"model:\n  name: m\n  url: {server.url}/v1\nkey:\n  provider: litellm\n  variable: MASTER_KEY\n")
    named = json.loads(argusic(database, "sweep", "--configuration", str(file), "--json").stdout)
    assert [one["run"] for one in named["deleted"]] == [OLD]


@pytest.mark.parametrize("key", ["sk-abcdef\n123456", "sk-abcdef\udcff123456", "sk-abcdef 123456", "sk-abcdefé123456"])
@pytest.mark.parametrize("words", [("list",), ("sweep",)])
def test_a_key_that_no_header_can_hold_is_said(
    database: Database, monkeypatch: pytest.MonkeyPatch, key: str, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("MASTER_KEY", key)
    done = argusic(database, *words)
    assert isinstance(done.exception, CheckFailed) and "a single word of plain ASCII" in done.output
    assert "abcdef" not in done.output
