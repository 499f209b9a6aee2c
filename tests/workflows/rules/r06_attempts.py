"""Rule 6: a job that runs code of strangers holds nothing: no right to write, no identity, no cache, one secret."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tests.workflows.reach import starts
from tests.workflows.repository import Job, Repository, Workflow

#: The one secret: what opens the model keys of this cycle's attempts.
WRAP_KEY: Final = "ARGUSIC_WRAP_KEY"
#: The commands that run what others wrote.
_RUNS: Final = re.compile(r"\bargusic\b.*\b(cycle run|attempt|try|reproduce|quickstart)\b|\.ci/run\b|\bmake\b")
_SECRET: Final = re.compile(r"\bsecrets\s*(?:\.\s*(\w+)|\[\s*'([^']*)'\s*\])")
_LOOSE: Final = re.compile(r"--privileged|docker\.sock|--network[ =]host|--pid[ =]host|SYS_ADMIN")


def untrusted(job: Job) -> bool:
    """Return whether a job runs code that strangers wrote."""
    return any(_RUNS.search(line) for step in job.steps for line in step.run.splitlines())


def secrets(job: Job) -> frozenset[str]:
    """Return the names of the secrets that a job is given."""
    return frozenset(found[1] or found[2] for found in _SECRET.finditer(job.text))


def check(repository: Repository) -> Iterator[str]:
    """Yield what breaks the rule."""
    for workflow, job in repository.jobs:
        if untrusted(job):
            yield from _job(repository, workflow, job)


def _job(repository: Repository, workflow: Workflow, job: Job) -> Iterator[str]:
    for scope, level in (job.permissions or {}).items():
        if (scope, level) != ("contents", "read"):
            yield f"{job.place}: {job.id} runs code of strangers with `{scope}: {level}`"
    if others := secrets(job) - {WRAP_KEY}:
        yield f"{job.place}: {job.id} runs code of strangers beside {', '.join(sorted(others))}"
    if WRAP_KEY in secrets(job) and starts(repository, workflow) - {"workflow_dispatch", "schedule"}:
        yield f"{job.place}: {job.id} has the wrap key, and others than we and the clock can start it"
    if "container" in job.data or "services" in job.data:
        yield f"{job.place}: {job.id} runs in a container, which is no boundary and takes the place of the sandbox"
    for step in job.steps:
        if step.action == "actions/checkout" and step.given.get("persist-credentials") is not False:
            yield f"{step.place}: the token stays in the checkout (`persist-credentials: false`)"
        if found := _LOOSE.search(step.run):
            yield f"{step.place}: {found[0]} opens the machine to what runs in it"
        if "github.token" in str(step.env) and _RUNS.search(step.run):
            yield f"{step.place}: what runs code of strangers is given the token"
