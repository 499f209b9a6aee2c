"""A database with two published runs, for the tests of whatever verifies them."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.database.paths import EVIDENCE_HOME_PATH, edition_path, instructions_path, run_folder
from argusic.evidence.asciicast import CastHeader, CastWriter
from argusic.evidence.commands import CommandRow, CommandTableWriter
from argusic.evidence.coverage import measure
from argusic.evidence.fingerprint import fingerprint
from argusic.evidence.layout import COMMANDS_NAME, LOG_NAME, MANIFEST_NAME, RECORDING_NAME, RUN_NAME
from argusic.evidence.log import LogWriter
from argusic.evidence.manifest import Conditions, build, describe
from argusic.evidence.store import FolderStore
from argusic.evidence.verify import verify
from argusic.records.manifest import ArgusicFacts, EditionUsed, Fingerprinted, Manifest
from argusic.records.run import Run

TOP = Path(__file__).parents[2]
RUN_IDS = ("20261130T014500Z-aaaaaa", "20261130T014501Z-bbbbbb")


def record(folder: Path) -> None:
    """Record a session of one command, at a standstill."""
    cast = CastWriter(folder / RECORDING_NAME, CastHeader(80, 24, None, {}), lambda: 0.0)
    log = LogWriter(folder / LOG_NAME)
    table = CommandTableWriter(folder / COMMANDS_NAME)
    cast.write("m", "begin")
    at = cast.write("m", "command 1")
    cast.write("o", "$ ls\r\n")
    table.start(
        CommandRow(
            number=1, command="ls", started=at, ended=at, exit_status=0, cut=None, offset=1, log_line=log.command("ls")
        )
    )
    cast.write("m", "end")
    for file in (cast, log, table):
        file.close()


def publish(database: Database, work: Path, run_id: str) -> Path:
    """Publish a run with the recorded session and return its folder."""
    work.mkdir()
    record(work)
    started = datetime.strptime(run_id[:16], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    run = Run.model_validate(
        {
            "run": run_id,
            "cycle": "small",
            "subject": "package/tinydb",
            "agent": "newcomer",
            "edition": "v1.5",
            "purpose": "verdict",
            "tier": "standard",
            "budget_seconds": 5400,
            "pin": {"kind": "package", "version": "4.8.2", "file": "tinydb-4.8.2.tar.gz", "sha256": "0" * 64},
            "started": started,
            "finished": started,
            "ending": {"how": "completed"},
            "phases": [{"name": "agent", "started": started, "seconds": 1.5}],
            "commands": 1,
            "report": {"state": "missing", "problem": "There is none."},
        }
    )
    folder = database.root / run_folder(run.cycle, run.subject, run.agent, run.run)
    folder.mkdir(parents=True)
    (folder / RUN_NAME).write_bytes(dump(run))
    shutil.copy(work / RECORDING_NAME, folder)
    store = FolderStore(database.store_folder)
    files = [describe(folder / RUN_NAME, "run", "run"), describe(folder / RECORDING_NAME, "recording", "run")]
    for name, role in ((LOG_NAME, "log"), (COMMANDS_NAME, "commands")):
        store.put(work / name)
        files.append(describe(work / name, role, "store"))  # type: ignore[arg-type]
    conditions = Conditions(
        edition=EditionUsed(id="v1.5", sha256=fingerprint(database.root / edition_path("v1.5")).sha256),
        instructions=Fingerprinted(
            id="standard-1", sha256=fingerprint(database.root / instructions_path("standard-1")).sha256
        ),
        agent=Fingerprinted(id="newcomer", sha256="1" * 64),
        sandbox=None,
        environment=None,
        key="none",
        argusic=ArgusicFacts(version="0.1.0", commit=None, dirty=True),
    )
    coverage = measure(folder / RECORDING_NAME, work / COMMANDS_NAME, work / LOG_NAME, 1.5)
    (folder / MANIFEST_NAME).write_bytes(dump(build(run, conditions, coverage, files)))
    return folder


@dataclass
class Published:
    """A database with two runs."""

    database: Database
    folders: list[Path]

    def said(self, *paths: Path) -> list[str]:
        return [str(finding) for finding in verify(self.database, paths).findings]

    def manifest(self) -> Manifest:
        path = self.folders[0].relative_to(self.database.root) / MANIFEST_NAME
        return self.database.read(path, Manifest)  # type: ignore[arg-type]

    def set_manifest(self, **fields: Any) -> None:
        changed = self.manifest().model_copy(update=fields)
        (self.folders[0] / MANIFEST_NAME).write_bytes(dump(changed))

    def stored(self, role: str) -> Path:
        sha256 = next(file.sha256 for file in self.manifest().files if file.role == role)
        path = FolderStore(self.database.store_folder).path(sha256)
        path.chmod(0o644)
        return path


def publish_two(folder: Path) -> Published:
    """Make a database in `folder` and publish two runs in it."""
    root = folder / "top"
    (root / "pool").mkdir(parents=True)
    shutil.copytree(TOP / "rules", root / "rules", ignore=shutil.ignore_patterns(EVIDENCE_HOME_PATH.name))
    database = Database(root)
    return Published(database, [publish(database, folder / run_id, run_id) for run_id in RUN_IDS])
