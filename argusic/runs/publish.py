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
from argusic.evidence.audit import audited_claims
from argusic.evidence.coverage import measure
from argusic.evidence.layout import (
    COMMANDS_NAME,
    LOG_NAME,
    MANIFEST_NAME,
    RECORDING_NAME,
    REPORT_NAME,
    RUN_NAME,
    TRAJECTORY_LINES_NAME,
    TRAJECTORY_NAME,
)
from argusic.evidence.manifest import Conditions, build, describe
from argusic.evidence.program import argusic_facts
from argusic.evidence.stores.configured import store_of
from argusic.evidence.trajectory import assemble
from argusic.records.manifest import Coverage, EvidenceFile
from argusic.records.run import Ending, Run, RunReport
from argusic.rules.endings import ENDINGS
from argusic.rules.reading import read_report
from argusic.runs.disclosed import disclosed
from argusic.runs.happened import Happened
from argusic.runs.serving import ROLES, Served, hidden_files, serve
from argusic.runs.work import Intent, Work


def publish(database: Database, work: Work, intent: Intent, happened: Happened) -> Run:
    """Publish the run of an attempt and return it. What is published is the served evidence, never the raw."""
    assemble(work.folder / TRAJECTORY_LINES_NAME, work.evidence / TRAJECTORY_NAME)
    served = serve(
        database,
        intent.cycle,
        work.evidence,
        work.folder / "served",
        happened.known,
        hidden=hidden_files(database.agent(intent.agent)),
        program=intent.program,
        withhold=happened.withhold,
    )
    recording, commands, log = (served.file(name) for name in (RECORDING_NAME, COMMANDS_NAME, LOG_NAME))
    coverage = measure(recording, commands, log, happened.agent_seconds)
    run = _run(database, intent, work, happened, coverage, served)
    target = database.root / run_folder(run.cycle, run.subject, run.agent, run.run)
    shutil.rmtree(work.publishing, ignore_errors=True)
    work.publishing.mkdir()
    write_file(work.publishing / RUN_NAME, dump(run), replace=False)
    files = [describe(work.publishing / RUN_NAME, "run", "run"), *_place(database, work, served)]
    fault_point("evidence-stored")
    manifest = build(run, _conditions(intent, work), coverage, files, served.redaction, served.sealed, happened.video)
    write_file(work.publishing / MANIFEST_NAME, dump(manifest), replace=False)
    fault_point("manifest-written")
    publish_folder(work.publishing, target)
    fault_point("run-published")
    return run


def is_complete(folder: Path) -> bool:
    """Return whether a folder about to be published has its manifest in place."""
    return (folder / MANIFEST_NAME).is_file()


def _place(database: Database, work: Work, served: Served) -> list[EvidenceFile]:
    """Bring the served files where they are kept: the recording beside the run, the rest into the evidence store."""
    placed = []
    store = store_of(database)
    for name, role in ROLES.items():
        path = served.file(name)
        if path is None:
            continue
        if role == "recording":
            shutil.copyfile(path, work.publishing / name)
        else:
            store.put(path)
        placed.append(describe(path, role, "run" if role == "recording" else "store"))
    return placed


def _conditions(intent: Intent, work: Work) -> Conditions:
    met = work.met()
    return Conditions(
        edition=intent.edition,
        instructions=intent.instructions,
        agent=intent.agent_file,
        sandbox=met.sandbox if met else None,
        environment=met.environment if met else None,
        key=intent.key,
        argusic=argusic_facts(),
    )


def _run(database: Database, intent: Intent, work: Work, happened: Happened, coverage: Coverage, served: Served) -> Run:
    report = _report(database, intent, happened, served)
    met = work.met()
    return Run(
        run=intent.run,
        cycle=intent.cycle,
        subject=intent.subject,
        agent=intent.agent,
        edition=intent.edition.id,
        model_use=happened.model_use,
        conditions_sha256=intent.conditions_sha256,
        purpose=intent.purpose,
        tier=intent.tier,
        budget_seconds=intent.budget_seconds,
        pin=intent.pin,
        worker="gpu" if met is not None and met.sandbox.gpus else "cpu",
        started=intent.started,
        finished=max(intent.started, happened.finished or datetime.now(UTC)),
        ending=disclosed(_ending(happened, coverage, served), database.agent(intent.agent), happened.known),
        phases=tuple(happened.phases),
        commands=coverage.commands,
        limits_hit=happened.limits_hit,
        report=report,
        audit=audited_claims(report.content, served.file(COMMANDS_NAME), served.file(LOG_NAME)),
    )


def _ending(happened: Happened, coverage: Coverage, served: Served) -> Ending:
    """Return how the attempt ended, by what may be shown of it."""
    if served.redaction is not None and served.redaction.withheld is not None:
        return Ending(how="withheld", detail=served.redaction.withheld)
    ending = happened.ending or Ending(how="harness_error", detail="The attempt ended without saying how.")
    if ENDINGS[ending.how].valid and not coverage.complete:
        return Ending(how="recording_incomplete", detail="; ".join(coverage.lacks)[:500])
    if ENDINGS[ending.how].valid and happened.video is not None and not happened.video.complete:
        detail = "; ".join(("the video of the display is not complete", *happened.video.lacks))
        return Ending(how="recording_incomplete", detail=detail[:500])
    return ending


def _report(database: Database, intent: Intent, happened: Happened, served: Served) -> RunReport:
    """Return the report as it may be shown: where the raw one needed a mask, what the masked one says."""
    if served.redaction is not None and served.redaction.withheld is not None:
        return RunReport(state="missing", problem="The report is withheld with the recording.")
    if all(sealed.role != "report" for sealed in served.sealed):
        return happened.report
    path = served.file(REPORT_NAME)
    edition, _ = database.edition(intent.edition.id)
    return read_report(path.read_bytes() if path is not None else None, edition)
