"""What of a run's evidence a page can show: each file found, proven by its fingerprint, and read; or why not.

A file is served only if its bytes are those that the manifest fingerprinted. What is missing, differs or cannot
be read becomes a sentence on the page, never a failure of the build.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from argusic.database.database import Database
from argusic.database.paths import MANIFEST_FILE
from argusic.errors import ArgusicError
from argusic.evidence.castreader import CastReader
from argusic.evidence.commands import CommandRow, read_table
from argusic.evidence.fingerprint import fingerprint
from argusic.evidence.store import EvidenceStore
from argusic.evidence.stores.configured import store_of
from argusic.records.manifest import EvidenceFile, FileRole, Manifest
from argusic.site.results import PublishedRun

_Shown = TypeVar("_Shown")

#: Whether a file of evidence can be shown.
FileState = Literal["proven", "missing", "differs"]


@dataclass(frozen=True)
class FoundFile:
    """One file of the manifest, looked for.

    Attributes:
        file: What the manifest says of it.
        state: Whether it is here and is what the manifest says.
        path: Where it is; None unless it is proven.
    """

    file: EvidenceFile
    state: FileState
    path: Path | None


@dataclass(frozen=True)
class Recording:
    """A recording that can be played.

    Attributes:
        path: Its file.
        seconds: The time of its last event.
        columns: The width of its terminal.
        rows: The height of its terminal.
        damage: What is wrong with it, where something is but it still plays.
    """

    path: Path
    seconds: float
    columns: int
    rows: int
    damage: tuple[str, ...]


@dataclass(frozen=True)
class RunEvidence:
    """Everything that a run's pages show of its evidence.

    Attributes:
        manifest: The manifest, or None where it cannot be read.
        problem: Why it cannot be read.
        files: Its files, looked for.
        recording: The recording, where it can be played.
        no_recording: Why it cannot, where it cannot.
        log: The log's file, where it can be shown.
        no_log: Why it cannot, where it cannot.
        commands: What the harness ran, by the command table.
        inner: What the agent's own program ran, by the same.
        no_commands: Why it is not here, where it is not.
    """

    manifest: Manifest | None
    problem: str | None
    files: tuple[FoundFile, ...]
    recording: Recording | None
    no_recording: str | None
    log: Path | None
    no_log: str | None
    commands: tuple[CommandRow, ...]
    no_commands: str | None
    inner: tuple[CommandRow, ...] = ()

    @property
    def in_order(self) -> tuple[CommandRow, ...]:
        """All commands, what the agent's own program ran among them, in the order in which they started."""
        return tuple(sorted((*self.commands, *self.inner), key=lambda row: row.started))

    @property
    def stopped_at(self) -> CommandRow | None:
        """The command at which the attempt stopped: the last that failed or never ended, else the last."""
        failed = (row for row in reversed(self.commands) if row.exit_status != 0)
        return next(failed, self.commands[-1] if self.commands else None)


def gather(database: Database, published: PublishedRun) -> RunEvidence:
    """Look for everything that the manifest of a run names, and read what a page shows of it."""
    folder = database.root / published.folder
    withheld = "The recording is withheld: it could not be proven free of a live credential, or of a private key."
    try:
        manifest = database.read(published.folder / MANIFEST_FILE, Manifest)
    except (ArgusicError, OSError):
        problem = "The manifest of this run cannot be read, so none of its files can be proven."
        return RunEvidence(None, problem, (), None, problem, None, problem, (), problem)
    store = store_of(database, offline=True)  # `build` has brought what can be had.
    files = tuple(_find(file, folder, store) for file in manifest.files)
    if published.run.ending.how == "withheld":
        return RunEvidence(manifest, None, files, None, withheld, None, withheld, (), withheld)
    recording, no_recording = _of_role(files, "recording", "recording", _recording)
    log, no_log = _of_role(files, "log", "log", lambda path: (path, None))
    commands, no_commands = _of_role(files, "commands", "command table", _commands)
    return RunEvidence(
        manifest=manifest,
        problem=None,
        files=files,
        recording=recording,
        no_recording=no_recording,
        log=log,
        no_log=no_log,
        commands=commands[0] if commands else (),
        no_commands=no_commands,
        inner=commands[1] if commands else (),
    )


def _find(file: EvidenceFile, folder: Path, store: EvidenceStore) -> FoundFile:
    path = folder / file.name if file.place == "run" else store.path(file.sha256)
    try:
        found = fingerprint(path)
    except FileNotFoundError:
        return FoundFile(file, "missing", None)
    except (OSError, ValueError):
        return FoundFile(file, "differs", None)
    same = (found.sha256, found.size) == (file.sha256, file.size)
    return FoundFile(file, "proven" if same else "differs", path if same else None)


def _of_role(
    files: tuple[FoundFile, ...], role: FileRole, name: str, read: Callable[[Path], tuple[_Shown | None, str | None]]
) -> tuple[_Shown | None, str | None]:
    """Return what `read` makes of the file of a role, or the sentence why there is nothing to show."""
    found = next((item for item in files if item.file.role == role), None)
    if found is None:
        return None, f"This run has no {name}."
    if found.path is None and found.state == "differs":
        return None, f"The {name} found here is not the one that the manifest fingerprinted, so it is not shown."
    if found.path is None:
        return None, (
            f"The {name} is not in the evidence store that this page was built from. Its fingerprint proves any copy."
        )
    return read(found.path)


def _commands(path: Path) -> tuple[tuple[tuple[CommandRow, ...], tuple[CommandRow, ...]], None]:
    rows, inner = read_table(path)
    return (tuple(rows), tuple(inner)), None


def _recording(path: Path) -> tuple[Recording | None, str | None]:
    last, events = 0.0, 0
    with path.open("rb") as stream:
        reader = CastReader(stream, "recording")
        for event in reader:
            last, events = max(last, event.time), events + 1
    damage = tuple(f"line {finding.place.line}: {finding.what}" for finding in reader.findings)
    if reader.header is None or not events:
        return None, f"This recording cannot be played ({'; '.join(damage) or 'it holds no event'})."
    return Recording(path, last, reader.header.width, reader.header.height, damage), None
