"""`argusic attempt CYCLE SUBJECT AGENT`: one attempt, from sandbox to manifest."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from rich.console import Console

from argusic.cli.context import database
from argusic.cli.equip import ImageOption, SandboxOption, equipped
from argusic.cli.output import emit
from argusic.cli.progress import ending_line
from argusic.database.paths import run_folder
from argusic.rules.figures import shown
from argusic.rules.rubric import score
from argusic.runs.attempt import attempt as make
from argusic.runs.order import order
from argusic.runs.recover import recover
from argusic.runs.watching import Cancelled
from argusic.sandbox.registry import providers


def attempt(
    cycle: Annotated[str, typer.Argument(metavar="CYCLE", help="The cycle's id.")],
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="The subject, KIND/SLUG.")],
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="The agent's id.")],
    sandbox: SandboxOption = None,
    image: ImageOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Make one attempt of an agent on a subject and publish its run. Exits with 1 where the run is invalid."""
    base = database()
    record = base.cycle(cycle)
    made = order(base, record, subject, agent)
    with equipped(base, sandbox or record.sandbox, quiet=as_json, image=image) as equipment:
        recover(base, providers())
        equipment.watcher.begin(subject, agent, made.purpose, 1, 1)
        try:
            run = make(equipment, made)
        except Cancelled:
            sys.exit(130)
    result = score(run, made.edition)
    folder = run_folder(run.cycle, run.subject, run.agent, run.run)
    data: dict[str, Any] = {
        "run": run.run,
        "folder": str(folder),
        "ending": run.ending.how,
        "outcome": result.outcome,
        "total": None if result.total is None else shown(result.total),
    }

    def show(out: Console) -> None:
        out.print(f"{run.run}: {ending_line(run, result)}")
        out.print(f"Evidence: {folder}")

    emit(as_json, data, show)
    if equipment.cancellation.event.is_set():
        sys.exit(130)
    if result.outcome == "invalid":
        sys.exit(1)


def register(app: typer.Typer) -> None:
    """Add the command `attempt`."""
    app.command("attempt")(attempt)
