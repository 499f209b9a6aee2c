"""New runs are what their manifests say, and somebody vouches for them who might do so before they came.

Who may sign is read from the commit that a change is compared with: a pull request that names its own signers signs
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from argusic.database.codec import parse_record
from argusic.database.database import Database
from argusic.database.git import Git
from argusic.database.paths import MANIFEST_FILE, TRUST_PATH, close_path, signature_path, what_is
from argusic.errors import Finding, InputError, Place
from argusic.evidence.one_run import CheckedRun, check_run
from argusic.evidence.signing.manifests import bundles, manifest_digests, withdrawn_files
from argusic.evidence.signing.trusting import Trusting, named_by
from argusic.evidence.store import EvidenceStore, FolderStore
from argusic.evidence.stores.collecting import bring_served
from argusic.evidence.stores.configured import store_of
from argusic.records.trust import Trust

if TYPE_CHECKING:
    from argusic.evidence.signing.verifying import Signature

_THREADS = 8


@dataclass
class _Added:
    """What a change adds to a cycle."""

    runs: list[PurePosixPath]
    bundles: list[PurePosixPath]
    closed: bool = False


def check_signed(database: Database, base: str) -> Iterator[Finding]:
    """Yield what is wrong with the evidence of runs that were added since `base`, and with who vouches for it.

    Of evidence that lies elsewhere nothing is fetched: what is not here is not looked at. Where `base` names nobody who
    may sign, no signature is asked for.

    Raises:
        InputError: `base` names no commit, or the database is in no git repository.
    """
    git = database.repository()
    commit = git.commit(base)
    if not git.descends_from(commit):
        return  # The check of what is taken back says so.
    added = _added(git, commit)
    checked = list(_looked_at(database, added))
    for one in checked:
        yield from one.findings
    trusted = _trusted(git, commit)
    if trusted is None:
        return
    for cycle, what in added.items():
        runs = [one for one in checked if one.folder.relative_to(database.root).parts[1] == cycle]
        yield from _vouched(database, cycle, what, runs, trusted)


def _added(git: Git, commit: str) -> dict[str, _Added]:
    found: dict[str, _Added] = {}
    for change in git.changes(commit, "runs"):
        holding = what_is(change.path) if change.status == "A" else None
        name = holding.row.name if holding is not None else None
        if holding is None or name not in ("run", "signature", "close"):
            continue
        added = found.setdefault(holding.ids["cycle"], _Added([], []))
        if name == "run":
            added.runs.append(change.path.parent)
        elif name == "signature":
            added.bundles.append(change.path)
        else:
            added.closed = True
    return found


def _looked_at(database: Database, added: dict[str, _Added]) -> Iterator[CheckedRun]:
    folders = [folder for what in added.values() for folder in what.runs]
    if not folders:
        return
    store = _store(database)
    gone = {run: files for cycle in added for run, files in _withdrawn(database, cycle).items()}
    bring_served(database, store, folders)

    def look(folder: PurePosixPath) -> CheckedRun:
        return check_run(database.root / folder, store, database.root, gone.get(folder.name))

    with ThreadPoolExecutor(_THREADS) as together:
        for one in together.map(look, folders):
            one.findings[:] = [finding for finding in one.findings if finding.what != store.absent]
            yield one


def _store(database: Database) -> EvidenceStore:
    """Return the store of what the repository itself holds. Where another one is, is said by what is checked."""
    try:
        return store_of(database, offline=True)
    except InputError:
        return FolderStore(database.store_folder)  # What cannot be read is named by itself.


def _withdrawn(database: Database, cycle: str) -> dict[str, dict[str, str]]:
    try:
        return withdrawn_files(database, cycle)
    except InputError:
        return {}  # As above.


def _trusted(git: Git, commit: str) -> Trusting | None:
    """Return whom the commit trusts; None where it names nobody."""
    data = git.show(commit, TRUST_PATH)
    if data is None:
        return None
    try:
        return named_by(parse_record(data, Trust, file=TRUST_PATH))
    except InputError:
        return None  # It is named by itself as long as it lies there.


def _vouched(
    database: Database, cycle: str, added: _Added, runs: Sequence[CheckedRun], trusted: Trusting
) -> Iterator[Finding]:
    # Loading the library that verifies takes longer than verifying: only where there is something for it.
    from argusic.evidence.signing.checking import signatures_of
    from argusic.evidence.signing.comparing import Signed, compare_close

    held, wrong = signatures_of(database, added.bundles, trusted)
    yield from wrong
    for one in held:
        yield from _not_there(database, one)
    signed = Signed(held)
    if any(not signed.holds(run, database.root) for run in runs):
        # One that was published before names them: what else is wrong with it is not of this change.
        before = [path for path in bundles(database, cycle) if path not in added.bundles]
        held += signatures_of(database, before, trusted)[0]
        signed = Signed(held)
    yield from signed.conflicts
    for run in runs:
        if signed.holds(run, database.root):
            yield from signed.compare(run, database.root)
        elif run.manifest is not None:
            place = Place(run.folder.relative_to(database.root) / MANIFEST_FILE)
            yield Finding(place, f"no signature that {TRUST_PATH} allowed before this change names this run.")
    close = next((one for one in held if one.statement.purpose == "close"), None)
    if close is not None:
        yield from compare_close(close, database.root, manifest_digests(database, cycle))
    elif added.closed and not database.holds(signature_path(cycle, "close")):
        yield Finding(Place(close_path(cycle)), "no signature names this close.")


def _not_there(database: Database, signature: Signature) -> Iterator[Finding]:
    if signature.statement.purpose == "batch":
        for folder in sorted({name.rpartition("/")[0] for name in signature.statement.digests()}):
            if not database.holds(PurePosixPath(folder, MANIFEST_FILE)):
                yield Finding(Place(signature.path), f"was made over {folder} as well, which is not here.")
