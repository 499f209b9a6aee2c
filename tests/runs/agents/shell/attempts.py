"""Whole attempts of the shell agent: a sandbox, a model's server, the recorder, and a published run."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from argusic.database.database import Database
from argusic.database.paths import agent_path, cycle_path
from argusic.evidence.layout import MANIFEST_NAME, TRAJECTORY_NAME
from argusic.evidence.store import FolderStore
from argusic.records.agent import Agent
from argusic.records.configuration import KeyUsed, ModelUsed, OpenConfiguration, Price
from argusic.records.cycle import Conditions
from argusic.records.manifest import Manifest
from argusic.records.run import Run
from argusic.records.trajectory import Trajectory
from argusic.rules.rubric import Score, score
from argusic.runs.attempt import Equipment, attempt
from argusic.runs.order import order
from argusic.runs.watching import Cancellation
from argusic.sandbox.protocol import Provider
from argusic.sandbox.registry import provider
from tests.quiet import Quiet

#: The host's variable that holds the real key, where the agent's configuration says that there is one.
VARIABLE: Final = "MODEL_KEY"
REAL_KEY: Final = "sk-real-" + "qW3eR5tY7uI9oP1aS2dF4gH6jK8lZ0xC"


@dataclass(frozen=True)
class Attempted:
    """What became of an attempt."""

    database: Database
    run: Run

    @property
    def score(self) -> Score:
        return score(self.run, self.database.edition(self.run.edition)[0])

    @property
    def manifest(self) -> Manifest:
        return self.database.read(self.folder / MANIFEST_NAME, Manifest)

    @property
    def folder(self) -> PurePosixPath:
        (stored,) = [stored for stored in self.database.runs() if stored.run.run == self.run.run]
        return stored.folder

    def file(self, name: str) -> bytes:
        (entry,) = [file for file in self.manifest.files if file.name == name]
        if entry.place == "run":
            return (self.database.root / self.folder / name).read_bytes()
        return FolderStore(self.database.store_folder).path(entry.sha256).read_bytes()

    @property
    def trajectory(self) -> Trajectory:
        return Trajectory.model_validate_json(self.file(TRAJECTORY_NAME))


def add_agent(database: Database, cycle: str, url: str, price: Price | None = None, **model: Any) -> Agent:
    """Put an agent with the model at `url` into a database, as the standard agent of a cycle."""
    used = ModelUsed.model_validate({"name": "model-1", "url": url, "price": price, **model})
    key = KeyUsed(provider="none") if price is None else KeyUsed(provider="gateway", variable=VARIABLE)
    agent = Agent(
        agent="agent-7",
        title="Agent 7",
        role="agent",
        program="shell",
        implementation="shell",
        configuration=OpenConfiguration(model=used, key=key),
    )
    database.write(agent_path(agent.agent), agent, replace=True)
    changed = database.cycle(cycle).model_copy(update={"standard_agent": agent.agent, "board_agents": ()})
    database.write(cycle_path(cycle), changed, replace=True)
    return agent


def attempted(
    database: Database,
    cycle: str,
    subject: str,
    *,
    sandbox: str = "bubblewrap",
    using: Provider | None = None,
    seconds: int | None = None,
    limits: Mapping[str, int] | None = None,
) -> Attempted:
    """Let the agent make an attempt."""
    made = order(database, database.cycle(cycle), subject, "agent-7")
    made = dataclasses.replace(made, budget_seconds=seconds or made.budget_seconds)
    if limits:
        conditions = Conditions.model_validate(dict(limits))
        made = dataclasses.replace(made, cycle=made.cycle.model_copy(update={"conditions": conditions}))
    equipment = Equipment(
        database,
        using or provider(sandbox),
        Quiet(),
        Cancellation(),
        environment={VARIABLE: REAL_KEY, "PATH": "/usr/bin:/bin"},
    )
    return Attempted(database, attempt(equipment, made))
