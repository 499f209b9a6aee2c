"""The manifests and bundles of a cycle, found by their paths alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from argusic.database.database import Database
from argusic.database.listing import below
from argusic.database.paths import MANIFEST_FILE, RUN_DEPTH, signature_path, signatures_folder
from argusic.evidence.signing.statement import unverified_statement


def manifest_digests(database: Database, cycle: str) -> dict[PurePosixPath, str]:
    """Return the digest of every manifest of a cycle, by its path."""
    paths = [shown(database, folder) / MANIFEST_FILE for folder in run_folders(database, cycle)]
    return {path: hashlib.sha256(database.read_bytes(path)).hexdigest() for path in paths}


def unsigned_runs(database: Database, cycle: str) -> list[Path]:
    """Return the folders of a cycle's runs that no bundle names, sorted. Whether bundles hold is not asked here."""
    named = {name for path in bundles(database, cycle) for name in _subjects(database, path)}
    folders = run_folders(database, cycle)
    return [folder for folder in folders if f"{shown(database, folder)}/{MANIFEST_FILE}" not in named]


def withdrawn_files(database: Database, cycle: str) -> dict[str, dict[str, str]]:
    """Return the fingerprints of the files of a cycle that tombstones say are gone, by run and name."""
    return {
        run: {file.name: file.sha256 for file in withdrawal.files}
        for run, withdrawal in database.withdrawals(cycle).items()
    }


def run_folders(database: Database, cycle: str) -> list[Path]:
    """Return the folders of a cycle's runs, sorted."""
    found = below(database.root / "runs" / cycle, RUN_DEPTH - 2)
    return [folder for folder in found if (folder / MANIFEST_FILE).exists()]


def bundles(database: Database, cycle: str) -> list[PurePosixPath]:
    """Return the bundles of a cycle's batches, sorted; its close's not."""
    folder = signatures_folder(cycle)
    found = (folder / path.name for path in below(database.root / folder, 1) if path.name.endswith(".sigstore.json"))
    return [path for path in found if path != signature_path(cycle, "close")]


def shown(database: Database, folder: Path) -> PurePosixPath:
    """Return a folder's path from the top of the database."""
    return PurePosixPath(folder.relative_to(database.root).as_posix())


def _subjects(database: Database, path: PurePosixPath) -> Iterable[str]:
    try:
        return unverified_statement((database.root / path).read_bytes()).digests()
    except (OSError, ValueError):
        return ()  # `argusic verify` names a bundle that is none.
