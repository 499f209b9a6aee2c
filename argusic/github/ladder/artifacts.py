"""What the jobs of a plan left: their artifacts, from GitHub or from a folder, and the jobs that left none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from argusic.errors import CheckFailed, InputError, Place
from argusic.github.forge import Artifact, Forge, Job
from argusic.github.ladder.limits import MOST_TOGETHER, Most
from argusic.github.ladder.parcel import FolderParcel, Parcel, ZipParcel
from argusic.records.handing_over import MissingJob, Plan, PlannedJob, RefusedArtifact

T = TypeVar("T")
#: How the names of attempts' artifacts begin: what is called otherwise is not looked at.
PREFIX: Final = "attempt-"
#: The most characters that are said of one: some of them are its own.
_MOST_SAID: Final = 2_000
_NAME: Final = re.compile(r"attempt-([0-9]{3})-([1-9][0-9]{0,3})")
_JOB: Final = re.compile(r"(?i)(?:^|/ )attempt ([0-9]{3})(?![0-9])")


class Left(NamedTuple):
    """An artifact of a planned job, listed and not yet read."""

    name: str
    """Its name."""
    job: PlannedJob
    """The job."""
    parcel: Parcel
    """Its files."""


@dataclass
class Found:
    """What the jobs of a plan left.

    Attributes:
        left: The artifacts, by name.
        missing: The jobs that failed or were lost and left none.
        refused: Artifacts that cannot be taken, and jobs whose artifact is gone although they succeeded.
    """

    left: list[Left] = field(default_factory=list)
    missing: list[MissingJob] = field(default_factory=list)
    refused: list[RefusedArtifact] = field(default_factory=list)

    def refuse(self, name: str, why: str) -> None:
        """Note an artifact that cannot be taken."""
        shown = why if len(why) <= _MOST_SAID else f"{why[:_MOST_SAID]} ..."
        self.refused.append(RefusedArtifact(name=name, why=" ".join(shown.split())))


def found_on(forge: Forge, workflow_run: int, plan: Plan, scratch: Path) -> Found:
    """Download what the jobs of a workflow run left, all its attempts.

    Args:
        forge: Where it ran.
        workflow_run: Its number.
        plan: What it was to do.
        scratch: A folder for the downloads.

    Raises:
        EnvironmentLack: GitHub cannot be asked.
    """
    found = Found()
    wanted = [one for one in forge.artifacts(workflow_run) if one.name.startswith(PREFIX)]
    planned = _planned(found, {one.name: one for one in wanted}, [one.name for one in wanted], plan)
    size = 0
    # Whoever fills the disk is refused, and no smaller one because of it.
    for artifact, job in sorted(planned, key=lambda one: one[0].size):
        path = scratch / f"{artifact.name}.zip"
        most = Most.of(job.attempts)
        size += artifact.size
        try:
            _must_be_there(artifact)
            _must_fit(size)
            forge.download(artifact, path, most_bytes=most.size)
            found.left.append(Left(artifact.name, job, ZipParcel(path, most)))
        except (CheckFailed, InputError) as error:
            found.refuse(artifact.name, error.what)
    _count(found, forge.jobs(workflow_run), [one.name for one in wanted], plan)
    return found


def found_in(folder: Path, plan: Plan) -> Found:
    """List what was brought here by hand: for each artifact a ZIP file or a folder of its name.

    Raises:
        InputError: There is no such folder.
    """
    if not folder.is_dir():
        raise InputError("is no folder.", place=Place(folder))
    found = Found()
    paths = sorted(path for path in folder.iterdir() if path.name.startswith(PREFIX))
    names = [path.name.removesuffix(".zip") for path in paths]
    for path, job in _planned(found, dict(zip(names, paths, strict=True)), names, plan):
        most, name = Most.of(job.attempts), path.name.removesuffix(".zip")
        try:
            if path.is_symlink() or not (path.is_dir() or path.is_file()):
                raise CheckFailed("it is neither a ZIP file nor a folder.")
            parcel = FolderParcel(path, most) if path.is_dir() else ZipParcel(path, most)
            found.left.append(Left(name, job, parcel))
        except CheckFailed as error:
            found.refuse(name, error.what)
    there = {match.group(1) for name in names if (match := _NAME.fullmatch(name))}
    for job in plan.jobs:
        if job.job not in there:
            _miss(found, job, "nothing of it is in the folder.")
    return found


def _planned(found: Found, items: Mapping[str, T], names: Iterable[str], plan: Plan) -> Iterator[tuple[T, PlannedJob]]:
    """Yield what belongs to a planned job by its name; refuse the rest."""
    jobs = {job.job: job for job in plan.jobs}
    counted = list(names)
    for name in sorted(items):
        match = _NAME.fullmatch(name)
        if match is None or match.group(1) not in jobs:
            found.refuse(name[:200], "it belongs to no job of the plan.")
        elif counted.count(name) > 1:
            found.refuse(name, "there are several artifacts of this name.")
        else:
            yield items[name], jobs[match.group(1)]


def _must_fit(size: int) -> None:
    if size > MOST_TOGETHER:
        raise CheckFailed(f"with the smaller ones it has {size:,} bytes; all together may have {MOST_TOGETHER:,}.")


def _must_be_there(artifact: Artifact) -> None:
    if artifact.expired:
        raise CheckFailed("it has expired.")


def _count(found: Found, jobs: Iterable[Job], names: Iterable[str], plan: Plan) -> None:
    """Compare what is there with what the jobs came to: downloads have silently lacked some."""
    there = set(names)
    ended: dict[str, Job] = {}
    for job in jobs:
        if match := _JOB.search(job.name):
            ended[match.group(1)] = job
    for planned in plan.jobs:
        made, prefix = ended.get(planned.job), f"{PREFIX}{planned.job}-"
        any_left = any(name.startswith(prefix) for name in there)
        stated = made.attempt if made is not None else None
        own = f"{prefix}{stated or 1}"
        if own in there or (stated is None and any_left):
            continue
        if made is not None and made.conclusion == "success":
            found.refuse(own, "its job succeeded, and it is not there: it was dropped. Collect again.")
        elif made is not None and made.conclusion is None:
            found.refuse(own, "its job has not ended. Collect when it has.")
        elif not any_left:
            what = f"ended as {made.conclusion}" if made is not None else "is not among the jobs of the workflow run"
            _miss(found, planned, f"its job {what} and left nothing.")


def _miss(found: Found, job: PlannedJob, why: str) -> None:
    found.missing.append(MissingJob(job=job.job, subject=job.subject, agent=job.agent, why=why))
