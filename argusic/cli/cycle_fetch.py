"""`argusic cycle fetch`: the runs of a cycle that wait for review, brought into this checkout."""

from __future__ import annotations

import os
from typing import Annotated

import typer
from rich.console import Console

from argusic.cli.context import database
from argusic.cli.output import emit, printable
from argusic.site.figures import counted


def register(group: typer.Typer) -> None:
    """Add the command to the group `cycle`."""
    group.command("fetch")(fetch)


def fetch(
    cycle: Annotated[str, typer.Argument(metavar="CYCLE", help="The cycle's id.")],
    remote: Annotated[
        str, typer.Option("--remote", help="The remote whose branch results/CYCLE holds them.")
    ] = "origin",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Bring the runs of a cycle that wait for review into this checkout. What is there already stays as it is."""
    from argusic.github.fetching import branch_of, fetch_results

    base = database()
    base.cycle(cycle)
    done = fetch_results(base, cycle, remote, os.environ)

    def show(out: Console) -> None:
        if done.commit is None:
            out.print(f"No run of {cycle} waits for review: {remote} has no branch {branch_of(cycle)}.")
            return
        brought = f"Brought {counted(len(done.runs), 'run')} and {counted(done.files, 'file')} beside them"
        out.print(f"{brought} from {branch_of(cycle)} at {done.commit[:12]}.")
        for path in done.other:
            out.print(printable(f"{path} is here with another content, and was left as it is."), style="yellow")

    emit(
        as_json,
        {
            "branch": branch_of(cycle),
            "commit": done.commit,
            "runs": done.runs,
            "files": done.files,
            "other": done.other,
        },
        show,
    )
