"""Checking the evidence of runs: whether every file is the one that its manifest names, and nothing else is there.

What this finds: any changed, missing or additional file of a run, a run whose record disagrees with its manifest,
and a recording that covers less than its manifest claims. What it does not find: a manifest that was edited
together with the files it names. Only a signature will tell that.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from argusic.database.codec import read_record
from argusic.database.database import Database
from argusic.database.paths import edition_path, instructions_path, run_folder, what_is
from argusic.errors import Finding, InputError, Place
from argusic.evidence.coverage import measure
from argusic.evidence.fingerprint import fingerprint
from argusic.evidence.layout import MANIFEST_NAME, RUN_NAME
from argusic.evidence.store import FolderStore
from argusic.records.manifest import EvidenceFile, FileRole, Manifest
from argusic.records.run import Run

#: Depth of a run's folder below the top of the database.
_RUN_DEPTH = 7
_THREADS = 8
#: Roles that a run has at most one file of.
_SINGLE: tuple[FileRole, ...] = ("run", "recording", "log", "commands", "report")


class Verified(NamedTuple):
    """What was checked, and what was found."""

    runs: int
    """Runs looked at."""
    files: int
    """Files that their manifests name."""
    size: int
    """Bytes of those files."""
    findings: list[Finding]
    """Everything that is wrong."""


def verify(
    database: Database, paths: Sequence[Path] = (), progress: Callable[[int, int], None] = lambda done, of: None
) -> Verified:
    """Verify the evidence of runs.

    Args:
        database: The database.
        paths: Runs, or folders or files above or in them; nothing means all runs.
        progress: Told after each run how many are done, of how many.

    Raises:
        InputError: A path holds no run of this database.
    """
    all_runs = database.root / "runs"
    wanted = paths or ([all_runs] if all_runs.is_dir() else [])
    folders = sorted({folder for path in wanted for folder in _folders(database, path)})
    store = FolderStore(database.store_folder)

    def look(folder: Path) -> Verified:
        return _verify_one(folder, store, database.root)

    checked: list[Verified] = []
    with ThreadPoolExecutor(_THREADS) as pool:
        for one in pool.map(look, folders):
            checked.append(one)
            progress(len(checked), len(folders))
    return Verified(
        runs=len(folders),
        files=sum(one.files for one in checked),
        size=sum(one.size for one in checked),
        findings=[finding for one in checked for finding in one.findings],
    )


def verify_run(folder: Path, store: FolderStore, *, root: Path | None = None) -> list[Finding]:
    """Verify the evidence of one run.

    Args:
        folder: The run's folder.
        store: Where its other files lie.
        root: The top of the database; findings then name files from there, and rule files are compared too.
    """
    return _verify_one(folder, store, root).findings


def _verify_one(folder: Path, store: FolderStore, root: Path | None) -> Verified:
    findings: list[Finding] = []
    manifest, run = None, None
    try:
        manifest = read_record(folder / MANIFEST_NAME, Manifest, root=root)
        run = read_record(folder / RUN_NAME, Run, root=root)
    except InputError as error:
        findings.append(Finding(error.place or Place(folder), error.what))
    if manifest is None:
        return Verified(1, 0, 0, findings)
    shown = folder.relative_to(root) if root is not None else folder
    one = _OneRun(folder, shown, store, manifest)
    findings += [*one.entries(), *one.leftovers()]
    whole = {entry.role: path for entry in manifest.files if (path := one.whole(entry, findings)) is not None}
    if run is not None:
        findings += one.identity(run)
        findings += one.coverage(run, whole)
    if root is not None:
        findings += one.rules(root)
    return Verified(1, len(manifest.files), sum(entry.size for entry in manifest.files), findings)


class _OneRun:
    """The checks of one run against its manifest."""

    def __init__(self, folder: Path, shown: Path, store: FolderStore, manifest: Manifest) -> None:
        self._folder = folder
        self._store = store
        self._manifest = manifest
        self._shown = shown

    def _finding(self, name: str, what: str, field: str | None = None) -> Finding:
        return Finding(Place(self._shown / name, field=field), what)

    def entries(self) -> Iterator[Finding]:
        """Check the manifest's list in itself."""
        files = self._manifest.files
        for name, count in Counter(entry.name for entry in files).items():
            if count > 1:
                yield self._finding(MANIFEST_NAME, f"{name} is listed {count} times", "files")
        roles = Counter(entry.role for entry in files)
        for role in _SINGLE:
            if roles[role] > 1:
                yield self._finding(MANIFEST_NAME, f"{roles[role]} files are listed as {role}", "files")
        if not any(entry.name == RUN_NAME and entry.role == "run" and entry.place == "run" for entry in files):
            yield self._finding(MANIFEST_NAME, f"{RUN_NAME} is not listed", "files")

    def leftovers(self) -> Iterator[Finding]:
        """Name whatever lies in the run's folder without being listed."""
        listed = {entry.name for entry in self._manifest.files if entry.place == "run"} | {MANIFEST_NAME}
        for path in sorted(self._folder.iterdir()):
            if path.name not in listed:
                yield self._finding(path.name, "the manifest does not list it")

    def whole(self, entry: EvidenceFile, findings: list[Finding]) -> Path | None:
        """Return where a file lies if it is the one that the manifest names; else add what is wrong."""
        if entry.place == "run":
            path, where = self._folder / entry.name, "in the run's folder"
        else:
            path, where = self._store.path(entry.sha256), "in the evidence store"
        try:
            found = fingerprint(path)
        except FileNotFoundError:
            findings.append(self._finding(entry.name, f"it is missing {where}"))
            return None
        except ValueError as error:
            findings.append(self._finding(entry.name, f"{where} it {error}"))
            return None
        except OSError as error:
            findings.append(self._finding(entry.name, f"it cannot be read {where}: {error.strerror}"))
            return None
        if found != (entry.sha256, entry.size):
            what = f"it is not the file that the manifest names: {where} lie {found.size:,} bytes with the digest "
            findings.append(self._finding(entry.name, f"{what}{found.sha256}"))
            return None
        return path

    def identity(self, run: Run) -> Iterator[Finding]:
        """Compare what the run says of itself with what its manifest says."""
        manifest = self._manifest
        for field, own, listed in (
            ("run", run.run, manifest.run),
            ("cycle", run.cycle, manifest.cycle),
            ("edition", run.edition, manifest.edition.id),
            ("agent", run.agent, manifest.agent.id),
        ):
            if own != listed:
                yield self._finding(RUN_NAME, f"it says {own}, the manifest says {listed}", field)
        own_place = run_folder(run.cycle, run.subject, run.agent, run.run)
        if self._folder.name != run.run:
            yield self._finding(RUN_NAME, f"it says {run.run} in the folder of {self._folder.name}", "run")
        elif self._folder.parts[-_RUN_DEPTH:] != own_place.parts:
            yield self._finding(RUN_NAME, f"it belongs in {own_place}")
        if run.commands != manifest.coverage.commands:
            what = f"it says {run.commands}, the manifest says {manifest.coverage.commands}"
            yield self._finding(RUN_NAME, what, "commands")

    def coverage(self, run: Run, whole: dict[FileRole, Path]) -> Iterator[Finding]:
        """Measure the recording again and compare."""
        listed = {entry.role for entry in self._manifest.files}
        needed: tuple[FileRole, ...] = ("recording", "commands", "log")
        if any(role in listed and role not in whole for role in needed):
            return  # A file that is missing or another is named already.
        recording, commands, log = (whole.get(role) for role in needed)
        agent_seconds = sum(phase.seconds for phase in run.phases if phase.name == "agent")
        measured = measure(recording, commands, log, agent_seconds).model_dump()
        claimed = self._manifest.coverage.model_dump()
        for field in claimed:
            if claimed[field] != measured[field]:
                what = f"the manifest says {claimed[field]}, measured again it is {measured[field]}"
                yield self._finding(MANIFEST_NAME, what, f"coverage.{field}")

    def rules(self, root: Path) -> Iterator[Finding]:
        """Compare the rule files that were measured under with those of the database."""
        edition, instructions = self._manifest.edition, self._manifest.instructions
        for field, path, sha256 in (
            ("edition", edition_path(edition.id), edition.sha256),
            ("instructions", instructions_path(instructions.id), instructions.sha256),
        ):
            try:
                found = hashlib.sha256((root / path).read_bytes()).hexdigest()
            except OSError:
                yield self._finding(MANIFEST_NAME, f"{path} cannot be read", field)
                continue
            if found != sha256:
                yield self._finding(MANIFEST_NAME, f"{path} now has the digest {found}", f"{field}.sha256")


def _folders(database: Database, path: Path) -> list[Path]:
    """Return the run folders that `path` names: the one it is or lies in, or all below it."""
    full = path.resolve()
    if not full.is_relative_to(database.root):
        raise InputError(f"{path} lies outside of the database {database.root}.")
    if not full.exists():
        raise InputError(f"{path} does not exist.")
    parts = full.relative_to(database.root).parts
    if len(parts) >= _RUN_DEPTH:
        inside = database.root.joinpath(*parts[:_RUN_DEPTH])
        if _is_run_folder(database, inside):
            return [inside]
    found = []
    missing = _RUN_DEPTH - len(parts)
    if full.is_dir() and missing > 0 and parts[:1] in ((), ("runs",)):
        below = full if parts else full / "runs"
        depth = missing if parts else missing - 1
        found = [folder for folder in below.glob("/".join("*" * depth)) if _is_run_folder(database, folder)]
    if not found and parts != ("runs",):
        raise InputError(f"{path} holds no run.")
    return found


def _is_run_folder(database: Database, folder: Path) -> bool:
    holding = what_is((folder / RUN_NAME).relative_to(database.root).as_posix())
    return holding is not None and holding.row.model is Run and folder.is_dir()
