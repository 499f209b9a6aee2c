"""Rule 4: few events start anything, and none that lends a stranger's code what is ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tests.workflows.repository import Repository, Workflow, dumped

#: `workflow_call` is no event: whoever calls has one.
EVENTS: Final = frozenset(
    ["push", "pull_request", "issues", "workflow_dispatch", "schedule", "workflow_run", "workflow_call"]
)


def check(repository: Repository) -> Iterator[str]:
    """Yield what breaks the rule."""
    names = {workflow.name for workflow in repository.workflows}
    for workflow in repository.workflows:
        for event in workflow.on.keys() - EVENTS:
            yield f"{workflow.file}: it is started by {event}"
        push = workflow.on.get("push")
        if "push" in workflow.on and (not push or list(push.get("branches", ())) != ["main"] or "tags" in push):
            yield f"{workflow.file}: it is started by pushes to other branches than main, or of tags"
        if "workflow_run" in workflow.on:
            yield from _follows(workflow, names)


def _follows(workflow: Workflow, names: set[str]) -> Iterator[str]:
    """Yield what is wrong with a workflow that follows another."""
    followed = workflow.on["workflow_run"].get("workflows", ())
    for other in followed:
        if other not in names:
            yield f"{workflow.file}: it follows {other}, which is none of ours"
    if not followed:
        yield f"{workflow.file}: it does not name the workflow that it follows"
    for job in workflow.jobs:
        for step in job.steps:
            if step.action == "actions/checkout" and "workflow_run" in dumped(step.given):
                yield f"{step.place}: it checks out what started the workflow that it follows"
