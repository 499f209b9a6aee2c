"""Signing the runs of a cycle that nobody vouches for yet, as batches.

Whoever signs reads every file first. A run that does not verify is never signed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from sigstore.dsse import Statement
from sigstore.sign import Signer

from argusic.database.database import Database
from argusic.database.paths import signature_path
from argusic.errors import CheckFailed
from argusic.evidence.one_run import CheckedRun, check_run
from argusic.evidence.signing.alone import signing_alone
from argusic.evidence.signing.authorities import SigningAuthority
from argusic.evidence.signing.facts import batch_digests, predicate
from argusic.evidence.signing.manifests import unsigned_runs, withdrawn_files
from argusic.evidence.signing.runner import runner_facts
from argusic.evidence.signing.statement import make_statement
from argusic.evidence.store import EvidenceStore
from argusic.evidence.stores.configured import store_of
from argusic.records.handing_over import BatchDigests
from argusic.records.signature import RunnerFacts, Witnessed

#: The most files that one statement names: about 400 kB. A larger batch becomes several.
MOST_SUBJECTS: Final = 2000
#: What a signer takes from others: that attempts happened as recorded, and what raw files said.
NOT_SEEN_ATTEMPTS: Final = (
    "the attempts that it did not run itself: it takes from whoever handed them over that they happened as recorded"
)
NOT_SEEN_RAW: Final = "what raw files said before they were redacted, where they are sealed"


class SignedBatch(NamedTuple):
    """A batch that was signed."""

    path: PurePosixPath
    """Where its bundle lies."""
    batch: str
    """Its id; `close` for the close of a cycle."""
    runs: int
    """The runs in it."""
    files: int
    """The files that its statement names."""


def sign_runs(
    database: Database,
    cycle: str,
    authority: SigningAuthority,
    *,
    attempts: Collection[str] = (),
    runner: RunnerFacts | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> list[SignedBatch]:
    """Sign every run of a cycle that no bundle names yet, and write the bundles.

    Args:
        database: The database.
        cycle: The cycle's id.
        authority: What certifies the signer.
        attempts: The runs whose attempt this very process ran.
        runner: The machine; by default this one, as it says itself.
        progress: Told how many runs were read, of how many.

    Raises:
        CheckFailed: A run does not verify; then nothing is signed. Or another process goes on signing them.
        EnvironmentLack: The authority gives no certificate.
    """
    with signing_alone(database, cycle):
        return _sign(database, cycle, authority, frozenset(attempts), runner or runner_facts(), progress)


def _sign(
    database: Database,
    cycle: str,
    authority: SigningAuthority,
    attempts: frozenset[str],
    runner: RunnerFacts,
    progress: Callable[[int, int], None],
) -> list[SignedBatch]:
    folders = unsigned_runs(database, cycle)
    store = store_of(database)
    gone = withdrawn_files(database, cycle)
    checked = []
    for done, folder in enumerate(folders, 1):
        checked.append(read_whole(folder, store, database.root, gone.get(folder.name)))
        progress(done, len(folders))
    if not checked:
        return []
    made = []
    with authority.signer() as signer:
        for runs in in_batches(checked):
            facts = batch_digests(database, cycle, runs)
            batch = predicate(cycle, facts, _witnessed(facts, runs, attempts), runner)
            path = signature_path(cycle, batch.batch)
            database.write_bytes(path, signed(signer, make_statement(facts.files, batch)), replace=False)
            made.append(SignedBatch(path, batch.batch, len(facts.runs), len(facts.files)))
    return made


def _witnessed(facts: BatchDigests, runs: list[CheckedRun], attempts: frozenset[str]) -> Witnessed:
    ran = tuple(run for run in facts.runs if run in attempts)
    return Witnessed(
        files_read=len(facts.files) - sum(run.withdrawn for run in runs),
        attempts=ran,
        not_seen=(*([NOT_SEEN_ATTEMPTS] if len(ran) < len(facts.runs) else []), NOT_SEEN_RAW),
    )


def read_whole(folder: Path, store: EvidenceStore, root: Path, withdrawn: Mapping[str, str] | None) -> CheckedRun:
    """Read a run whole and compare it with its manifest.

    Raises:
        CheckFailed: It does not verify.
    """
    run = check_run(folder, store, root, withdrawn)
    if run.findings:
        first = run.findings[0]
        more = f" ({len(run.findings)} findings)" if len(run.findings) > 1 else ""
        raise CheckFailed(f"{first.what}{more}; a run that does not verify is not signed.", place=first.place)
    return run


def in_batches(runs: Iterable[CheckedRun]) -> Iterator[list[CheckedRun]]:
    """Give runs in batches, each small enough for one statement."""
    batch: list[CheckedRun] = []
    subjects = 0
    for run in runs:
        own = len(run.digests())
        if batch and subjects + own > MOST_SUBJECTS:
            yield batch
            batch, subjects = [], 0
        batch.append(run)
        subjects += own
    if batch:
        yield batch


def signed(signer: Signer, statement: bytes) -> bytes:
    """Return the bundle of a statement."""
    return signer.sign_dsse(Statement(statement)).to_json().encode() + b"\n"
