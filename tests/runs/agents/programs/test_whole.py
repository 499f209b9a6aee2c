"""A whole attempt of an agent program: from the agent's file to a run that holds, page and chains of evidence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.database.paths import agent_path, cycle_path
from argusic.evidence.commands import CommandRow
from argusic.evidence.layout import COMMANDS_NAME, TRAJECTORY_NAME
from argusic.evidence.verify import verify
from argusic.records.agent import Agent
from argusic.records.configuration import KeyUsed, ModelUsed, OpenConfiguration, Price, ProgramUsed
from argusic.referee.recompute import recompute
from argusic.referee.tracing.tracing import Tracer
from argusic.runs.agents.reporting import write_file
from argusic.site.build import build
from tests.model_server import ModelServer
from tests.runs.agents.programs.attempts import REPORT, working
from tests.runs.agents.shell.attempts import REAL_KEY, VARIABLE, Attempted, attempted
from tests.site.conftest import silent

pytestmark = pytest.mark.sandbox

CHECK = "python3 subject/greet.py World"
COMMANDS = ("ls subject", CHECK, "python3 /root/subject/nothing.py", f"cat > report.yaml << 'END'\n{REPORT}END")
#: An agent program of a few lines.
AGENT = """
import json, os, subprocess, urllib.request

said = [{"role": "user", "content": open(os.environ["ARGUSIC_MISSION"]).read()}]
tool = {"type": "function", "function": {"name": "bash", "parameters": {"type": "object"}}}
print("A banner: it uses", os.environ["ARGUSIC_MODEL"][:0] + "a model")
while True:
    body = {"model": os.environ["ARGUSIC_MODEL"], "messages": said, "tools": [tool], "max_tokens": 1000}
    request = urllib.request.Request(
        os.environ["ARGUSIC_URL"] + "/chat/completions",
        json.dumps(body).encode(),
        {"authorization": "Bearer " + os.environ["ARGUSIC_KEY"], "content-type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        message = json.load(answer)["choices"][0]["message"]
    said.append(message)
    for call in message.get("tool_calls") or ():
        command = json.loads(call["function"]["arguments"])["command"]
        ran = subprocess.run(command, shell=True, capture_output=True, text=True)
        print("$", command, ran.stdout, ran.stderr, sep="\\n")
        said.append({"role": "tool", "tool_call_id": call["id"], "content": ran.stdout + ran.stderr})
    if not message.get("tool_calls") or "COMPLETE_TASK" in command:
        break
"""


def add_agent(database: Database, url: str, **program: str) -> None:
    price = Price(input_usd="1", output_usd="2", as_of="2026-11-30", source="the test")
    used = ModelUsed(name="model-1", url=url, price=price)
    lines = {"install": write_file("/root/agent.py", AGENT), "command": "python3 agent.py", **program}
    agent = Agent(
        agent="agent-7",
        title="Agent 7",
        role="agent",
        program="program",
        implementation="programs",
        configuration=OpenConfiguration(
            model=used,
            program=ProgramUsed(adapter="command", version="1.0", **lines),
            key=KeyUsed(provider="gateway", variable=VARIABLE),
        ),
    )
    database.write(agent_path(agent.agent), agent, replace=True)
    cycle = database.cycle("small").model_copy(update={"standard_agent": agent.agent, "board_agents": ()})
    database.write(cycle_path("small"), cycle, replace=True)


def make(database: Database, **program: str) -> Attempted:
    with ModelServer(working(COMMANDS), models=("model-1",), key=REAL_KEY) as server:
        add_agent(database, server.url, **program)
        return attempted(database, "small", "repository/greeter")


@pytest.fixture
def database(small_database: Callable[..., Database]) -> Database:
    return small_database()


def rows_of(found: Attempted) -> list[CommandRow]:
    return [CommandRow.model_validate_json(line) for line in found.file(COMMANDS_NAME).splitlines()]


def test_an_agent_program_earns_what_it_did(database: Database, tmp_path: Path) -> None:
    found = make(database)
    assert (found.run.ending.how, found.score.outcome) == ("completed", "pass_full"), found.run.ending
    assert found.run.audit is not None and found.run.audit.contradicted == ()
    coverage = found.manifest.coverage
    assert (coverage.complete, coverage.inner, coverage.inner_seen) == (True, 5, "observed"), coverage.lacks
    rows = rows_of(found)
    assert [row.command for row in rows if row.source == "observed"][:4] == list(COMMANDS)
    assert [row.exit_status for row in rows if row.source == "observed"] == [0, 0, 2, 0, 0]
    assert found.trajectory.steps[0].source == "user" and "greeter" in found.trajectory.steps[0].message
    assert found.run.model_use is not None and found.run.model_use.calls == 5
    for file in found.manifest.files:
        assert REAL_KEY.encode() not in found.file(file.name) and b"sk-run-" not in found.file(file.name), file.name
    assert {file.name for file in found.manifest.files} >= {COMMANDS_NAME, TRAJECTORY_NAME}
    assert verify(database).findings == []


def test_its_pages_show_what_it_ran_and_by_whom_that_was_seen(database: Database, tmp_path: Path) -> None:
    found = make(database)
    recompute(database)
    built = build(database, tmp_path / "site", silent)
    pages = "\n".join(path.read_text() for path in built.folder.rglob("*.html"))
    assert "seen from outside by the host" in pages and "put the agent&#39;s program in place" in pages
    tracer = Tracer(database)
    number = next(row.number for row in rows_of(found) if row.source == "observed")
    chain = tracer.trace(f"runs/small/repository/g/greeter/agent-7/{found.run.run}/commands.jsonl#{number}/started")
    assert chain is not None


def test_a_program_that_claims_what_it_did_not_run_is_caught(database: Database) -> None:
    lie = write_file("/root/agent.py", f"open('report.yaml', 'w').write({REPORT!r})")
    found = make(database, install=lie)
    assert found.run.audit is not None and "verified_how.command" in found.run.audit.contradicted
    assert found.manifest.coverage.inner == 0


def test_a_program_that_fails_is_the_agents_doing_and_one_that_cannot_be_installed_is_not(
    small_database: Callable[..., Database],
) -> None:
    found = make(small_database("one"), command="exit 9")
    assert (found.run.ending.how, found.score.outcome) == ("agent_crashed", "fail")
    assert found.run.ending.detail is not None and "status 9" in found.run.ending.detail
    found = make(small_database("two"), install="exit 9")
    assert (found.run.ending.how, found.score.outcome) == ("program_not_installed", "invalid")
