"""Rule 7: each rung is a job of its own. Who runs code of strangers does not collect, sign, write or deploy."""

from __future__ import annotations

from collections.abc import Iterator

from tests.workflows.reach import may_be_own
from tests.workflows.repository import Job, Repository, Workflow
from tests.workflows.rules.r06_attempts import secrets, untrusted

_DEPLOYS = {"pages", "id-token"}


def check(repository: Repository) -> Iterator[str]:
    """Yield what breaks the rule."""
    for workflow, job in repository.jobs:
        if not job.writes:
            continue
        if may_be_own(job):
            yield f"{job.place}: {job.id} may write, and can land on a machine that is not GitHub's"
        for other in job.needs:
            if untrusted(workflow.job(other)):
                yield f"{job.place}: {job.id} may write, and takes from {other}, which runs code of strangers"
        if "id-token" in job.writes:
            yield from _identity(job)
        if "pages" in job.writes and job.writes != _DEPLOYS:
            yield f"{job.place}: {job.id} deploys the site, and may do more than that"
    for workflow in repository.workflows:
        if any(untrusted(job) for job in workflow.jobs) and any(job.writes for job in workflow.jobs):
            yield from _ladder(workflow)


def _identity(job: Job) -> Iterator[str]:
    """Yield what is wrong with a job that has an identity to sign with."""
    granted = dict(job.permissions or {})
    deploys = job.writes == _DEPLOYS
    if granted != ({"pages": "write", "id-token": "write"} if deploys else {"id-token": "write"}):
        yield f"{job.place}: {job.id} has an identity, and may do more than sign"
    if secrets(job):
        yield f"{job.place}: {job.id} has an identity, and secrets beside it"
    if deploys and any(step.action == "actions/checkout" for step in job.steps):
        yield f"{job.place}: {job.id} deploys, and needs no checkout for that"
    taken = [step for step in job.steps if step.action == "actions/download-artifact"]
    if any("digests" not in str(step.given.get("artifact-ids", "")) for step in taken):
        yield f"{job.place}: {job.id} signs, and takes more than digests"


def _ladder(workflow: Workflow) -> Iterator[str]:
    """Yield each writer that has not a rung between itself and code of strangers that only proves."""
    for job in workflow.jobs:
        if not job.writes:
            continue
        rungs = _below(workflow, job)
        proves = [rung for rung in rungs if any("cycle collect" in step.run for step in rung.steps)]
        if not proves:
            yield f"{job.place}: {job.id} writes what nobody proved after the attempts"
        for rung in proves:
            if rung.writes or secrets(rung) or rung.environment or may_be_own(rung):
                yield f"{rung.place}: {rung.id} reads what strangers handed over, and holds something of ours"


def _below(workflow: Workflow, job: Job) -> list[Job]:
    """Return the jobs that a job waits for, and those that they wait for."""
    found: dict[str, Job] = {}
    left = list(job.needs)
    while left:
        name = left.pop()
        if name not in found:
            found[name] = workflow.job(name)
            left += found[name].needs
    return list(found.values())
