"""Rule 12: a secret lives in an environment, and is handed to the one step that needs it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tests.workflows.reach import starts
from tests.workflows.repository import Repository, Workflow, dumped, values
from tests.workflows.rules.r06_attempts import secrets

_SECRETS: Final = re.compile(r"\bsecrets\b")
_ALL: Final = re.compile(r"toJSON\(\s*secrets|secrets\s*\[\s*[^'\s]|secrets\.\*", re.IGNORECASE)


def check(repository: Repository) -> Iterator[str]:
    """Yield what breaks the rule."""
    for workflow, job in repository.jobs:
        if "secrets" in job.data:
            yield f"{job.place}: {job.id} hands secrets on to a workflow that it calls"
        if _ALL.search(job.text):
            yield f"{job.place}: {job.id} reads more secrets than it names"
        if not secrets(job):
            continue
        if not job.environment:
            yield f"{job.place}: {job.id} has secrets and no environment, so that every branch has them too"
        for event in sorted(starts(repository, workflow) & {"pull_request", "workflow_run"}):
            yield f"{job.place}: {job.id} has secrets, and {event} can start it"
        if _SECRETS.search(_around_steps(job.data)):
            yield f"{job.place}: {job.id} shows its secrets to all of its steps"
        for step in job.steps:
            for path, text in values(step.data):
                if _SECRETS.search(text) and path[0] != "env" and path[-1] != "private-key":
                    yield f"{step.place}: a secret is given by {'.'.join(path)}, not by `env`"
    for workflow in repository.workflows:
        yield from _workflow(workflow)
    for action in repository.actions:
        if _SECRETS.search(dumped(action.data)):
            yield f"{action.file}: an action has secrets"


def _around_steps(job: dict[str, object]) -> str:
    return dumped({key: value for key, value in job.items() if key != "steps"})


def _workflow(workflow: Workflow) -> Iterator[str]:
    if _SECRETS.search(dumped(workflow.data.get("env") or {})):
        yield f"{workflow.file}: it shows secrets to all of its jobs"
