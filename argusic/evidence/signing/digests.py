"""Signing what another job collected and proved again, by its digests alone.

The job that signs holds an identity that vouches, so it gets nothing that strangers made: neither runs nor files. It
signs digests that are data to it, and the signature says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from pathlib import Path, PurePosixPath
from typing import Final

from argusic.database.atomic import write_file
from argusic.database.database import Database
from argusic.database.paths import MANIFEST_FILE, run_folder, signature_path, what_is
from argusic.errors import CheckFailed, EnvironmentLack, InputError, Place
from argusic.evidence.signing.authorities import SigningAuthority
from argusic.evidence.signing.batches import (
    MOST_SUBJECTS,
    NOT_SEEN_ATTEMPTS,
    NOT_SEEN_RAW,
    SignedBatch,
    in_batches,
    read_whole,
    signed,
)
from argusic.evidence.signing.facts import batch_digests, predicate
from argusic.evidence.signing.manifests import run_folders
from argusic.evidence.signing.runner import runner_facts
from argusic.evidence.signing.statement import make_statement
from argusic.evidence.stores.configured import store_of
from argusic.records.cycle import Cycle
from argusic.records.handing_over import BatchDigests, Digests
from argusic.records.signature import RunnerFacts, Witnessed

#: The branch whose code may sign in a workflow.
SIGNING_REF: Final = "refs/heads/main"
_NOT_SEEN_FILES: Final = (
    "the files themselves: it signed digests that the job which collected the runs had taken from them, after that job "
    "had read every file that is not sealed and compared it with its manifest"
)


def digests_of(database: Database, cycle: str, runs: Collection[str]) -> Digests:
    """Read runs whole, prove each against its manifest, and return what a signer signs of them.

    Args:
        database: Where they lie.
        cycle: Their cycle.
        runs: Their ids.

    Raises:
        CheckFailed: One is not there or does not verify.
    """
    folders = [folder for folder in run_folders(database, cycle) if folder.name in runs]
    missing = sorted(set(runs) - {folder.name for folder in folders})
    if missing:
        raise CheckFailed(f"run {missing[0]} of cycle {cycle} is not there.")
    store = store_of(database)
    checked = [read_whole(folder, store, database.root, None) for folder in folders]
    return Digests(cycle=cycle, batches=tuple(batch_digests(database, cycle, batch) for batch in in_batches(checked)))


def must_be_main(environment: Mapping[str, str]) -> None:
    """Refuse to sign in a workflow that runs another branch's code.

    Raises:
        EnvironmentLack: This is one.
    """
    ref = environment.get("GITHUB_REF")
    if environment.get("GITHUB_ACTIONS") and ref != SIGNING_REF:
        raise EnvironmentLack(f"only what runs on {SIGNING_REF} signs, and this job runs on {ref or 'no branch'}.")


def sign_digests(
    database: Database,
    digests: Digests,
    authority: SigningAuthority,
    folder: Path,
    runner: RunnerFacts | None = None,
) -> list[SignedBatch]:
    """Sign what digests say, and write the bundles below a folder as they will lie in the database.

    Args:
        database: The database, without the runs.
        digests: What is signed.
        authority: What certifies the signer.
        folder: Where the bundles go.
        runner: The machine; by default this one, as it says itself.

    Raises:
        InputError: The digests are of no runs of their cycle, or of files that may not be theirs.
        EnvironmentLack: The authority gives no certificate.
    """
    for facts in digests.batches:
        _must_be_runs(database, digests.cycle, facts)
    folder.mkdir(parents=True, exist_ok=True)
    if not digests.batches:
        return []
    machine = runner or runner_facts()
    witnessed = Witnessed(files_read=0, not_seen=(_NOT_SEEN_FILES, NOT_SEEN_ATTEMPTS, NOT_SEEN_RAW))
    made = []
    with authority.signer() as signer:
        for facts in digests.batches:
            batch = predicate(digests.cycle, facts, witnessed, machine)
            path = signature_path(digests.cycle, batch.batch)
            write_file(folder / path, signed(signer, make_statement(facts.files, batch)), replace=False)
            made.append(SignedBatch(path, batch.batch, len(facts.runs), len(facts.files)))
    return made


def _must_be_runs(database: Database, cycle: str, batch: BatchDigests) -> None:
    """Refuse digests that no honest collection makes: of other cycles, rules or files than its runs have."""
    record = database.cycle(cycle)
    if database.close(cycle) is not None:
        raise InputError(f"cycle {cycle} is closed, and nothing is signed in it any more.")
    if (batch.edition.id, batch.edition.sha256) != (record.edition, record.edition_sha256):
        raise InputError(f"the digests name other rules than cycle {cycle} pinned.")
    if len(batch.files) > MOST_SUBJECTS and len(batch.runs) > 1:
        raise InputError(f"a batch names {len(batch.files):,} files, and one statement {MOST_SUBJECTS:,} at most.")
    cells = {(entry.subject, agent) for entry in record.subjects for agent in _agents(record)}
    folders = {}
    for name in batch.files:
        path, holding = PurePosixPath(name), what_is(name)
        ids = holding.ids if holding is not None else {}
        subject, agent, run = f"{ids.get('kind')}/{ids.get('slug')}", ids.get("agent", ""), ids.get("run", "")
        if ids.get("cycle") != cycle or (subject, agent) not in cells or run not in batch.runs:
            raise InputError(f"the digests name {name!r}, which is no file of a run of cycle {cycle}.")
        if path.parent != run_folder(cycle, subject, agent, run):
            raise InputError("is no place for a run.", place=Place(path))
        folders[path.parent] = run
    if len(set(batch.runs)) != len(batch.runs) or sorted(folders.values()) != sorted(batch.runs):
        raise InputError(f"the digests do not name the files of each run of cycle {cycle} once.")
    lacks = [str(path) for path in folders if str(path / MANIFEST_FILE) not in batch.files]
    if lacks:
        raise InputError(f"the digests name no manifest of {lacks[0]}.")
    for path in (folder / MANIFEST_FILE for folder in folders if database.holds(folder)):
        if hashlib.sha256(database.read_bytes(path)).hexdigest() != batch.files[str(path)]:
            raise InputError("is here already, and is not what the digests name.", place=Place(path))


def _agents(cycle: Cycle) -> set[str]:
    named = {cycle.standard_agent, cycle.stronger_agent, *cycle.board_agents, *cycle.controls}
    return {agent for agent in named if agent is not None}
