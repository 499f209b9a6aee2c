"""From a finished or broken attempt to a published run: its files fingerprinted, its manifest last, one rename.

A run is visible only with its manifest in place. Whoever dies in between leaves a folder under `.argusic/work/` that
the next start finds and finishes, or records as interrupted.
"""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

from argusic.database.atomic import publish_folder, write_file
from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.database.faults import fault_point
from argusic.database.paths import run_folder
from argusic.evidence.coverage import measure
from argusic.evidence.layout import COMMANDS_NAME, LOG_NAME, MANIFEST_NAME, RECORDING_NAME, REPORT_NAME, RUN_NAME
from argusic.evidence.manifest import Conditions, build, describe
from argusic.evidence.program import argusic_facts
from argusic.evidence.store import FolderStore
from argusic.records.manifest import Coverage, EvidenceFile, FileRole
from argusic.records.run import Ending, Run
from argusic.rules.endings import ENDINGS
from argusic.runs.happened import Happened
from argusic.runs.work import Intent, Work

#: The files of an attempt that go to the evidence store, under their digest. The recording stays beside the run.
_STORED: tuple[tuple[str, FileRole], ...] = (
    (LOG_NAME, "log"),
    (COMMANDS_NAME, "commands"),
    (REPORT_NAME, "report"),
)


def publish(database: Database, work: Work, intent: Intent, happened: Happened) -> Run:
    """Publish the run of an attempt and return it."""
    recording = _present(work.evidence / RECORDING_NAME)
    commands, log = (_present(work.evidence / name) for name in (COMMANDS_NAME, LOG_NAME))
    coverage = measure(recording, commands, log, happened.agent_seconds)
    run = _run(intent, happened, coverage)
    target = database.root / run_folder(run.cycle, run.subject, run.agent, run.run)
    shutil.rmtree(work.publishing, ignore_errors=True)
    work.publishing.mkdir()
    write_file(work.publishing / RUN_NAME, dump(run), replace=False)
    files = [describe(work.publishing / RUN_NAME, "run", "run")]
    if recording is not None:
        shutil.copyfile(recording, work.publishing / RECORDING_NAME)
        files.append(describe(work.publishing / RECORDING_NAME, "recording", "run"))
    files += _store(FolderStore(database.store_folder), work.evidence)
    fault_point("evidence-stored")
    manifest = build(run, _conditions(intent, work), coverage, files)
    write_file(work.publishing / MANIFEST_NAME, dump(manifest), replace=False)
    fault_point("manifest-written")
    publish_folder(work.publishing, target)
    fault_point("run-published")
    return run


def is_complete(folder: Path) -> bool:
    """Return whether a folder about to be published has its manifest in place."""
    return (folder / MANIFEST_NAME).is_file()


def _present(path: Path) -> Path | None:
    return path if path.is_file() else None


def _store(store: FolderStore, evidence: Path) -> list[EvidenceFile]:
    stored = []
    for name, role in _STORED:
        if (path := _present(evidence / name)) is not None:
            store.put(path)
            stored.append(describe(path, role, "store"))
    return stored


def _conditions(intent: Intent, work: Work) -> Conditions:
    met = work.met()
    return Conditions(
        edition=intent.edition,
        instructions=intent.instructions,
        agent=intent.agent_file,
        sandbox=met.sandbox if met else None,
        environment=met.environment if met else None,
        key="none",
        argusic=argusic_facts(),
    )


def _run(intent: Intent, happened: Happened, coverage: Coverage) -> Run:
    ending = happened.ending or Ending(how="harness_error", detail="The attempt ended without saying how.")
    if ENDINGS[ending.how].valid and not coverage.complete:
        ending = Ending(how="recording_incomplete", detail="; ".join(coverage.lacks)[:500])
    return Run(
        run=intent.run,
        cycle=intent.cycle,
        subject=intent.subject,
        agent=intent.agent,
        edition=intent.edition.id,
        purpose=intent.purpose,
        tier=intent.tier,
        budget_seconds=intent.budget_seconds,
        pin=intent.pin,
        started=intent.started,
        finished=max(intent.started, happened.finished or datetime.now(UTC).replace(microsecond=0)),
        ending=ending,
        phases=tuple(happened.phases),
        commands=coverage.commands,
        limits_hit=happened.limits_hit,
        report=happened.report,
    )
