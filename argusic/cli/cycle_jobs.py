"""`argusic cycle plan --jobs`: what one workflow run is to do of what a cycle owes."""

from __future__ import annotations

import os
from pathlib import Path

from rich.console import Console

from argusic.cli.output import emit, printable
from argusic.database.database import Database
from argusic.errors import InputError
from argusic.records.handing_over import Plan
from argusic.runs.jobs.files import tell_workflow, write_json
from argusic.runs.jobs.planning import plan_jobs


def plan_for_jobs(base: Database, cycle: str, file: Path, limit: int, sandbox: str | None, *, as_json: bool) -> None:
    """Plan the jobs, write the plan, and tell the workflow of it where there is one.

    Raises:
        InputError: All jobs of a workflow run were begun again. GitHub then lists no more what its attempts before had
            handed over, and evidence would be lost, or chosen among, without a word.
    """
    if os.environ.get("GITHUB_ACTIONS") and os.environ.get("GITHUB_RUN_ATTEMPT", "1") != "1":
        raise InputError(
            "all jobs of this workflow run were begun again, and what they had handed over before would be forgotten.",
            advice="Run failed jobs again, never all of them; or begin a new workflow run, which plans what is owed.",
        )
    planned = plan_jobs(base, base.cycle(cycle), limit, sandbox)
    write_json(file, planned.plan)
    tell_workflow(planned.plan, keys=planned.keys, environment=os.environ)

    def show(out: Console) -> None:
        _show(out, planned.plan, file)
        for remark in planned.remarks:
            out.print(remark, style="yellow")

    plain = planned.plan.model_dump(mode="json", by_alias=True)
    emit(as_json, {"plan": plain, "keys": planned.keys, "remarks": list(planned.remarks)}, show)


def _show(out: Console, plan: Plan, file: Path) -> None:
    for job in plan.jobs:
        machine = ", ".join(job.runner)
        out.print(
            f"{job.job}  {job.subject} by {job.agent}: {job.attempts} for the {job.purpose}, on {machine}, "
            f"{job.timeout_minutes} minutes at most"
        )
    if not plan.jobs:
        out.print("Nothing is owed.")
    if plan.left:
        out.print(f"{plan.left} more are owed, which the next plan has once these are made.")
    out.print(printable(f"written: {file}"))
