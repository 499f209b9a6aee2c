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
from argusic.evidence.fingerprint import describe
from argusic.evidence.program import argusic_facts
from argusic.evidence.store import EvidenceStore
from argusic.records.manifest import Coverage, EvidenceFile, FileRole, Manifest
from argusic.records.run import Ending, Run
from argusic.rules.endings import ENDINGS
from argusic.runs.happened import Happened
from argusic.runs.work import Intent, Work

#: The files an attempt leaves in its evidence folder: name, role, media type, and where they are kept.
_FILES: tuple[tuple[str, FileRole, str, bool], ...] = (
    ("session.cast", "recording", "application/x-asciicast", True),
    ("session.log", "log", "text/plain; charset=utf-8", False),
    ("commands.jsonl", "commands", "application/jsonl", False),
    ("report.yaml", "report", "application/yaml", False),
)


def publish(database: Database, work: Work, intent: Intent, happened: Happened) -> Run:
    """Publish the run of an attempt and return it.

    Everything but the recording goes to the evidence store, under its digest; git holds at most three files a run.
    """
    coverage = measure(work.evidence, agent_seconds=happened.agent_seconds)
    run = _run(intent, happened, coverage)
    target = database.root / run_folder(run.cycle, run.subject, run.agent, run.run)
    shutil.rmtree(work.publishing, ignore_errors=True)
    work.publishing.mkdir()
    write_file(work.publishing / "run.yaml", dump(run), replace=False)
    files = [describe(work.publishing / "run.yaml", role="run", media_type="application/yaml", place="run")]
    files += _keep(EvidenceStore(database.store_folder), work)
    fault_point("evidence-stored")
    manifest = _manifest(intent, work, coverage, files)
    write_file(work.publishing / "evidence.yaml", dump(manifest), replace=False)
    fault_point("manifest-written")
    publish_folder(work.publishing, target)
    fault_point("run-published")
    return run


def _keep(store: EvidenceStore, work: Work) -> list[EvidenceFile]:
    """Bring the evidence where it is kept: the recording beside the run, the rest into the store."""
    kept = []
    for name, role, media_type, beside in _FILES:
        path = work.evidence / name
        if not path.is_file():
            continue
        kept.append(describe(path, role=role, media_type=media_type, place="run" if beside else "store"))
        if beside:
            shutil.copyfile(path, work.publishing / name)
        else:
            store.add(path)
    return kept


def _run(intent: Intent, happened: Happened, coverage: Coverage) -> Run:
    ending = happened.ending or Ending(how="harness_error", detail="The attempt ended without saying how.")
    if ENDINGS[ending.how].valid and not coverage.complete:
        ending = Ending(how="recording_incomplete", detail=" ".join(coverage.lacks))
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


def _manifest(intent: Intent, work: Work, coverage: Coverage, files: list[EvidenceFile]) -> Manifest:
    conditions = work.conditions()
    return Manifest(
        run=intent.run,
        cycle=intent.cycle,
        edition=intent.edition,
        instructions=intent.instructions,
        agent=intent.agent_file,
        sandbox=conditions.sandbox if conditions else None,
        environment=conditions.environment if conditions else None,
        key="none",
        argusic=argusic_facts(),
        coverage=coverage,
        files=tuple(sorted(files, key=lambda file: file.name)),
    )


def is_complete(folder: Path) -> bool:
    """Return whether a folder about to be published has its manifest in place."""
    return (folder / "evidence.yaml").is_file()
