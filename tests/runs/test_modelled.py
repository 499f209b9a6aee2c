"""Whole attempts of agents with a model: a capped key of the run's own, what was said as evidence, and no key left."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path, PurePosixPath

import pytest
from typer.testing import CliRunner, Result

from argusic.cli.main import build
from argusic.database.database import Database
from argusic.evidence.layout import MANIFEST_NAME
from argusic.evidence.stores.configured import store_of
from argusic.evidence.verify import verify_run
from argusic.records.manifest import Manifest
from argusic.records.run import Run
from argusic.referee.check import check
from argusic.rules.rubric import score
from tests.model_server import Asked, ModelServer, Reply
from tests.runs.agents.shell.working import DONE, run

pytestmark = pytest.mark.sandbox

Make = Callable[..., Database]

REAL_KEY = "real-key-9f8e7d6c5b4a39281706f5e4d3c2b1a0"
PROOF = "python3 subject/greet.py World"
REPORT = f"""cat > /root/report.yaml <<'END'
installed: true
launched: true
errors: []
test_depth: tier1_real
verified_how: {{command: "{PROOF}", result: "Hello, World!"}}
final_state: It greets.
END"""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """Return a model that looks for keys, greets, and reports."""
    steps = [
        run("env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'"),
        run(PROOF),
        run(REPORT),
        DONE,
    ]

    def script(asked: Asked) -> Reply:
        return steps[min(asked.turn, len(steps) - 1)]

    with ModelServer(script) as served:
        yield served


@pytest.fixture
def database(small_database: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    monkeypatch.setenv("ARGUSIC_KEYS", str(tmp_path / "keys"))
    monkeypatch.setenv("MODEL_KEY", REAL_KEY)
    return small_database(standard_agent="agent-7", board_agents=(), controls=())


def argusic(database: Database, *words: str) -> Result:
    return CliRunner().invoke(build(), ["--repo", str(database.root), *words])


def enter(database: Database, tmp_path: Path, url: str, *how: str) -> None:
    """Enter the agent `agent-7`, which the cycle asks, open or sealed."""
    file = tmp_path / "exact.yaml"
    price = "{input_usd: '2', output_usd: '8', as_of: 2026-11-30, source: a price list}"
    file.write_text(
        f"model: {{name: pebble-7, url: '{url}', price: {price}}}\nkey: {{provider: gateway, variable: MODEL_KEY}}\n"
    )
    made = argusic(database, "agent", *how, "agent-7", "--title", "Agent 7", "--configuration", str(file))
    assert made.exit_code == 0, (made.output, made.exception)


def cycle_run(database: Database) -> Result:
    return argusic(database, "cycle", "run", "small", "--sign", "none", "--json")


def only_run(database: Database) -> tuple[Path, Run]:
    (stored,) = database.runs("small")
    return database.root / stored.folder, stored.run


def every_byte(database: Database) -> bytes:
    """Return everything that is kept of the runs, published or not."""
    folders = (database.root / "runs", database.store_folder, database.work)
    return b"".join(path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file())


def test_a_run_has_a_key_of_its_own_and_says_what_it_took(
    database: Database, server: ModelServer, tmp_path: Path
) -> None:
    enter(database, tmp_path, server.url, "add", "--program", "shell")
    assert (result := cycle_run(database)).exit_code == 0, (result.output, result.exception)
    folder, made = only_run(database)
    assert score(made, database.edition("v1.5")[0]).outcome == "pass_full"
    assert made.model_use is not None and made.model_use.calls == 4 and made.model_use.cap_usd == "3"
    assert Decimal(made.model_use.billed_usd or 0) == sum(
        Decimal(one.usage.input) * 2 / 10**6 + Decimal(one.usage.output) * 8 / 10**6 for one in server.served
    )
    manifest = database.read(PurePosixPath(folder.relative_to(database.root)) / MANIFEST_NAME, Manifest)
    assert manifest.key == "per_run"
    assert {"trajectory.json", "exchanges.jsonl"} <= {file.name for file in manifest.files}
    assert check(database) == [] and verify_run(folder, store_of(database)) == []
    # The server was shown the real key, and nobody else.
    assert {asked.headers.get("authorization") for asked in server.asked} == {f"Bearer {REAL_KEY}"}
    assert REAL_KEY.encode() not in every_byte(database)
    assert [path for path in database.work.iterdir() if path.is_dir()] == []


def test_without_a_key_the_run_is_queued_and_takes_no_number(
    database: Database, server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(database, tmp_path, server.url, "add", "--program", "shell")
    monkeypatch.delenv("MODEL_KEY")
    result = cycle_run(database)
    assert result.exit_code == 3, (result.output, result.exception)
    (queued,) = json.loads(result.stdout)["queued"]
    assert queued["agent"] == "agent-7" and "MODEL_KEY holds no key" in queued["reason"]
    assert list(database.runs("small")) == [] and server.asked == []
    assert [path for path in database.work.iterdir() if path.is_dir()] == []
    monkeypatch.setenv("MODEL_KEY", REAL_KEY)
    assert cycle_run(database).exit_code == 0
    only_run(database)


def test_what_would_tell_who_a_sealed_agent_is_is_sealed_too(
    database: Database, server: ModelServer, tmp_path: Path
) -> None:
    enter(database, tmp_path, server.url, "seal")
    assert (result := cycle_run(database)).exit_code == 0, (result.output, result.exception)
    folder, made = only_run(database)
    manifest = database.read(PurePosixPath(folder.relative_to(database.root)) / MANIFEST_NAME, Manifest)
    assert made.agent == "agent-7" and manifest.sealed is not None
    assert "exchanges.jsonl" in {file.name for file in manifest.sealed}
    assert "exchanges.jsonl" not in {file.name for file in manifest.files}
    assert b"pebble-7" not in every_byte(database) and server.url.encode() not in every_byte(database)


def test_what_a_models_server_says_discloses_neither_a_key_nor_a_sealed_agent(
    database: Database, tmp_path: Path
) -> None:
    says = f"pebble-7 does not take {REAL_KEY[::-1]}"
    with ModelServer(lambda asked: Reply(status=400, error=says)) as server:
        enter(database, tmp_path, server.url, "seal")
        assert cycle_run(database).exit_code == 1
    endings = [stored.run.ending for stored in database.runs("small")]
    assert {(ending.how, ending.detail) for ending in endings} == {("model_unavailable", None)}
    kept = every_byte(database)
    assert b"pebble-7" not in kept and REAL_KEY[::-1].encode() not in kept


def test_an_open_agents_server_is_quoted_without_the_key(database: Database, tmp_path: Path) -> None:
    says = f"pebble-7 takes neither {REAL_KEY} nor {REAL_KEY[::-1]}"
    with ModelServer(lambda asked: Reply(status=400, error=says)) as server:
        enter(database, tmp_path, server.url, "add", "--program", "shell")
        assert cycle_run(database).exit_code == 1
    details = {stored.run.ending.detail for stored in database.runs("small")}
    assert all(detail is not None and "pebble-7 takes neither [key] nor XXXX" in detail for detail in details)
    assert REAL_KEY[::-1].encode() not in every_byte(database)
