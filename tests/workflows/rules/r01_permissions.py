"""Rule 1: nothing is granted to a whole workflow; each job is granted what it needs, and says what for."""

from __future__ import annotations

from collections.abc import Iterator

from tests.workflows.repository import Repository


def check(repository: Repository) -> Iterator[str]:
    """Yield what breaks the rule."""
    for workflow in repository.workflows:
        if workflow.data.get("permissions", "missing") != {}:
            yield f"{workflow.file}: it grants something to all of its jobs; `permissions: {{}}` grants nothing"
    for _, job in repository.jobs:
        granted = job.permissions
        if granted is None:
            yield f"{job.place}: {job.id} does not state its permissions"
            continue
        for scope, level in granted.items():
            line = job.lines[job.data["permissions"].at[scope]]
            if not line.partition(" #")[2].strip():
                yield f"{job.place}: {job.id} does not say what it needs `{scope}: {level}` for"
