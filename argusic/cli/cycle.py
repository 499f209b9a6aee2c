"""`argusic cycle run|stop|close`: one round, run here, stopped, closed. `cycle_plan` owns what comes before."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer
from rich.console import Console

from argusic.cli import cycle_collect, cycle_commit, cycle_fetch, cycle_plan
from argusic.cli.context import database
from argusic.cli.cycle_job import (
    HandOverOption,
    JobOption,
    KeysOption,
    PlanOption,
    SealedOption,
    SealedToOption,
    asked_job,
    plain_job,
    show_job,
)
from argusic.cli.equip import ImageOption, ParallelOption, SandboxOption, at_once, equipped
from argusic.cli.held import show_held
from argusic.cli.output import emit, printable
from argusic.cli.signing import Sign, SignOption, sign_collected
from argusic.cli.signing_close import authority_for_close, must_be_open, sign_close_of
from argusic.cli.stores import collect_before_close, plain_collected, show_collected
from argusic.database.database import Database
from argusic.errors import CheckFailed
from argusic.referee.close import close_cycle
from argusic.rules.figures import shown
from argusic.rules.rubric import score
from argusic.runs.cycle import Finished, run_cycle, still_owed
from argusic.runs.held import held_runs
from argusic.runs.keys.leftover import sweep_leftover
from argusic.runs.plan import Owed
from argusic.runs.recover import recover
from argusic.runs.room import room
from argusic.runs.stop import stop as stop_attempts
from argusic.sandbox.registry import providers
from argusic.site.figures import counted

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
_Name = Annotated[str, typer.Argument(metavar="CYCLE", help="The cycle's id.")]


def run(
    cycle: _Name,
    subject: Annotated[list[str] | None, typer.Option(help="Only this subject (KIND/SLUG); may be repeated.")] = None,
    agent: Annotated[list[str] | None, typer.Option(help="Only this agent; may be repeated.")] = None,
    parallel: ParallelOption = "1",
    sandbox: SandboxOption = None,
    image: ImageOption = None,
    sign: SignOption = Sign.any,
    plan: PlanOption = None,
    job: JobOption = None,
    keys: KeysOption = None,
    hand_over: HandOverOption = None,
    sealed: SealedOption = None,
    sealed_to: SealedToOption = None,
    as_json: _Json = False,
) -> None:
    """Run here everything that a cycle still owes, and sign it. It can be stopped at any moment and started again.

    With --plan and --job, run one job of a plan, as a workflow does on each of its machines.
    """
    base = database()
    record = base.cycle(cycle)
    others = bool(subject or agent or parallel != "1")
    asked = asked_job(base, record, plan, job, keys, hand_over, sealed, sealed_to, others=others)

    def wanted(cell: Owed) -> bool:
        return (not subject or cell.subject in subject) and (not agent or cell.agent in agent)

    together = at_once(parallel, record.conditions)
    with equipped(base, sandbox or record.sandbox, quiet=as_json, image=image) as equipment:
        if together > room(record.conditions):
            equipment.watcher.say(f"This machine holds {room(record.conditions)} of this cycle's attempts at once.")
        done = asked.run(equipment, record) if asked is not None else None
        finished = done.finished if done else run_cycle(equipment, record, providers(), wanted, together)
    signing = sign_collected(base, cycle, sign, finished.attempted)

    def show(out: Console) -> None:
        _show_finished(out, finished)
        show_held(out, base, cycle)
        signing.show(out)
        if done is not None and asked is not None:
            show_job(out, done, asked)

    held = [run.run for run in held_runs(base, cycle)]
    data = {**summary(base, finished), "held": held, "signing": signing.plain(), **plain_job(done, asked)}
    emit(as_json, data, show)
    signing.check()
    exit_as(finished)


def exit_as(finished: Finished) -> None:
    """End with the status that says what is left: stopped, given up, or queued. Return where nothing is."""
    if finished.stopped:
        sys.exit(130)
    if finished.given_up:
        sys.exit(1)
    if finished.queued:
        sys.exit(3)


def summary(base: Database, finished: Finished) -> dict[str, Any]:
    """Return what was run, as plain data."""
    runs = []
    for made in finished.runs:
        result = score(made, base.edition(made.edition)[0])
        runs.append(
            {
                "run": made.run,
                "subject": made.subject,
                "agent": made.agent,
                "ending": made.ending.how,
                "outcome": result.outcome,
                "total": None if result.total is None else shown(result.total),
            }
        )
    given_up = [{"subject": cell.subject, "agent": cell.agent, "reason": why} for cell, why in finished.given_up]
    queued = [{"subject": cell.subject, "agent": cell.agent, "reason": why} for cell, why in finished.queued]
    return {"runs": runs, "given_up": given_up, "queued": queued, "stopped": finished.stopped or None}


def _show_finished(out: Console, finished: Finished) -> None:
    for cell, why in finished.given_up:
        out.print(f"Left {cell.subject} by {cell.agent} after invalid runs in a row: {why}", style="yellow")
    for cell, why in finished.queued:
        out.print(f"Queued {cell.subject} by {cell.agent}: {why}", style="yellow")
    if finished.stopped:
        out.print(f"This cycle was {finished.stopped}. Run it again to go on.")
    elif not finished.given_up and not finished.queued:
        out.print(f"Nothing more is owed. Published: {counted(len(finished.runs), 'run')}.")


def stop(
    emergency: Annotated[bool, typer.Option("--emergency", help="Kill at once instead of asking first.")] = False,
    as_json: _Json = False,
) -> None:
    """End every attempt that runs here. Each becomes an invalid run, and is owed again."""
    base = database()
    stopped = stop_attempts(base, providers(), emergency=emergency)
    troubles = sweep_leftover(base, os.environ)

    def show(out: Console) -> None:
        out.print(f"Stopped {counted(len(stopped), 'attempt')}." if stopped else "No attempt was running.")
        for trouble in troubles:
            out.print(f"{printable(trouble)} `argusic keys sweep` tries again.", style="yellow")

    emit(as_json, {"stopped": stopped, "keys": troubles}, show)
    if troubles:
        sys.exit(3)


def close(
    cycle: _Name,
    by: Annotated[str, typer.Option(help="Who closes it.")],
    incomplete: Annotated[bool, typer.Option("--incomplete", help="Close it although runs are still owed.")] = False,
    sign: SignOption = Sign.any,
    as_json: _Json = False,
) -> None:
    """Close a cycle: recompute what is derived from it, freeze that with its digests, and sign all of it.

    Where evidence is kept in the repository itself, what is not there yet is packed first.
    """
    base = database()
    record = base.cycle(cycle)
    must_be_open(base, cycle)
    recover(base, providers())
    missing = still_owed(base, record)
    if missing and not incomplete:
        raise CheckFailed(
            f"cycle {cycle} still owes {sum(cell.attempts for cell in missing)} runs.",
            advice=f"Run `argusic cycle run {cycle}` first, or close it with --incomplete.",
        )
    authority = authority_for_close(cycle, sign)
    signing = sign_collected(base, cycle, sign)
    signing.check()
    collected = collect_before_close(base, cycle)
    closed = close_cycle(base, record, by, unsigned=authority is None)
    signature = sign_close_of(base, cycle, authority) if authority is not None else None
    plain = closed.model_dump(mode="json", by_alias=True)

    def show(out: Console) -> None:
        out.print(f"Closed {cycle} with {closed.runs} runs and {len(closed.derived)} derived files.")
        signing.show(out)
        if collected is not None:
            show_collected(out, collected)
        if signature is not None:
            out.print(f"Signed its close, with one Merkle root over {counted(signature.runs, 'run')}: {signature.path}")

    plain["collected"] = collected and plain_collected(collected)
    emit(as_json, {**plain, "signing": signing.plain(), "signature": signature and str(signature.path)}, show)


def register(app: typer.Typer) -> None:
    """Add the group `cycle`."""
    group = typer.Typer(help="One round: plan it, run it here, stop it, close it.", no_args_is_help=True)
    cycle_plan.register(group)
    cycle_fetch.register(group)
    cycle_collect.register(group)
    cycle_commit.register(group)
    group.command("run")(run)
    group.command("stop")(stop)
    group.command("close")(close)
    app.add_typer(group, name="cycle")
