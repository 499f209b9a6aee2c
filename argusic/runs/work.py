"""Work in progress: the folder of an attempt from its first moment until its run is published or recorded as lost.

An attempt in progress holds a lock on its folder. The kernel drops the lock when the process dies, however it
dies, so that the next start can tell a dead attempt from a live one without trusting process ids.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from argusic.database.atomic import write_file
from argusic.database.codec import dump, read_record
from argusic.errors import InputError
from argusic.records.base import Record, RunId, Sha256, Slug, SubjectRef, Tier, UtcTime
from argusic.records.manifest import EditionUsed, EnvironmentFacts, Fingerprinted, SandboxFacts
from argusic.records.subject import AnyPin

_TAIL = "abcdefghijklmnopqrstuvwxyz234567"


class Intent(Record):
    """What an attempt is going to be, written before anything is started."""

    run: RunId
    cycle: Slug
    subject: SubjectRef
    agent: Slug
    purpose: Literal["verdict", "board", "control"]
    edition: EditionUsed
    instructions: Fingerprinted
    agent_file: Fingerprinted
    conditions_sha256: Sha256
    key: Literal["none", "per_run", "shared"] = "none"
    program: Slug | None = None
    """The agent's own program, whose start-up banner is blanked in what is served."""
    sandbox: Slug
    tier: Tier
    budget_seconds: int
    pin: AnyPin
    started: UtcTime


class Met(Record):
    """What the attempt met once its sandbox stood."""

    sandbox: SandboxFacts
    environment: EnvironmentFacts


def new_run_id(started: datetime) -> str:
    """Return a run id for an attempt that starts at `started`."""
    tail = "".join(secrets.choice(_TAIL) for _ in range(6))
    return f"{started.astimezone(UTC):%Y%m%dT%H%M%SZ}-{tail}"


class Work:
    """The folder of one attempt in progress.

    Attributes:
        folder: The folder itself, under `.argusic/work/`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def evidence(self) -> Path:
        """Where recording, log, command table and report are written as they happen."""
        return self.folder / "evidence"

    @property
    def publishing(self) -> Path:
        """The run's folder as it will be published, complete once its manifest is in it."""
        return self.folder / "publishing"

    @property
    def sandbox(self) -> Path:
        """What the sandbox keeps on the host."""
        return self.folder / "sandbox"

    @property
    def display(self) -> Path:
        """What the display's sandbox keeps on the host, where there is a display."""
        return self.folder / "display"

    def write_intent(self, intent: Intent) -> None:
        """Write down what is going to be."""
        write_file(self.folder / "intent.yaml", dump(intent), replace=False)

    def intent(self) -> Intent | None:
        """Return what was going to be, or None where it died before it could say."""
        path = self.folder / "intent.yaml"
        return read_record(path, Intent) if path.is_file() else None

    def write_met(self, met: Met) -> None:
        """Write down what the attempt met."""
        write_file(self.folder / "met.yaml", dump(met), replace=False)

    def met(self) -> Met | None:
        """Return what the attempt met, or None where no sandbox stood."""
        path = self.folder / "met.yaml"
        return read_record(path, Met) if path.is_file() else None

    def remove(self) -> None:
        """Remove the folder. What it held is published by now, or was never begun.

        The lock goes last: as long as anything is left, the folder can be found and held again.
        """
        for entry in sorted(self.folder.iterdir()):
            if entry.name == "lock":
                continue
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()
        with _gate(self.folder.parent):
            (self.folder / "lock").unlink(missing_ok=True)
            self.folder.rmdir()


@contextmanager
def _gate(work_folder: Path) -> Iterator[None]:
    """Keep others from looking at a folder between its making and its holding, and while it goes."""
    work_folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(work_folder / ".gate", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _hold(folder: Path) -> int | None:
    """Return a file descriptor that holds the folder's lock, or None where somebody else holds it. In the gate."""
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


@contextmanager
def begin(work_folder: Path, run: str) -> Iterator[Work]:
    """Open the folder of a new attempt and hold it."""
    folder = work_folder / run
    with _gate(work_folder):
        folder.mkdir()
        descriptor = _hold(folder)
        if descriptor is None:
            raise InputError(f"{folder} is in use by another process.")
        os.write(descriptor, f"{os.getpid()}\n".encode())
    try:
        work = Work(folder)
        work.evidence.mkdir()
        work.sandbox.mkdir()
        yield work
    finally:
        os.close(descriptor)


@contextmanager
def abandoned(work_folder: Path) -> Iterator[Iterator[Work]]:
    """Give the folders of attempts whose process is dead, each held while it is looked at."""

    def walk() -> Iterator[Work]:
        for folder in sorted(work_folder.iterdir()) if work_folder.is_dir() else ():
            with _gate(work_folder):
                descriptor = _hold(folder) if folder.is_dir() else None
            if descriptor is None:
                continue
            try:
                # Its process is dead, and the number may be another's by now: nobody shall send that a signal.
                os.ftruncate(descriptor, 0)
                yield Work(folder)
            finally:
                os.close(descriptor)

    yield walk()


def running(work_folder: Path) -> list[tuple[str, int]]:
    """Return the run id and process id of every attempt in progress."""
    if not work_folder.is_dir():
        return []
    with standing_still(work_folder) as found:
        return found


@contextmanager
def standing_still(work_folder: Path) -> Iterator[list[tuple[str, int]]]:
    """Give the run id and process id of every attempt in progress, and let none begin or end meanwhile."""
    with _gate(work_folder):
        found = []
        for folder in sorted(work_folder.iterdir()):
            if not folder.is_dir():
                continue
            descriptor = _hold(folder)
            if descriptor is not None:
                os.close(descriptor)
            elif (holder := (folder / "lock").read_text().strip()).isdigit():
                found.append((folder.name, int(holder)))
        yield found


def unpublished(work_folder: Path) -> list[tuple[str, str | None]]:
    """Return the run id and cycle of every attempt whose run is not there yet, whether its process lives or not.

    The cycle is None of an attempt that only just begins.
    """
    folders = [folder for folder in sorted(work_folder.iterdir()) if folder.is_dir()] if work_folder.is_dir() else []
    found = []
    for folder in folders:
        intent = Work(folder).intent()
        found.append((folder.name, intent.cycle if intent is not None else None))
    return found
