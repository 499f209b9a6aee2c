"""Whole attempts of agent programs in a real sandbox, with the run's gateway, against the scripted model server."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from argusic.evidence.commands import CommandRow, read_table
from argusic.evidence.coverage import measure
from argusic.evidence.trajectory import TrajectoryWriter, assemble
from argusic.records.configuration import Api, ModelUsed, Price, ProgramUsed
from argusic.records.manifest import Coverage
from argusic.records.trajectory import Trajectory
from argusic.records.usage import ModelUse
from argusic.runs.agents.given import Given
from argusic.runs.agents.programs import agent_program
from argusic.runs.guard import GuardedSession
from argusic.runs.keys.gateway import Gateway
from argusic.runs.recorded_session import RecordedSession
from argusic.runs.recorder import Recorder
from argusic.runs.session import AttemptOver, Mission
from argusic.sandbox.protocol import Provider, SandboxSpec
from tests import agent_programs
from tests.model_server import Asked, Call, ModelServer, Reply, Script
from tests.quiet import Quiet
from tests.sockets import a_socket

REAL_KEY = "sk-real-0123456789abcdef0123456789abcdef"
MODEL = "some-model"
BUDGET_SECONDS = 240

REPORT = """installed: true
launched: true
errors: []
test_depth: tier1_real
verified_how:
  command: python3 subject/greet.py World
  result: Hello, World!
final_state: greeter greets.
"""
#: What the scripted model asks for, and the status that each ends with.
WORK = {
    "ls subject": 0,
    # Some programs stay in a folder that a command went to.
    "cd /root/subject && python3 greet.py World": 0,
    "python3 /root/subject/greet.py; exit 7": 7,
    f"cat > /root/report.yaml << 'END'\n{REPORT}END": 0,
}


def working(commands: Sequence[str], thinks: str = "", last: Reply | None = None) -> Script:
    """Ask for commands one after the other, by whatever tool the program offers for that, then say the last word."""

    def choose(asked: Asked) -> Reply:
        done = asked.turn
        if done < len(commands) and asked.tools:
            return Reply(f"Step {done + 1}.", (_call(asked, commands[done]),), reasoning=thinks)
        if last is not None:
            return last
        if "bash" in asked.tools and done == len(commands):
            return Reply("Done.", (_call(asked, "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"),))
        return Reply("All is done.")

    return choose


def _call(asked: Asked, command: str) -> Call:
    if "Bash" in asked.tools:
        return Call("Bash", {"command": command, "description": "a step"})
    if "exec_command" in asked.tools:
        return Call("exec_command", {"cmd": command})
    for name in ("bash", "run_shell_command", "shell"):
        if name in asked.tools:
            return Call(name, {"command": command, "description": "a step"})
    raise AssertionError(f"no known tool among {asked.tools}")


@dataclass(frozen=True)
class Made:
    """One attempt, and what it left."""

    ended: str
    rows: list[CommandRow]
    inner: list[CommandRow]
    coverage: Coverage
    told: Trajectory | None
    report: bytes | None
    use: ModelUse
    asked: list[Asked]
    folder: Path
    token: str
    inside: bytes
    """What was found of the token, the real key and the host's server in files and processes inside."""

    @property
    def trajectory(self) -> Trajectory:
        assert self.told is not None, "there is no trajectory"
        return self.told

    @property
    def log(self) -> str:
        return (self.folder / "session.log").read_text()


def model(server: ModelServer, api: Api, **fields: object) -> ModelUsed:
    price = Price(input_usd="1", output_usd="2", as_of="2026-11-30", source="the test")
    return ModelUsed.model_validate({"name": MODEL, "api": api, "url": server.url, "price": price, **fields})


def attempt(
    provider: Provider, folder: Path, used: ProgramUsed, api: Api, script: Script, *, budget: float = BUDGET_SECONDS
) -> Made:
    """Let a program work on the greeter, and say what came of it."""
    name = f"20261130T014500Z-{''.join(random.choices('abcdefghijklmnopqrstuvwxyz234567', k=6))}"
    for part in ("work", "evidence", "gate"):
        (folder / part).mkdir()
    with _model_server(script) as server, _gateway(server, api, folder / "gate") as gateway:
        access = gateway.access
        kept = used.adapter in agent_programs.PROGRAMS
        environment = agent_programs.ENVIRONMENT if kept else {}
        box = provider.start(SandboxSpec(name, folder / "work", service=access.socket, environment=environment))
        try:
            if kept:
                agent_programs.put_into(box, used.adapter)
            box.put(_greeter(folder), "/root/subject")
            recorder = Recorder(folder / "evidence")
            session = RecordedSession(box, recorder, budget_seconds=budget, cancel=threading.Event())
            guarded = GuardedSession(session, Quiet())
            trajectory = TrajectoryWriter(folder / "lines.jsonl", agent="heron", run=name)
            began = recorder.clock()
            try:
                agent_program(used, Given(access, trajectory)).run(guarded, _mission())
                ended = "completed"
            except AttemptOver as over:
                ended = guarded.fault.how if guarded.fault else session.ended.how if session.ended else str(over)
            except Exception as error:
                ended = f"{type(error).__name__}: {error}"
            trajectory.close()
            recorder.end()
            seconds = recorder.clock() - began
            report = box.get("/root/report.yaml", max_bytes=100_000) if box.ended() is None else None
            inside = box.run(
                ["grep", "-rlE", f"{REAL_KEY}|127.0.0.1:{server.port}", "/root", "/tmp", "/etc", "/run"]
            ).output
        finally:
            box.destroy()
        asked = list(server.asked)
    files = [folder / "evidence" / file for file in ("recording.cast", "commands.jsonl", "session.log")]
    rows, inner = read_table(files[1])
    told = None
    if assemble(folder / "lines.jsonl", folder / "trajectory.json"):
        told = Trajectory.model_validate(json.loads((folder / "trajectory.json").read_bytes()))
    return Made(
        ended=ended,
        rows=rows,
        inner=inner,
        coverage=measure(files[0], files[1], files[2], seconds),
        told=told,
        report=report,
        use=gateway.use(),
        asked=asked,
        folder=folder / "evidence",
        token=access.token,
        inside=inside,
    )


@contextmanager
def _model_server(script: Script) -> Iterator[ModelServer]:
    with ModelServer(script, models=(MODEL,), key=REAL_KEY) as server:
        yield server


@contextmanager
def _gateway(server: ModelServer, api: Api, folder: Path) -> Iterator[Gateway]:
    with Gateway(
        model(server, api),
        REAL_KEY,
        issuer="gateway",
        cap_usd=Decimal(3),
        expires=datetime.now(UTC) + timedelta(hours=2),
        socket=a_socket(),
        exchanges=folder / "exchanges.jsonl",
    ) as gateway:
        yield gateway


def _greeter(folder: Path) -> Path:
    subject = folder / "subject"
    subject.mkdir()
    (subject / "greet.py").write_text('import sys\n\nprint(f"Hello, {sys.argv[1]}!")\n')
    return subject


def _mission() -> Mission:
    return Mission(
        kind="repository",
        name="greeter",
        task="Find out whether greeter runs.",
        instructions="# Instructions\n\nInstall it, launch it, verify it, and leave a report.",
        subject_folder="/root/subject",
        report_path="/root/report.yaml",
        budget_seconds=BUDGET_SECONDS,
    )
