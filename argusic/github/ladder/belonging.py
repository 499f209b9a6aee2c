"""Whether what a job handed over is its own: its cell, its runs and nothing but their files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from argusic.database.paths import MANIFEST_FILE, RUN_FILE, run_folder, what_is
from argusic.errors import CheckFailed
from argusic.github.ladder.limits import MOST_OF_A_RECORD, Most
from argusic.records.handing_over import HandOver, PlannedJob
from argusic.runs.jobs.files import LIST_NAME, STORE

_RECORDS: Final = ("run", "manifest", "conditions")


def must_be_of(said: HandOver, cycle: str, job: PlannedJob) -> None:
    """Refuse what another job, or a job of another cycle, would hand over.

    Raises:
        CheckFailed: It is not this job's.
    """
    for what, stated, planned in (
        ("cycle", said.cycle, cycle),
        ("job", said.job, job.job),
        ("subject", said.subject, job.subject),
        ("agent", said.agent, job.agent),
    ):
        if stated != planned:
            raise CheckFailed(f"it says {what} {stated}, and {planned} was planned for its job.")
    most = Most.of(job.attempts).runs
    if len(said.runs) > most:
        raise CheckFailed(f"it says {len(said.runs)} runs; its job, which owes {job.attempts}, makes {most} at most.")
    if len(set(said.runs)) != len(said.runs):
        raise CheckFailed("it says one run twice.")
    for problem in _misplaced(said, job):
        raise CheckFailed(problem)


def folders_of(said: HandOver) -> dict[str, PurePosixPath]:
    """Return the folder of each run of a hand-over."""
    return {run: run_folder(said.cycle, said.subject, said.agent, run) for run in said.runs}


def _misplaced(said: HandOver, job: PlannedJob) -> Iterator[str]:
    folders = {folder: run for run, folder in folders_of(said).items()}
    kind, slug = job.subject.split("/")
    held: dict[str, set[str]] = {run: set() for run in said.runs}
    for file in said.files:
        if file.path.startswith(STORE):
            continue
        path = PurePosixPath(file.path)
        holding = what_is(path)
        name = holding.row.name if holding is not None else None
        if holding is None or name not in (*_RECORDS, "evidence"):
            yield f"it holds {path}, which no attempt hands over."
        elif holding.ids["cycle"] != said.cycle:
            yield f"it holds {path}, which is of the cycle {holding.ids['cycle']}."
        elif name in _RECORDS and file.size > MOST_OF_A_RECORD:
            yield f"{path} in it has {file.size:,} bytes; a record has {MOST_OF_A_RECORD:,} at most."
        elif name == "conditions":
            if path.stem != file.sha256:
                yield f"it holds {path}, whose digest is {file.sha256}."
        elif (holding.ids["kind"], holding.ids["slug"], holding.ids["agent"]) != (kind, slug, job.agent):
            yield f"it holds {path}, which is of another subject or agent than its job's."
        elif path.parent not in folders:
            yield f"it holds {path}, of a run that its {LIST_NAME} does not state, or in a place that is not its own."
        else:
            held[folders[path.parent]].add(path.name)
    for run, names in held.items():
        for needed in (RUN_FILE, MANIFEST_FILE):
            if needed not in names:
                yield f"it states the run {run}, and has no {needed} of it."
