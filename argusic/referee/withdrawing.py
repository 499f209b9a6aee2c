"""Taking evidence away lawfully: a credential, or a person's data, that was found late, leaves a tombstone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from argusic.database.database import Database
from argusic.database.paths import withdrawal_path
from argusic.errors import InputError, Place
from argusic.evidence.layout import MANIFEST_NAME, RUN_NAME
from argusic.evidence.store import FolderStore
from argusic.evidence.stores.configured import elsewhere_of
from argusic.records.findings import Withdrawal
from argusic.records.manifest import Manifest
from argusic.referee.findings import find_run, stated


def withdraw(database: Database, run: str, names: Sequence[str], *, reason: str, by: str, at: datetime) -> Withdrawal:
    """Write the tombstone of some files of a run, and remove them wherever they are kept.

    The run's own record and its manifest stay: what was measured, and the fingerprints of what is gone. Git goes on
    holding what it once held until its history is cut, and so does every clone; that is not done here.

    From a store elsewhere they go first: where it cannot be reached, nothing has happened, and it may be tried again.

    Raises:
        InputError: There is no such run or file, or the run has a tombstone already.
        CheckFailed: The store elsewhere cannot be rid of a file; the message says what a person must do.
        EnvironmentLack: The store elsewhere cannot be reached, or refuses.
    """
    stored = find_run(database, run)
    path = withdrawal_path(stored.run.cycle, run)
    if database.holds(path):
        raise InputError("is there already; a tombstone is never edited.", place=Place(path))
    manifest = database.read(stored.folder / MANIFEST_NAME, Manifest)
    listed = {entry.name: entry for entry in manifest.files}
    for name in names:
        if name == RUN_NAME or name not in listed:
            allowed = ", ".join(sorted(listed.keys() - {RUN_NAME})) or "none"
            raise InputError(f"{name} is no file that run {run} may be rid of; these are: {allowed}.")
    files = [{"name": name, "sha256": listed[name].sha256} for name in sorted(set(names))]
    tombstone = stated(Withdrawal, run=run, cycle=stored.run.cycle, files=files, reason=reason, by=by, at=at)
    if (elsewhere := elsewhere_of(database)) is not None:
        for name in sorted(set(names)):
            if listed[name].place == "store":
                elsewhere.remove(listed[name].sha256)
    database.write(path, tombstone)
    store = FolderStore(database.store_folder)
    for name in sorted(set(names)):
        if listed[name].place == "run":
            database.remove(stored.folder / name)
        else:
            store.remove(listed[name].sha256)
    return tombstone
