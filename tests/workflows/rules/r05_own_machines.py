"""Rule 5: machines that are not GitHub's are reached from a dispatch, the clock or main, never from a stranger."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tests.workflows.reach import labels, may_be_own, starts
from tests.workflows.repository import Repository

#: What only those start who may write here, or the clock.
OURS: Final = frozenset(["workflow_dispatch", "schedule", "push", "workflow_call"])


def check(repository: Repository) -> Iterator[str]:
    """Yield what breaks the rule."""
    for workflow, job in repository.jobs:
        if not may_be_own(job):
            continue
        for event in sorted(starts(repository, workflow) - OURS):
            landed = ", ".join(sorted(labels(job)))
            yield f"{job.place}: {job.id} can land on [{landed}], and {event} can start it"
