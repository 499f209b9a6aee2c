"""The shell agent at work on this machine: a scripted model behind a real server, and real commands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

from argusic.evidence.trajectory import TrajectoryWriter, assemble
from argusic.records.configuration import ModelUsed
from argusic.records.trajectory import Trajectory
from argusic.runs.agents.shell.agent import Shell
from argusic.runs.agents.shell.asking import Patience
from argusic.runs.keys.access import ModelAccess
from argusic.runs.session import Mission, Session
from tests.model_server import Call, ModelServer, Reply, Script

RUN: Final = "20261130T014500Z-k3x9q2"
#: Waits like the real one, a thousand times faster.
QUICK: Final = Patience(tries=12, first=0.001, longest=0.06, altogether=1.2)
DONE: Final = Reply("DONE")


def call(command: str, **more: Any) -> Call:
    return Call("run_command", {"command": command, **more})


def run(command: str, text: str = "", **more: Any) -> Reply:
    """Return a reply that runs a command by a call."""
    return Reply(text, calls=(call(command),), **more)


def fence(command: str, **more: Any) -> Reply:
    """Return a reply that runs a command by a fenced block."""
    return Reply(f"I do this:\n\n```bash\n{command}\n```\n", **more)


@dataclass
class Worked:
    """What came of it."""

    server: ModelServer
    trajectory: Trajectory

    @property
    def end(self) -> str | None:
        end: dict[str, str] = (self.trajectory.extra or {}).get("argusic", {}).get("end", {})
        return end.get("how")

    @property
    def told(self) -> list[str]:
        """What the model was told of its calls, in order."""
        return [
            result.content or ""
            for step in self.trajectory.steps
            for result in (step.observation.results if step.observation else ())
        ]

    def sent(self, number: int = -1) -> dict[str, Any]:
        """Return the body of a question."""
        return self.server.asked[number].body


class Working:
    """Lets the agent work.

    Args:
        session: Where commands run.
        mission: The mission.
        folder: Where the trajectory goes.
    """

    def __init__(self, session: Session, mission: Mission, folder: Path) -> None:
        self.session = session
        self.mission = mission
        self.folder = folder

    def work(self, script: Script, patience: Patience = QUICK, **model: Any) -> Worked:
        with ModelServer(script) as server:
            self.work_at(server.url, patience, **model)
            return Worked(server, self.trajectory())

    def work_at(
        self,
        url: str,
        patience: Patience = QUICK,
        *,
        socket: Path | None = None,
        token: str = "run-token",
        **model: Any,
    ) -> None:
        used = ModelUsed.model_validate({"name": "model-1", "url": url, **model})
        writer = TrajectoryWriter(self.folder / "lines", agent="agent-7", run=RUN)
        access = ModelAccess(used, url, token, socket)
        Shell(access, writer, patience, Random(1)).run(self.session, self.mission)

    def trajectory(self) -> Trajectory:
        assert assemble(self.folder / "lines", self.folder / "trajectory.json")
        return Trajectory.model_validate_json((self.folder / "trajectory.json").read_bytes())


def as_json(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value).encode()
