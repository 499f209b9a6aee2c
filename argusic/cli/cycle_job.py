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
from argusic.runs.jobs.sealed_along import SendAlong
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
    Path | None,
    typer.Option("--sealed", metavar="FILE", help="Write the sealed raw files of its runs into this file, made new."),
]
SealedToOption = Annotated[
    str | None,
    typer.Option("--sealed-to", metavar="AGE", help="The public key that they are sealed to once more on their way."),
]


@dataclass(frozen=True)
class Asked:
    """One job that is to be done.

    Attributes:
        job: The job.
        keys: Its keys, where it was handed any.
        to: Where its hand-over goes.
        along: Where sealed raw files go.
    """

    job: PlannedJob
    keys: HandedKeys | None
    to: Path | None
    along: SendAlong | None

    def run(self, equipment: Equipment, cycle: Cycle) -> JobDone:
        """Do it."""
        return run_job(equipment, cycle, self.job, providers(), keys=self.keys, to=self.to, along=self.along)


def asked_job(
    base: Database,
    cycle: Cycle,
    plan: Path | None,
    number: str | None,
    keys: Path | None,
    to: Path | None,
    sealed: Path | None,
    sealed_to: str | None,
    *,
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
        sealed: Where sealed raw files go.
        sealed_to: Which key they are sealed to once more.
        others: Whether options were given that choose attempts in another way.

    Raises:
        InputError: The options do not go together, or the plan is another.
    """
    wrap_key = take_wrap_key(os.environ) if keys is not None else os.environ.pop("ARGUSIC_WRAP_KEY", "")
    if plan is None or number is None:
        if any(one is not None for one in (plan, number, keys, to, sealed, sealed_to)):
            raise InputError("--keys, --hand-over and --sealed need --plan and --job, which go together.")
        return None
    if others:
        raise InputError("the plan says what is run: --subject, --agent and --parallel do not go with it.")
    if (sealed is None) != (sealed_to is None):
        raise InputError("--sealed and --sealed-to go together.")
    along = SendAlong.of(sealed, sealed_to) if sealed is not None and sealed_to is not None else None
    job = job_of(read_json(plan, Plan), cycle.cycle, number, plan)
    if keys is None:
        return Asked(job, None, to, along)
    wrapped = read_json(keys, WrappedKeys)
    if wrapped.cycle != cycle.cycle:
        raise InputError(f"{keys} holds keys for cycle {wrapped.cycle}, not for {cycle.cycle}.")
    if not needs_issued_key(base.agent(job.agent)):
        return Asked(job, None, to, along)
    budget = order(base, cycle, job.subject, job.agent, job.purpose).budget_seconds
    return Asked(job, handed_keys(base, wrapped, job, wrap_key, budget_seconds=budget), to, along)


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
        else {"folder": str(asked.to), "runs": list(handed.runs), "files": len(handed.files)},
        "sealed": {"files": done.sealed, "sent_along": done.along},
    }


def show_job(out: Console, done: JobDone, asked: Asked) -> None:
    """Say what a job handed over."""
    if done.remark:
        out.print(done.remark, style="yellow")
    if done.handed is not None:
        held = f"{counted(len(done.handed.runs), 'run')}, {counted(len(done.handed.files), 'file')}"
        out.print(printable(f"Handed over in {asked.to}: {held}."))
    if asked.along is not None and done.along:
        out.print(printable(f"{counted(done.along, 'sealed raw file')}, sealed once more: {asked.along.file}."))
    elif done.handed is not None and done.sealed:
        what = f"{counted(done.sealed, 'sealed raw file')} stayed on this machine, because what is handed over may be"
        out.print(f"{what} public. --sealed and --sealed-to send them along, sealed once more.", style="yellow")
