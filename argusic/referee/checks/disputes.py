"""A dispute ends with seconds that its recording has, and what its issue was edited to belongs to it."""

from __future__ import annotations

from collections.abc import Iterator

from argusic.database.paths import dispute_path, dispute_revision_path
from argusic.errors import Finding
from argusic.records.findings import Dispute
from argusic.referee.checks.survey import Survey


def check_disputes(made: Survey) -> Iterator[Finding]:
    """Yield each resolution that its recording does not bear out, and each revision of no dispute."""
    seconds = {manifest.run: manifest.recorded_seconds for manifest in made.manifests.values()}
    disputes = {(one.cycle, one.issue): one for _, one in made.later if isinstance(one, Dispute)}
    for dispute in disputes.values():
        if dispute.resolution is None:
            continue
        path = dispute_path(dispute.cycle, dispute.issue)
        moments, length = dispute.resolution.moments, seconds.get(dispute.run)
        if not moments and dispute.resolution.result == "evidence_stands":
            yield made.found(path, "says that the evidence stands, and names no second of it.", at="resolution")
        elif length is not None and any(moment.seconds > length for moment in moments):
            what = f"names a second that the recording of {dispute.run} has not: it ends at {length:g}."
            yield made.found(path, what, at="resolution")
    for revision in made.revisions:
        path = dispute_revision_path(revision.cycle, revision.issue, revision.edited)
        revised = disputes.get((revision.cycle, revision.issue))
        if revised is None:
            if made.lacks(dispute_path(revision.cycle, revision.issue)):
                what = f"is of issue {revision.issue}, which disputes nothing in cycle {revision.cycle}."
                yield made.found(path, what, at="issue")
        elif revision.edited < revised.opened:
            yield made.found(path, "was edited before the dispute was opened.", at="edited")
