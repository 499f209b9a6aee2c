"""Rule 15: what strangers make a program print goes to a file, and is shown where nothing of it is a command."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tests.workflows.repository import Job, Repository

SHOW: Final = ".github/actions/show/action.yml"
#: The commands that handle what strangers made. `.ci/run` is this repository's own, in a job that holds nothing.
_HANDLES: Final = re.compile(r"\bargusic\b.*\b(cycle run|cycle collect|attempt|try|reproduce|dispute \w+)\b")
_TO_FILE: Final = re.compile(r">\s*\"\$RUNNER_TEMP/output\.txt\" 2>&1\s*$")
_STOPPED: Final = re.compile(
    r"token=\$\(.*/dev/urandom.*\)\s*\n\s*echo \"::stop-commands::\$token\"\n"
    r".*\"\$FILE\".*\necho\necho \"::\$token::\"\s*$"
)


def check(repository: Repository) -> Iterator[str]:
    """Yield what breaks the rule."""
    for _, job in repository.jobs:
        yield from _job(job)
    shown = [step for action in repository.actions if action.file == SHOW for step in action.steps]
    if len(shown) != 1 or not _STOPPED.search(shown[0].run):
        yield f"{SHOW}: what it prints can speak to the machine that reads the log"


def _job(job: Job) -> Iterator[str]:
    steps = job.steps
    for number, step in enumerate(steps):
        if not _HANDLES.search(" ".join(step.run.split())):
            continue
        if not _TO_FILE.search(step.run):
            yield f"{step.place}: what it prints goes into the log as it is"
        following = steps[number + 1] if number + 1 < len(steps) else None
        if following is None or following.uses != "./.github/actions/show":
            yield f"{step.place}: nobody sees how it ended (./.github/actions/show)"
    for step in steps:
        if re.search(r"\b(cat|tail|head|tee|less)\b.*output\.txt", step.run):
            yield f"{step.place}: it prints what strangers wrote"
