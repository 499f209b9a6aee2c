"""Signing a cycle's close: what it held on that day, its runs by one Merkle root."""

from __future__ import annotations

import hashlib

from argusic.database.database import Database
from argusic.database.paths import close_path, cycle_path, edition_path, recipients_path, signature_path
from argusic.errors import CheckFailed, InputError, Place
from argusic.evidence.merkle import manifests_root
from argusic.evidence.program import argusic_facts
from argusic.evidence.signing.authorities import SigningAuthority
from argusic.evidence.signing.batches import SignedBatch, signed
from argusic.evidence.signing.comparing import later_files
from argusic.evidence.signing.manifests import bundles, manifest_digests, unsigned_runs
from argusic.evidence.signing.runner import runner_facts
from argusic.evidence.signing.statement import make_statement
from argusic.records.signature import CycleClose, RunnerFacts


def close_is_unsigned(database: Database, cycle: str) -> bool:
    """Return whether a cycle is closed and nobody vouches for its close."""
    return database.close(cycle) is not None and not database.holds(signature_path(cycle, "close"))


def sign_close(
    database: Database, cycle: str, authority: SigningAuthority, *, runner: RunnerFacts | None = None
) -> SignedBatch:
    """Sign everything that a closed cycle holds: its close, what was decided about it, and one root over its runs.

    Raises:
        InputError: The cycle is not closed, or its close is signed already.
        CheckFailed: A run of it is not signed.
        EnvironmentLack: The authority gives no certificate.
    """
    close = database.close(cycle)
    if close is None:
        raise InputError(f"cycle {cycle} is not closed.", advice=f"Run: argusic cycle close {cycle}")
    if unsigned := unsigned_runs(database, cycle):
        raise CheckFailed(
            f"{len(unsigned)} runs of cycle {cycle} are not signed.", advice=f"Run: argusic evidence sign {cycle}"
        )
    path = signature_path(cycle, "close")
    if database.holds(path):
        raise InputError("is there already; a signature is never replaced.", place=Place(path))
    manifests = manifest_digests(database, cycle)
    edition = database.cycle(cycle).edition
    named = [close_path(cycle), cycle_path(cycle), edition_path(edition), *later_files(database.root, cycle)]
    if database.holds(recipients_path(cycle)):
        named.append(recipients_path(cycle))
    subjects = {str(name): hashlib.sha256(database.read_bytes(name)).hexdigest() for name in named}
    predicate = CycleClose(
        cycle=cycle,
        edition=edition,
        manifests=len(manifests),
        manifests_root=manifests_root(manifests.items()),
        batches=tuple(sorted(bundle.name.removesuffix(".sigstore.json") for bundle in bundles(database, cycle))),
        closed=close.closed,
        signed_by=argusic_facts(),
        runner=runner or runner_facts(),
    )
    with authority.signer() as signer:
        database.write_bytes(path, signed(signer, make_statement(subjects, predicate)), replace=False)
    return SignedBatch(path, "close", len(manifests), len(subjects))
