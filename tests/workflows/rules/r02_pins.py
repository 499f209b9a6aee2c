"""Rule 2: code of others is named by the digest of its commit, and there is little of it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from tests.workflows.repository import Job, Repository, dumped

_PINNED: Final = re.compile(r"([\w.-]+)/([\w.-]+)(/[\w./-]+)?@([0-9a-f]{40})")
_VERSION: Final = re.compile(r"v\d+\.\d+\.\d+")
#: Makers beside GitHub itself whose actions may be used, and how many.
MOST_OTHERS: Final = 3


def check(repository: Repository) -> Iterator[str]:
    """Yield what breaks the rule."""
    versions = defaultdict(set)
    for step in repository.steps:
        if not step.uses or step.uses.startswith("./"):
            continue
        pinned = _PINNED.fullmatch(step.uses)
        version = step.comment("uses").partition(" ")[0]
        if pinned is None:
            yield f"{step.place}: {step.uses} is not named by the 40 digits of a commit"
        elif not _VERSION.fullmatch(version):
            yield f"{step.place}: {step.action} does not say which version that commit is (`# v1.2.3`)"
        else:
            versions[step.action].add((pinned[4], version))
    for action, found in versions.items():
        if len(found) > 1:
            yield f"{action} is used in {len(found)} versions"
    others = {action for action in versions if not action.startswith("actions/")}
    if len(others) > MOST_OTHERS:
        yield f"{len(others)} actions are not GitHub's own: {', '.join(sorted(others))}"
    for _, job in repository.jobs:
        yield from _images(job)
        called = str(job.data.get("uses", ""))
        if called and not called.startswith("./") and not _PINNED.fullmatch(called):
            yield f"{job.place}: {job.id} calls {called}, which is not named by a commit"


def _images(job: Job) -> Iterator[str]:
    """Yield the container images of a job that anybody may move."""
    container = job.data.get("container")
    services = (job.data.get("services") or {}).values()
    for one in [container, *services]:
        image = one if isinstance(one, str) else (one or {}).get("image", "")
        if image and "@sha256:" not in image:
            yield f"{job.place}: the image {image} of {job.id} is not named by its digest"
    for line in dumped(job.data.get("steps") or []).splitlines():
        if "docker://" in line and "@sha256:" not in line:
            yield f"{job.place}: {line.strip()} is not named by its digest"
