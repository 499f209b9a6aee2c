"""Rule 9: one writer at a time, none dropped; every job has a name, an end, and a machine by version."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tests.workflows.reach import HOSTED, labels, may_be_own
from tests.workflows.repository import Repository, Workflow

_LEDGER: Final = {"group": "ledger", "queue": "max", "cancel-in-progress": False}


def check(repository: Repository) -> Iterator[str]:
    """Yield what breaks the rule."""
    for workflow in repository.workflows:
        yield from _workflow(workflow)
    for _, job in repository.jobs:
        if "contents" in job.writes and job.data.get("concurrency") != _LEDGER:
            yield f"{job.place}: {job.id} may write beside another writer, or is dropped while it waits"
        if not job.data.get("name"):
            yield f"{job.place}: {job.id} has no name"
        if "uses" not in job.data and "timeout-minutes" not in job.data:
            yield f"{job.place}: {job.id} has no end (`timeout-minutes`)"
        if not may_be_own(job):
            for label in labels(job):
                if not HOSTED.fullmatch(label):
                    yield f"{job.place}: {job.id} runs on {label}, which is another machine from time to time"


def _workflow(workflow: Workflow) -> Iterator[str]:
    held: Any = workflow.data.get("concurrency")
    if not isinstance(held, dict) or "cancel-in-progress" not in held:
        yield f"{workflow.file}: it does not say what becomes of a second run beside a first"
        return
    cancels = held["cancel-in-progress"]
    if "pull_request" in workflow.on and cancels is False:
        yield f"{workflow.file}: a check of what a pull request was goes on beside that of what it is"
    if cancels is True and any(job.writes & {"contents", "pages"} for job in workflow.jobs):
        yield f"{workflow.file}: a writer can be cancelled in the middle"
