"""A database with one published run whose recording has what reels are about: failures, fixes, pauses, long output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from argusic.database.database import Database
from argusic.database.paths import run_folder
from argusic.evidence.reel.planning import Plan
from argusic.evidence.reel.rendering import edit_list
from argusic.evidence.reel.source import Source, read_source
from argusic.records.reel import EditList, ReelFile, ReelProgram
from argusic.records.run import Run
from tests.site.fixture_database import PASS, Command, FixtureDatabase

#: The second command fails, the fourth is the second again.
SESSION = (
    Command("pip install demo", "Collecting demo\nSuccessfully installed demo-1.0\n", 0, 3.0),
    Command("python -m demo", "ModuleNotFoundError: no module named wheel\n", 1, 2.0),
    Command("pip install wheel", "Successfully installed wheel-0.45\n", 0, 40.0),
    Command("python -m demo", "demo: ready ✓\n", 0, 2.0),
    Command("python -m demo decode out.bin", "42 frames decoded, no errors\n", 0, 5.0),
)


@dataclass
class Recorded:
    """One published run.

    Attributes:
        fixture: Its database.
        run: Its record.
    """

    fixture: FixtureDatabase
    run: Run

    @property
    def database(self) -> Database:
        return self.fixture.database

    @property
    def folder(self) -> PurePosixPath:
        return run_folder(self.run.cycle, self.run.subject, self.run.agent, self.run.run)

    def source(self) -> Source:
        return read_source(self.database, self.folder)


def recorded(root: Path, commands: Sequence[Command] = SESSION, **fields: Any) -> Recorded:
    """Publish a run of a session."""
    fixture = FixtureDatabase(root)
    fields.setdefault("report", PASS)
    return Recorded(fixture, fixture.run(fixture.subject("demo"), commands=commands, audited=True, **fields))


def listed(source: Source, plan: Plan) -> EditList:
    """Return the edit list of a plan, as if it had been rendered."""
    made_by = ReelProgram(argusic="0.1.0", agg="1.4.3", font_sha256="1" * 64)
    return edit_list(source, plan, "0" * 64, made_by, [ReelFile(name="x.gif", kind="gif", size=1, sha256="2" * 64)])


#: Makes a run of a session.
Making = Callable[..., Recorded]
