"""Sending the evidence of a cycle to where others reach it, and bringing it back.

Both can be stopped at any instant and begun again: what is there, or here, is not sent or brought a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePosixPath

from argusic.database.database import Database, StoredRun
from argusic.database.paths import MANIFEST_FILE, agent_path
from argusic.errors import CheckFailed, Finding, InputError, Place
from argusic.evidence.layout import sealed_name
from argusic.evidence.store import EvidenceStore, FolderStore
from argusic.evidence.stores.configured import elsewhere_of
from argusic.evidence.stores.elsewhere import Here
from argusic.records.agent import Agent
from argusic.records.manifest import Manifest

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Kept:
    """A file that a run, or the agent that made it, keeps in the store.

    Attributes:
        path: Its place: the run's folder and its name; of a sealed configuration the agent's file.
        sha256: Its digest in the store.
        sealed: Whether it is encrypted.
    """

    path: PurePosixPath
    sha256: str
    sealed: bool


@dataclass(frozen=True)
class Collected:
    """What came of sending the evidence of a cycle.

    Attributes:
        store: Where it went.
        files: How many files were sent.
        size: Their bytes.
        there: How many were there already.
        held_back: How many sealed files were not sent, because the store is public.
        findings: Files that are neither there nor, whole, here.
    """

    store: str
    files: int
    size: int
    there: int
    held_back: int
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Fetched:
    """What came of bringing evidence here.

    Attributes:
        files: How many files were brought.
        here: How many were here already.
        findings: Files that are nowhere to be had, or are damaged here.
    """

    files: int
    here: int
    findings: tuple[Finding, ...]


def kept_files(database: Database, runs: Iterable[StoredRun]) -> Iterator[Kept]:
    """Yield what runs keep in the store, without what was withdrawn, and the sealed configurations of their agents.

    Raises:
        InputError: A manifest or an agent's file cannot be read.
    """
    gone: dict[str, set[str]] = {}
    agents: set[str] = set()
    for stored in runs:
        cycle = stored.run.cycle
        agents.add(stored.run.agent)
        if cycle not in gone:
            gone[cycle] = _withdrawn(database, cycle)
        yield from kept_by(stored.folder, database.read(stored.folder / MANIFEST_FILE, Manifest), gone[cycle])
    for path in (agent_path(agent) for agent in sorted(agents)):
        sealed = database.read(path, Agent).sealed if database.holds(path) else None
        if sealed is not None:
            yield Kept(path, sealed.sealed_sha256, sealed=True)


def kept_by(folder: PurePosixPath, manifest: Manifest, gone: Collection[str]) -> Iterator[Kept]:
    """Yield what one run keeps in the store, without what was withdrawn.

    Args:
        folder: Its folder.
        manifest: Its manifest.
        gone: The digests of what was withdrawn.
    """
    for file in manifest.files:
        if file.place == "store" and file.sha256 not in gone:
            yield Kept(folder / file.name, file.sha256, sealed=False)
    for sealed in manifest.sealed or ():
        if sealed.sealed_sha256 not in gone:
            yield Kept(folder / sealed_name(sealed.name), sealed.sealed_sha256, sealed=True)


def collect(database: Database, cycle: str, progress: Progress = lambda done, of: None) -> Collected:
    """Send what a cycle's runs keep in the store and what is not there yet.

    Args:
        database: The database.
        cycle: The cycle's id.
        progress: Told how many files were sent, of how many.

    Raises:
        InputError: The repository has no store elsewhere, or a file is too large for it.
        EnvironmentLack: The store cannot be reached, refuses, or is full.
    """
    elsewhere = elsewhere_of(database)
    if elsewhere is None:
        raise InputError(
            "the evidence of this repository is kept in the folder on this machine alone, so there is nowhere to send "
            "it to.",
            advice="Name the repository itself, a bucket or releases in rules/evidence.yaml.",
        )
    database.cycle(cycle)
    kept = {file.sha256: file for file in kept_files(database, database.runs(cycle))}
    held_back = 0
    if any(file.sealed for file in kept.values()) and not elsewhere.is_private():
        held_back = sum(file.sealed for file in kept.values())
        kept = {sha256: file for sha256, file in kept.items() if not file.sealed}
    there = elsewhere.holds(kept.keys())
    files, findings = _proven(FolderStore(database.store_folder), (kept[one] for one in sorted(kept.keys() - there)))
    done = 0

    def sent(file: Here) -> None:
        nonlocal done
        done += 1
        progress(done, len(files))

    progress(0, len(files))
    if files:
        elsewhere.send(cycle, files, sent)
    return Collected(
        store=elsewhere.name,
        files=len(files),
        size=sum(file.size for file in files),
        there=len(there),
        held_back=held_back,
        findings=tuple(findings),
    )


def fetch(
    database: Database,
    store: EvidenceStore,
    runs: Iterable[StoredRun],
    progress: Progress = lambda done, of: None,
    *,
    sealed: bool = False,
) -> Fetched:
    """Bring here what runs keep in the store.

    Args:
        database: The database.
        store: Its store.
        runs: The runs.
        progress: Told how many files were brought, of how many.
        sealed: Whether sealed files are brought, too.

    Raises:
        CheckFailed: What the store has under a digest is something else.
        EnvironmentLack: The store cannot be reached.
    """
    kept = {file.sha256: file for file in kept_files(database, runs) if sealed or not file.sealed}
    missing = {sha256 for sha256 in kept if not store.path(sha256).exists()}
    store.bring(kept.keys(), progress)
    findings = [
        Finding(Place(kept[sha256].path), store.absent) for sha256 in sorted(missing) if not store.path(sha256).exists()
    ]
    return Fetched(files=len(missing) - len(findings), here=len(kept) - len(missing), findings=tuple(findings))


def bring_served(
    database: Database,
    store: EvidenceStore,
    folders: Iterable[PurePosixPath],
    progress: Progress = lambda done, of: None,
) -> None:
    """Bring here all that runs serve, with few requests, before somebody asks for it file by file.

    What is wrong with one run, or with one file, is for whoever looks at it then to say.

    Args:
        database: The database.
        store: Its store.
        folders: The runs' folders.
        progress: Told how many files were brought, of how many.

    Raises:
        EnvironmentLack: The store cannot be reached.
    """
    if isinstance(store, FolderStore):
        return  # Not a manifest needs to be read for that.
    gone: dict[str, set[str]] = {}
    wanted: list[str] = []
    for folder in folders:
        with suppress(InputError):
            cycle = folder.parts[1]
            if cycle not in gone:
                gone[cycle] = _withdrawn(database, cycle)
            manifest = database.read(folder / MANIFEST_FILE, Manifest)
            wanted += [file.sha256 for file in kept_by(folder, manifest, gone[cycle]) if not file.sealed]
    with suppress(CheckFailed):
        store.bring(wanted, progress)


def _withdrawn(database: Database, cycle: str) -> set[str]:
    return {file.sha256 for withdrawal in database.withdrawals(cycle).values() for file in withdrawal.files}


def _proven(here: FolderStore, wanted: Iterable[Kept]) -> tuple[list[Here], list[Finding]]:
    files, findings = [], []
    for file in wanted:
        try:
            path = here.check(file.sha256)
        except CheckFailed as error:
            findings.append(Finding(Place(file.path), f"it is not sent: in the store on this machine it {error.what}"))
            continue
        files.append(Here(file.sha256, path.stat().st_size, path))
    return files, findings
