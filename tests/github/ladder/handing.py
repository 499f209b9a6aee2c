"""A small cycle whose attempts were made elsewhere, and hand-overs of them that a test can spoil."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from argusic.database.codec import dump, read_record
from argusic.database.database import Database, StoredRun
from argusic.database.paths import MANIFEST_FILE, RUN_FILE
from argusic.records.handing_over import HandedFile, HandOver, Plan, PlannedJob
from argusic.records.manifest import EvidenceFile, Manifest
from argusic.records.run import Run
from argusic.runs.jobs.files import LIST_NAME, as_json, read_json
from tests.conftest import make_small
from tests.program import argusic

SUBJECT = "repository/greeter"
#: Long before any test makes a run.
PLANNED = datetime(2026, 1, 1, tzinfo=UTC)
#: The agents of the jobs, in the order of the plan.
AGENTS = ("oracle", "nop")
CYCLE: dict[str, Any] = {"standard_agent": None, "board_agents": (), "controls": AGENTS}


def plan_of(**fields: Any) -> Plan:
    """Return the plan of the small cycle."""
    jobs = [
        PlannedJob(
            job=f"{number:03}",
            subject=SUBJECT,
            agent=agent,
            purpose="control",
            attempts=1,
            tier="standard",
            runner=("ubuntu-24.04",),
            timeout_minutes=120,
        )
        for number, agent in enumerate(AGENTS, 1)
    ]
    return Plan.model_validate(
        {"cycle": "small", "commit": None, "planned": PLANNED, "jobs": jobs, "left": 0, **fields}
    )


@dataclass
class Elsewhere:
    """Where the attempts were made.

    Attributes:
        database: With their runs in it.
        pristine: The database as it was before them.
        handed: What the jobs handed over.
    """

    database: Database
    pristine: Path
    handed: Path

    def stored(self, agent: str) -> StoredRun:
        """Return the run of an agent."""
        return next(stored for stored in self.database.runs("small") if stored.run.agent == agent)

    def here(self, folder: Path) -> Database:
        """Return a database without the runs, in a folder of a test."""
        shutil.copytree(self.pristine, folder / "here")
        return Database(folder / "here", cache_folder=folder / "cache-here")

    def hand_over(self, top: Path, number: int, name: str | None = None) -> HandedFolder:
        """Copy the hand-over of a job to below `top`."""
        folder = top / (name or f"attempt-{number:03}-1")
        shutil.copytree(self.handed / f"attempt-{number:03}-1", folder)
        return HandedFolder(folder, self.stored(AGENTS[number - 1]).folder, number)


@dataclass
class HandedFolder:
    """The hand-over of one run, as a folder that can be changed.

    Attributes:
        folder: The folder.
        run_folder: That of its run, below.
        number: The number of the job.
    """

    folder: Path
    run_folder: PurePosixPath
    number: int

    @property
    def run_path(self) -> Path:
        """The run's record."""
        return self.folder / self.run_folder / RUN_FILE

    @property
    def manifest_path(self) -> Path:
        """Its manifest."""
        return self.folder / self.run_folder / MANIFEST_FILE

    def list(self, **fields: Any) -> None:
        """Write its list, by what lies there; its fields can be overridden."""
        (self.folder / LIST_NAME).unlink(missing_ok=True)
        paths = sorted(path for path in self.folder.rglob("*") if path.is_file() and not path.is_symlink())
        said: dict[str, Any] = {
            "cycle": "small",
            "job": f"{self.number:03}",
            "subject": SUBJECT,
            "agent": AGENTS[self.number - 1],
            "runs": (self.run_folder.name,),
            "files": tuple(handed(self.folder, path) for path in paths),
        }
        (self.folder / LIST_NAME).write_bytes(as_json(HandOver.model_validate({**said, **fields})))

    def relist(self, change: Callable[[dict[str, Any]], None]) -> None:
        """Change its list as plain data."""
        path = self.folder / LIST_NAME
        said = json.loads(path.read_bytes())
        change(said)
        path.write_text(json.dumps(said))

    def set_run(self, **fields: Any) -> None:
        """Change what its run says, with a manifest and a list that agree with it."""
        run = read_record(self.run_path, Run)
        self.run_path.write_bytes(dump(Run.model_validate(run.model_copy(update=fields).model_dump())))
        self.remanifest(lambda manifest: {})

    def remanifest(self, change: Callable[[Manifest], dict[str, Any]]) -> None:
        """Change its manifest, which names the run's record as it is, and its list."""
        manifest = read_record(self.manifest_path, Manifest)
        data = self.run_path.read_bytes()
        files = [
            file.model_copy(update={"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)})
            if file.role == "run"
            else file
            for file in manifest.files
        ]
        manifest = manifest.model_copy(update={"files": tuple(files)})
        manifest = manifest.model_copy(update=change(manifest))
        self.manifest_path.write_bytes(dump(manifest))
        self.list()

    def add(self, path: str, data: bytes = b"more\n") -> None:
        """Add a file, and list it."""
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_bytes(data)
        self.list()

    def evidence(self, role: str) -> EvidenceFile:
        """Return the manifest's entry of a role."""
        return next(file for file in read_record(self.manifest_path, Manifest).files if file.role == role)

    def stored(self, role: str) -> Path:
        """Return where the file of a role lies in its store."""
        sha256 = self.evidence(role).sha256
        return self.folder / "store" / sha256[:2] / sha256

    def zipped(self) -> Path:
        """Make it the ZIP file that GitHub would hand out, and remove the folder."""
        path = self.folder.with_name(f"{self.folder.name}.zip")
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(self.folder.rglob("*")):
                if file.is_file():
                    archive.write(file, file.relative_to(self.folder).as_posix())
        shutil.rmtree(self.folder)
        return path


def handed(folder: Path, path: Path) -> dict[str, Any]:
    """Return a file as a list names it."""
    data = path.read_bytes()
    name = path.relative_to(folder).as_posix()
    return HandedFile.model_construct(path=name, sha256=hashlib.sha256(data).hexdigest(), size=len(data)).model_dump()


def make_elsewhere(folder: Path, greeter: tuple[Path, str]) -> Elsewhere:
    """Plan the small cycle in a folder and make its jobs there, each with the command that a workflow calls."""
    database = make_small(folder, greeter, **CYCLE)

    def call(*words: str) -> None:
        done = argusic(database, *words, ARGUSIC_KEYS=str(folder / "keys"))
        assert done.returncode == 0, done.stderr

    call("evidence", "recipients", "small")
    shutil.copytree(database.root, folder / "pristine")
    plan = folder / "plan.json"
    call("cycle", "plan", "small", "--jobs", str(plan))
    assert [(job.job, job.agent) for job in read_json(plan, Plan).jobs] == [("001", AGENTS[0]), ("002", AGENTS[1])]
    for job in ("001", "002"):
        to = folder / "handed" / f"attempt-{job}-1"
        words = ("--plan", str(plan), "--job", job, "--sign", "none", "--hand-over", str(to))
        call("cycle", "run", "small", *words)
    return Elsewhere(database, folder / "pristine", folder / "handed")


NOW = datetime.now(UTC)
