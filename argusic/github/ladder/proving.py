"""Proving runs that came from outside, in a scratch copy of the database: each by itself, and all as the check sees it.

What is known already of right and wrong runs is asked, not written again: `check_run` holds a manifest against the
served bytes, and `argusic check` the database against its rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Final

from argusic.database.codec import parse_record, read_file
from argusic.database.database import Database
from argusic.database.paths import MANIFEST_FILE, RUN_FILE, agent_path, conditions_path
from argusic.errors import CheckFailed, Finding, InputError
from argusic.evidence.fingerprint import fingerprint
from argusic.evidence.one_run import CheckedRun, check_run
from argusic.github.ladder.overlay import Overlay
from argusic.github.ladder.plausible import Expected
from argusic.records.conditions import CycleConditions
from argusic.records.cycle import Cycle
from argusic.records.edition import Edition
from argusic.records.handing_over import PlannedJob
from argusic.records.manifest import Manifest
from argusic.records.run import Run
from argusic.referee.check import check
from argusic.referee.checks.lawful import back_dated
from argusic.rules.reading import MAX_REPORT_BYTES, read_report
from argusic.rules.rubric import score_report
from argusic.rules.scored import scored
from argusic.runs.conditions import conditions_of, digest, fixed_conditions
from argusic.runs.jobs.files import store_path
from argusic.sandbox.registry import published

#: How many sentences are told of what is wrong with one thing.
_MOST_TOLD: Final = 3


def lawful_conditions(database: Database, cycle: Cycle) -> dict[str, CycleConditions]:
    """Return the conditions that a new run of a cycle may have: those of its runs, and those that this program gives.

    Raises:
        InputError: Nothing can be run under the cycle's edition.
    """
    given = [*fixed_conditions(database, cycle.cycle), conditions_of(database, cycle)]
    return {digest(one): one for one in given}


def expected(
    database: Database,
    cycle: Cycle,
    job: PlannedJob,
    conditions: dict[str, CycleConditions],
    planned: datetime,
    now: datetime,
) -> Expected:
    """Return what is known of a job's runs before they are read.

    Raises:
        InputError: The plan promises what the cycle has not.
    """
    return Expected(
        cycle=cycle,
        edition=database.edition(cycle.edition)[0],
        job=job,
        agent=database.agent(job.agent),
        agent_sha256=fingerprint(database.root / agent_path(job.agent)).sha256,
        conditions=conditions,
        images=published(database),
        planned=planned,
        now=now,
    )


def read_run(root: Path, folder: PurePosixPath) -> tuple[Run, Manifest]:
    """Return a run and its manifest.

    Raises:
        InputError: One of them is not valid.
    """
    run, manifest = folder / RUN_FILE, folder / MANIFEST_FILE
    return (
        parse_record(read_file(root / run, shown=run), Run, file=run),
        parse_record(read_file(root / manifest, shown=manifest), Manifest, file=manifest),
    )


def kept_in_store(manifests: Iterable[Manifest]) -> set[str]:
    """Return the paths in a hand-over of what runs keep in the store."""
    found = set()
    for manifest in manifests:
        found |= {store_path(file.sha256) for file in manifest.files if file.place == "store"}
        found |= {store_path(sealed.sealed_sha256) for sealed in manifest.sealed or ()}
    return found


def check_folder(overlay: Overlay, folder: PurePosixPath) -> CheckedRun:
    """Return what one run is found to be, its served bytes read whole."""
    return check_run(overlay.root / folder, overlay.store, overlay.root)


def findings_of_runs(overlay: Overlay, runs: dict[str, PurePosixPath], known: Expected) -> Iterator[str]:
    """Yield what is wrong with the runs of one job, taken by themselves."""
    edition = known.edition
    counting = 0
    for run_id, folder in runs.items():
        try:
            run, manifest = read_run(overlay.root, folder)
        except InputError as error:
            yield str(error)
            continue
        if run.run != run_id:
            yield f"{folder}/{RUN_FILE} says run {run.run}."
            continue
        yield from known.wrong(run, manifest)
        if run.edition == edition.edition:
            yield from _misreported(overlay, run, manifest, edition)
        for finding in check_folder(overlay, folder).findings:
            yield f"{finding}."
        if run.edition == edition.edition:
            result = scored(run, edition)
            counting += result.valid or result.held
    if counting > known.job.attempts:
        yield f"{counting} of its runs count, and its job owed {known.job.attempts}."


def _misreported(overlay: Overlay, run: Run, manifest: Manifest, edition: Edition) -> Iterator[str]:
    """Yield whether the report, as it is served, is what the record has of it: the score follows from the record."""
    entry = next((file for file in manifest.files if file.role == "report"), None)
    kept = run.report
    if entry is None:
        if kept.state == "read":
            yield f"run {run.run} states a report that is not among its files."
        return
    try:
        with overlay.store.check(entry.sha256).open("rb") as reading:
            again = read_report(reading.read(MAX_REPORT_BYTES + 1), edition)
    except CheckFailed:
        return  # It is not there, which is said by itself.
    same = again.state == kept.state
    if same and kept.content is not None:
        same = score_report(again, edition) == score_report(kept, edition)
    if not same:
        yield f"run {run.run} has a report that, read again, does not say what its record has of it."


def checked(overlay: Overlay) -> set[Finding]:
    """Return what `argusic check` finds."""
    return set(check(overlay.database))


def held_back(overlay: Overlay, records: frozenset[PurePosixPath]) -> Iterator[tuple[PurePosixPath, str]]:
    """Yield the new runs that come too late to be believed, with why.

    Args:
        overlay: The copy that they lie in.
        records: The records of all runs that are not published yet.
    """
    for path in sorted(records):
        why = back_dated(overlay.database, path, records)
        if why is not None:
            yield path, why


def needed_by(root: Path, folders: Mapping[str, PurePosixPath]) -> set[str]:
    """Return the paths of all files that runs are made of, as they are in a hand-over, whether they are there or not.

    Args:
        root: Where the runs lie.
        folders: Their folders, by id.

    Raises:
        InputError: A run or its manifest is not valid.
    """
    named: set[str] = set()
    for folder in folders.values():
        run, manifest = read_run(root, folder)
        named |= kept_in_store([manifest])
        named |= {(folder / path.name).as_posix() for path in (root / folder).iterdir()}
        if run.conditions_sha256 is not None:
            named.add(str(conditions_path(run.cycle, run.conditions_sha256)))
    return named


def told(wrong: list[str]) -> str:
    """Return what is wrong in a few sentences."""
    more = f" And {len(wrong) - _MOST_TOLD:,} more such sentences." if len(wrong) > _MOST_TOLD else ""
    return " ".join(wrong[:_MOST_TOLD]) + more
