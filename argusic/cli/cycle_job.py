"""`argusic cycle run --plan --job`: the attempts of one job of a plan, and what of them is handed over."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from argusic.cli.output import printable
from argusic.database.database import Database
from argusic.errors import InputError
from argusic.records.cycle import Cycle
from argusic.records.handing_over import Plan, PlannedJob
from argusic.records.wrapped_keys import WrappedKeys
from argusic.runs.attempt import Equipment
from argusic.runs.jobs.files import job_of, read_json
from argusic.runs.jobs.handed_keys import HandedKeys, handed_keys, take_wrap_key
from argusic.runs.jobs.one_job import JobDone, run_job
from argusic.runs.jobs.planning import needs_issued_key
from argusic.runs.order import order
from argusic.sandbox.registry import providers
from argusic.site.figures import counted

PlanOption = Annotated[
    Path | None, typer.Option("--plan", metavar="FILE", help="Make the attempts of one job of this plan alone.")
]
JobOption = Annotated[str | None, typer.Option("--job", metavar="NNN", help="Which job of the plan.")]
KeysOption = Annotated[
    Path | None,
    typer.Option(
        "--keys",
        metavar="FILE",
        help="The sealed keys of its attempts; ARGUSIC_WRAP_KEY holds what opens them.",
    ),
]
HandOverOption = Annotated[
    Path | None,
    typer.Option("--hand-over", metavar="FOLDER", help="Write what the job hands over into this folder, made new."),
]
SealedOption = Annotated[
    bool,
    typer.Option(
        "--with-sealed", help="Hand sealed raw files over too. Never where others can read it: sealed is not gone."
    ),
]


@dataclass(frozen=True)
class Asked:
    """One job that is to be done.

    Attributes:
        job: The job.
        keys: Its keys, where it was handed any.
        to: Where its hand-over goes.
        sealed: Whether sealed files go with it.
    """

    job: PlannedJob
    keys: HandedKeys | None
    to: Path | None
    sealed: bool

    def run(self, equipment: Equipment, cycle: Cycle) -> JobDone:
        """Do it."""
        return run_job(equipment, cycle, self.job, providers(), keys=self.keys, to=self.to, sealed=self.sealed)


def asked_job(
    base: Database,
    cycle: Cycle,
    plan: Path | None,
    number: str | None,
    keys: Path | None,
    to: Path | None,
    *,
    sealed: bool,
    others: bool,
) -> Asked | None:
    """Return the job that the options ask for; None where they ask for none.

    Args:
        base: The database.
        cycle: The cycle.
        plan: The plan's file.
        number: The job's number.
        keys: The file of the keys.
        to: Where the hand-over goes.
        sealed: Whether sealed files go with it.
        others: Whether options were given that choose attempts in another way.

    Raises:
        InputError: The options do not go together, or the plan is another.
    """
    wrap_key = take_wrap_key(os.environ) if keys is not None else os.environ.pop("ARGUSIC_WRAP_KEY", "")
    if plan is None or number is None:
        if plan is not None or number is not None or keys is not None or to is not None or sealed:
            raise InputError("--keys, --hand-over and --with-sealed need --plan and --job, which go together.")
        return None
    if others:
        raise InputError("the plan says what is run: --subject, --agent and --parallel do not go with it.")
    job = job_of(read_json(plan, Plan), cycle.cycle, number, plan)
    if keys is None:
        return Asked(job, None, to, sealed)
    wrapped = read_json(keys, WrappedKeys)
    if wrapped.cycle != cycle.cycle:
        raise InputError(f"{keys} holds keys for cycle {wrapped.cycle}, not for {cycle.cycle}.")
    if not needs_issued_key(base.agent(job.agent)):
        return Asked(job, None, to, sealed)
    budget = order(base, cycle, job.subject, job.agent, job.purpose).budget_seconds
    return Asked(job, handed_keys(base, wrapped, job, wrap_key, budget_seconds=budget), to, sealed)


def plain_job(done: JobDone | None, asked: Asked | None) -> dict[str, Any]:
    """Return what a job did besides its runs, as plain data."""
    if done is None or asked is None:
        return {}
    handed = done.handed
    return {
        "job": asked.job.job,
        "remark": done.remark or None,
        "hand_over": None
        if handed is None
        else {"folder": str(asked.to), "runs": list(handed.record.runs), "files": len(handed.record.files)},
        "sealed_left_out": 0 if handed is None else handed.left_out,
    }


def show_job(out: Console, done: JobDone, asked: Asked) -> None:
    """Say what a job handed over."""
    if done.remark:
        out.print(done.remark, style="yellow")
    if done.handed is None:
        return
    record = done.handed.record
    held = f"{counted(len(record.runs), 'run')}, {counted(len(record.files), 'file')}"
    out.print(printable(f"Handed over in {asked.to}: {held}."))
    if done.handed.left_out:
        left = counted(done.handed.left_out, "sealed raw file")
        out.print(f"{left} stayed on this machine, because what is handed over may be public.")
