"""What an attempt's job hands over: the served evidence of its runs and the conditions they had, whole or not at all.

Nothing raw goes in, and nothing sealed either: an artifact of a public repository is as public as git, where sealed
files never go (`sealed_along` has their way). Before it appears, every byte is searched for what the job held.
"""

from __future__ import annotations

import mmap
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from argusic.database.atomic import TEMPORARY_PREFIX, publish_folder
from argusic.database.database import Database
from argusic.database.paths import MANIFEST_FILE, conditions_path, run_folder
from argusic.errors import CheckFailed, InputError, Place
from argusic.evidence.fingerprint import fingerprint
from argusic.evidence.stores.configured import store_of
from argusic.records.handing_over import HandedFile, HandOver, PlannedJob
from argusic.records.manifest import Manifest
from argusic.records.run import Run
from argusic.runs.jobs.files import LIST_NAME, as_json, store_path


def must_be_new(folder: Path) -> None:
    """Refuse a folder for a hand-over that is there already, or that could not be made.

    Raises:
        InputError: It is one.
    """
    if os.path.lexists(folder):
        raise InputError("is there already, and a hand-over is never added to.", place=Place(folder))
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}.", place=Place(folder)) from None


def hand_over(
    database: Database,
    cycle: str,
    job: PlannedJob,
    runs: Sequence[Run],
    folder: Path,
    *,
    queued: str | None = None,
    held: Mapping[str, bytes] | None = None,
) -> HandOver:
    """Write a hand-over.

    Args:
        database: Where the runs were published.
        cycle: Their cycle.
        job: The job that made them.
        runs: The runs.
        folder: Where it appears, in one step and whole.
        queued: Why an attempt that is still owed waits for a key.
        held: Credentials that the job held, by what each is.

    Returns:
        Its list.

    Raises:
        InputError: The folder is there already.
        CheckFailed: A file is not what its manifest names, or holds a credential of the job. Nothing is handed over.
        OSError: The disk is full or fails.
    """
    must_be_new(folder)
    making = folder.parent / f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}"
    making.mkdir()
    try:
        for run in runs:
            _put(database, run, making)
        record = HandOver(
            cycle=cycle,
            job=job.job,
            subject=job.subject,
            agent=job.agent,
            runs=tuple(sorted(run.run for run in runs)),
            queued=queued,
            files=tuple(_listed(making)),
        )
        (making / LIST_NAME).write_bytes(as_json(record))
        _search(making, held or {})
        publish_folder(making, folder)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return record


def _put(database: Database, run: Run, making: Path) -> None:
    """Copy what is handed over of one run."""
    store = store_of(database)
    folder = run_folder(run.cycle, run.subject, run.agent, run.run)
    manifest = database.read(folder / MANIFEST_FILE, Manifest)
    _copy(database.root / folder / MANIFEST_FILE, making / folder / MANIFEST_FILE)
    for entry in manifest.files:
        if entry.place == "run":
            _copy(database.root / folder / entry.name, making / folder / entry.name, entry.sha256)
        else:
            _copy(store.check(entry.sha256), making / store_path(entry.sha256), entry.sha256)
    if run.conditions_sha256 is not None:
        path = conditions_path(run.cycle, run.conditions_sha256)
        _copy(database.root / path, making / path)


def _copy(source: Path, destination: Path, sha256: str | None = None) -> None:
    """Copy a file, and prove that the copy is what it should be."""
    if source.is_symlink():
        raise CheckFailed("is a link, and no run has one.", place=Place(source))
    destination.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, destination)
    if sha256 is not None and fingerprint(destination).sha256 != sha256:
        raise CheckFailed("is not the file that its manifest names; nothing is handed over.", place=Place(source))


def _listed(making: Path) -> Iterator[HandedFile]:
    paths = {PurePosixPath(path.relative_to(making).as_posix()): path for path in making.rglob("*") if path.is_file()}
    for name in sorted(paths, key=str):
        found = fingerprint(paths[name])
        yield HandedFile(path=str(name), sha256=found.sha256, size=found.size)


def _search(making: Path, held: Mapping[str, bytes]) -> None:
    """Refuse to hand over anything in which a credential of this job stands.

    Raises:
        CheckFailed: It does.
    """
    for path in sorted(path for path in making.rglob("*") if path.is_file()):
        if not path.stat().st_size:
            continue
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            for name, value in held.items():
                if value and content.find(value) != -1:
                    shown = path.relative_to(making)
                    raise CheckFailed(f"holds the {name} of this job; nothing is handed over.", place=Place(shown))
