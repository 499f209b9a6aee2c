"""Which events can start a job, and which machines it can land on: through reusable workflows and matrices too."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from tests.workflows.repository import Job, Repository, Workflow

#: Machines of GitHub's own, by version.
HOSTED: Final = re.compile(r"(ubuntu|windows|macos)-[0-9][0-9.]*(-arm)?")
#: A label that is only known when the job starts. It may be any.
ANY: Final = "any machine"
_EXPRESSION: Final = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


def starts(repository: Repository, workflow: Workflow, seen: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return the events that can start a workflow, whoever calls it or waits for it included."""
    if workflow.file in seen:
        return frozenset()
    seen |= {workflow.file}
    found = set(workflow.on)
    for other in repository.workflows:
        calls = any(calls_it(job, workflow) for job in other.jobs)
        waited = "workflow_run" in workflow.on and other.name in (workflow.on["workflow_run"] or {}).get(
            "workflows", ()
        )
        if calls or waited:
            found |= starts(repository, other, seen)
    return frozenset(found)


def calls_it(job: Job, workflow: Workflow) -> bool:
    """Return whether a job is a call of a reusable workflow of this repository."""
    called = str(job.data.get("uses", ""))
    return called.partition("@")[0].endswith(workflow.file) and bool(called)


def labels(job: Job) -> frozenset[str]:
    """Return the labels of machines that a job can land on. A call of a workflow has none of its own."""
    asked = job.data.get("runs-on")
    if asked is None:
        return frozenset()
    if isinstance(asked, Mapping):
        group = ["a group of machines"] if "group" in asked else []
        return frozenset(group) | _labels(job, asked.get("labels", ()))
    return _labels(job, asked)


def _labels(job: Job, asked: Any) -> frozenset[str]:
    """Return labels with those of a matrix in their places."""
    names = [asked] if isinstance(asked, str) else list(asked)
    found: set[str] = set()
    for name in map(str, names):
        expression = _EXPRESSION.fullmatch(name)
        if expression is None:
            found.add(ANY if "${{" in name else name)
            continue
        axis = re.fullmatch(r"matrix\.([\w-]+)", expression[1])
        found |= _axis(job, axis[1]) if axis else {ANY}
    return frozenset(found)


def _axis(job: Job, name: str) -> set[str]:
    """Return what one key of a matrix can be."""
    matrix = (job.data.get("strategy") or {}).get("matrix")
    if not isinstance(matrix, Mapping):
        return {ANY}
    included = matrix.get("include", [])
    given = matrix.get(name, [])
    if isinstance(included, str) or isinstance(given, str):
        return {ANY}
    found: set[str] = set()
    for one in [*given, *(row[name] for row in included if name in row)]:
        found |= {one} if isinstance(one, str) else set(map(str, one))
    return {ANY if "${{" in one else one for one in found} or {ANY}


def may_be_own(job: Job) -> bool:
    """Return whether a job can land on a machine that is not GitHub's."""
    return any(not HOSTED.fullmatch(label) and not label.endswith("-latest") for label in labels(job))
