"""Whole attempts of the shell agent: a sandbox, a model's server, the recorder, and a published run."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from argusic.database.database import Database
from argusic.evidence.layout import MANIFEST_NAME, TRAJECTORY_LINES_NAME, TRAJECTORY_NAME
from argusic.evidence.store import FolderStore
from argusic.evidence.trajectory import TrajectoryWriter, assemble
from argusic.records.configuration import ModelUsed
from argusic.records.manifest import Manifest
from argusic.records.run import Run
from argusic.records.trajectory import Trajectory
from argusic.rules.rubric import Score, score
from argusic.runs.agents.shell.agent import Shell
from argusic.runs.attempt import Equipment, attempt
from argusic.runs.keys.access import ModelAccess
from argusic.runs.order import Order
from argusic.runs.session import Mission, Session
from argusic.runs.watching import Cancellation
from argusic.sandbox.registry import provider
from tests.quiet import Quiet


@dataclass(frozen=True)
class Driven:
    """The shell agent of one attempt, which writes its trajectory beside the attempt's evidence."""

    access: ModelAccess
    work: Path

    def run(self, session: Session, mission: Mission) -> None:
        (folder,) = [path for path in self.work.iterdir() if path.is_dir()]
        lines = folder / TRAJECTORY_LINES_NAME
        try:
            Shell(self.access, TrajectoryWriter(lines, agent="agent-7", run=folder.name)).run(session, mission)
        finally:
            assemble(lines, folder / "evidence" / TRAJECTORY_NAME)


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


def direct(url: str, **model: Any) -> ModelAccess:
    """Return access to a model that nobody stands before."""
    return ModelAccess(ModelUsed.model_validate({"name": "model-1", "url": url, **model}), url, "token")


def attempted(
    database: Database, made: Order, access: ModelAccess, *, sandbox: str = "bubblewrap", seconds: int | None = None
) -> Attempted:
    """Let the shell agent make an attempt."""
    equipment = Equipment(
        database, provider(sandbox), Quiet(), Cancellation(), lambda name, given: Driven(access, database.work)
    )
    order = dataclasses.replace(made, budget_seconds=seconds or made.budget_seconds)
    return Attempted(database, attempt(equipment, order))
