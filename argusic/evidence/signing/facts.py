"""What a signature over some runs says of them: facts taken from their manifests, and the predicate made of those."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from argusic.database.database import Database
from argusic.errors import CheckFailed
from argusic.evidence.one_run import CheckedRun
from argusic.evidence.program import argusic_facts
from argusic.evidence.signing.manifests import shown
from argusic.records.handing_over import BatchDigests
from argusic.records.signature import Batch, BatchCounts, RunnerFacts, Witnessed

_TAIL: Final = "abcdefghijklmnopqrstuvwxyz234567"


def batch_digests(database: Database, cycle: str, runs: Sequence[CheckedRun]) -> BatchDigests:
    """Return what a signature over runs that were read whole says of them.

    Raises:
        CheckFailed: They are not of one cycle and one edition.
    """
    manifests = [run.manifest for run in runs if run.manifest is not None]
    editions = {manifest.edition for manifest in manifests}
    if len(editions) != 1 or any(manifest.cycle != cycle for manifest in manifests):
        raise CheckFailed(f"the runs of cycle {cycle} do not name one cycle and one edition.")
    programs = {manifest.argusic for manifest in manifests}
    return BatchDigests(
        edition=editions.pop(),
        environments=tuple(sorted({each.environment.digest for each in manifests if each.environment})),
        images=tuple(sorted({each.sandbox.image for each in manifests if each.sandbox and each.sandbox.image})),
        measured_by=tuple(sorted(programs, key=lambda program: (program.version, program.commit or "", program.dirty))),
        runs=tuple(sorted(manifest.run for manifest in manifests)),
        size=sum(run.size() for run in runs),
        files={
            f"{shown(database, run.folder)}/{name}": sha256 for run in runs for name, sha256 in run.digests().items()
        },
    )


def predicate(cycle: str, facts: BatchDigests, witnessed: Witnessed, runner: RunnerFacts) -> Batch:
    """Return the predicate of a batch that is signed now, by this program."""
    now = datetime.now(UTC)
    return Batch(
        batch=f"{now:%Y%m%dT%H%M%SZ}-{''.join(secrets.choice(_TAIL) for _ in range(6))}",
        cycle=cycle,
        edition=facts.edition,
        environments=facts.environments,
        images=facts.images,
        measured_by=facts.measured_by,
        signed_by=argusic_facts(),
        counts=BatchCounts(runs=len(facts.runs), files=len(facts.files), size=facts.size),
        witnessed=witnessed,
        runner=runner,
    )
