"""Rule 8: what goes from job to job is named by its maker's own number, counted, and proven before it is used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tests.workflows.repository import Job, Repository, Step
from tests.workflows.rules.r06_attempts import untrusted

_NUMBER: Final = re.compile(r"\$\{\{ needs\.[\w-]+\.outputs\.[\w-]+ \}\}")
#: Sealed raw files, which most attempts have none of. Nobody counts on them.
_MAY_LACK: Final = "sealed-"
_ATTEMPT: Final = "${{ matrix.job }}-${{ github.run_attempt }}"


def check(repository: Repository) -> Iterator[str]:
    """Yield what breaks the rule."""
    for workflow, job in repository.jobs:
        for step in job.steps:
            if step.action == "actions/download-artifact":
                yield from _taken(step)
            if step.action == "actions/upload-artifact":
                yield from _handed(step)
        yield from _counted(job, [one for one in workflow.jobs if untrusted(one)])


def _taken(step: Step) -> Iterator[str]:
    """Yield what is wrong with taking an artifact."""
    if not _NUMBER.fullmatch(str(step.given.get("artifact-ids", ""))) or step.given.keys() & {"name", "pattern"}:
        yield f"{step.place}: it takes an artifact by a name, which whoever runs in this workflow may give to another"
    if not str(step.given.get("path", "")).startswith("${{ runner.temp }}/"):
        yield f"{step.place}: it unpacks an artifact over the checkout"
    if step.given.get("digest-mismatch", "error") != "error" or step.given.get("merge-multiple"):
        yield f"{step.place}: it takes what is not what was handed over"


def _handed(step: Step) -> Iterator[str]:
    """Yield what is wrong with handing an artifact over."""
    name = str(step.given.get("name", ""))
    if not name or "${{" in name.replace(_ATTEMPT, ""):
        yield f"{step.place}: it hands over an artifact without a name of its own"
    if step.given.get("if-no-files-found") != "error" and not name.startswith(_MAY_LACK):
        yield f"{step.place}: handing nothing over is no error there"
    if not str(step.given.get("path", "")).startswith(("${{ runner.temp }}/", "runs/")):
        yield f"{step.place}: it hands over a part of the checkout that is no data"
    if step.given.get("include-hidden-files"):
        yield f"{step.place}: it hands over hidden files"


def _counted(job: Job, attempts: list[Job]) -> Iterator[str]:
    """Yield where artifacts of attempts are read without the plan that says how many there must be."""
    for step in job.steps:
        if re.search(r"\bcycle collect\b", step.run) and not ("--plan " in step.run and "--workflow-run " in step.run):
            yield f"{step.place}: it collects without the plan that says what there must be"
    made = {one.id for one in attempts}
    for step in job.steps:
        source = re.search(r"needs\.([\w-]+)\.outputs", str(step.given.get("artifact-ids", "")))
        if source and source[1] in made:
            yield f"{step.place}: it takes what strangers handed over without proving it"
