"""Verifying the evidence of runs: each against its manifest, and the manifests against the signatures over them.

What this finds: any changed, missing or additional file of a run, a run whose record disagrees with its manifest, a
recording that covers less than its manifest claims; and where signatures are there and the verifier was told whom to
trust, whatever is not what was signed: an edited manifest, a run moved, dropped or added, a signature that was made
for something else or by someone who may not; and a revealed configuration that is not what its agent committed to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from argusic.database.database import Database
from argusic.database.listing import below
from argusic.database.paths import RUN_DEPTH, RUN_FILE, signatures_folder, what_is
from argusic.errors import Finding, InputError, Place
from argusic.evidence.identity import Identities, check_identities
from argusic.evidence.one_run import CheckedRun, check_run
from argusic.evidence.signing.manifests import withdrawn_files
from argusic.evidence.signing.trusting import Trusting, trusting
from argusic.evidence.store import EvidenceStore
from argusic.evidence.stores.collecting import bring_served
from argusic.evidence.stores.configured import store_of
from argusic.evidence.vouching import Vouching
from argusic.records.run import Run

_THREADS = 8


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
    withdrawn: int
    """Files that are gone lawfully."""
    audited_otherwise: list[Finding]
    """Runs of whose reports today's audit contradicts something else than the audit of their day."""
    vouching: Vouching
    """What the signatures say."""
    identities: Identities
    """Whether what agents revealed is what they committed to."""


def verify(
    database: Database,
    paths: Sequence[Path] = (),
    progress: Callable[[int, int], None] = lambda done, of: None,
    trust: Trusting | None = None,
    *,
    offline: bool = False,
    bringing: Callable[[int, int], None] = lambda done, of: None,
) -> Verified:
    """Verify the evidence of runs.

    Args:
        database: The database.
        paths: Runs, or folders or files above or in them; nothing means all runs.
        progress: Told after each run how many are done, of how many.
        trust: Whom to trust; by default what the user's own folder says.
        offline: Whether nothing is brought from a store elsewhere; what is not here is a finding then.
        bringing: Told how many files were brought from a store elsewhere, of how many.

    Raises:
        InputError: A path holds no run of this database.
        EnvironmentLack: Evidence lies in a store elsewhere that cannot be reached.
    """
    trusted = trusting(database.root) if trust is None else trust
    all_runs = database.root / "runs"
    wanted = [path.resolve() for path in paths] or ([all_runs] if all_runs.is_dir() else [])
    folders = sorted({folder for path in wanted for folder in _folders(database, path)})
    store = store_of(database, offline=offline)
    withdrawals = _withdrawals(database, folders)
    bring_served(database, store, (PurePosixPath(folder.relative_to(database.root)) for folder in folders), bringing)

    def look(folder: Path) -> CheckedRun:
        return check_run(folder, store, database.root, withdrawals.get(folder.name))

    checked: list[CheckedRun] = []
    with ThreadPoolExecutor(_THREADS) as pool:
        for one in pool.map(look, folders):
            checked.append(one)
            progress(len(checked), len(folders))
    vouching = _vouching(database, wanted, checked, trusted)
    ran = {one.manifest.agent.id for one in checked if one.manifest is not None}
    identities = check_identities(database, store, ran if paths else None)
    listed = [entry for one in checked if one.manifest for entry in one.manifest.files]
    return Verified(
        runs=len(folders),
        files=len(listed),
        size=sum(entry.size for entry in listed),
        findings=[
            *(finding for one in checked for finding in one.findings),
            *vouching.findings,
            *identities.findings,
        ],
        withdrawn=sum(one.withdrawn for one in checked),
        audited_otherwise=[
            Finding(Place(one.folder.relative_to(database.root) / RUN_FILE, field="audit"), one.audited_otherwise)
            for one in checked
            if one.audited_otherwise is not None
        ],
        vouching=vouching,
        identities=identities,
    )


def verify_run(folder: Path, store: EvidenceStore, *, root: Path | None = None) -> list[Finding]:
    """Verify the evidence of one run against its manifest, without asking for signatures.

    Args:
        folder: The run's folder.
        store: Where its other files lie.
        root: The top of the database; findings then name files from there, and rule files are compared too.
    """
    return check_run(folder, store, root).findings


def _vouching(database: Database, wanted: Sequence[Path], checked: list[CheckedRun], trusted: Trusting) -> Vouching:
    cycles = _cycles(database, wanted, checked)
    if not any((database.root / signatures_folder(cycle)).is_dir() for cycle in cycles):
        return Vouching.without_signatures(database.root, checked, trusted)
    # Loading the library that verifies takes longer than verifying: only where there is something for it.
    from argusic.evidence.signing.checking import vouching

    return vouching(database, cycles, wanted, checked, trusted)


def _cycles(database: Database, wanted: Sequence[Path], checked: list[CheckedRun]) -> list[str]:
    """Return the cycles of the runs that were looked at, and of those that may have lain there."""
    runs = database.root / "runs"
    cycles = {one.folder.relative_to(runs).parts[0] for one in checked}
    for path in wanted:
        if path.is_relative_to(runs) and path != runs:
            cycles.add(path.relative_to(runs).parts[0])
        elif runs.is_relative_to(path) and runs.is_dir():
            cycles |= {folder.name for folder in runs.iterdir() if folder.is_dir()}
    return sorted(cycles)


def _withdrawals(database: Database, folders: Sequence[Path]) -> dict[str, dict[str, str]]:
    """Return the fingerprints of the files that tombstones say are gone, by run and name."""
    cycles = {folder.relative_to(database.root).parts[1] for folder in folders}
    found: dict[str, dict[str, str]] = {}
    for cycle in sorted(cycles):
        found |= withdrawn_files(database, cycle)
    return found


def _folders(database: Database, full: Path) -> list[Path]:
    """Return the run folders that `full` names: the one it is or lies in, or all below it."""
    if not full.is_relative_to(database.root):
        raise InputError(f"{full} lies outside of the database {database.root}.")
    if not full.exists():
        raise InputError(f"{full} does not exist.")
    parts = full.relative_to(database.root).parts
    if len(parts) >= RUN_DEPTH:
        inside = database.root.joinpath(*parts[:RUN_DEPTH])
        if _is_run_folder(database, inside):
            return [inside]
    found = []
    missing = RUN_DEPTH - len(parts)
    if full.is_dir() and missing > 0 and parts[:1] in ((), ("runs",)):
        inside = full if parts else full / "runs"
        depth = missing if parts else missing - 1
        found = [folder for folder in below(inside, depth) if _is_run_folder(database, folder)]
    if not found and parts != ("runs",):
        raise InputError(f"{full} holds no run.")
    return found


def _is_run_folder(database: Database, folder: Path) -> bool:
    holding = what_is((folder / RUN_FILE).relative_to(database.root).as_posix())
    return holding is not None and holding.row.model is Run and folder.is_dir()
