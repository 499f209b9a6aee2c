"""How the command line shows runs that are held: why, and the two commands with which a person settles it."""

from __future__ import annotations

from rich.console import Console

from argusic.cli import typed
from argusic.cli.output import printable
from argusic.database.database import Database
from argusic.rules.holding import hold
from argusic.runs.held import held_runs


def show_held(out: Console, base: Database, cycle: str) -> None:
    """Print the runs of a cycle that wait for a person."""
    held = held_runs(base, cycle)
    for run in held:
        out.print(f"Held: {run.run}, {run.subject} by {run.agent}. {printable(hold(run) or '')}", style="yellow")
    if held:
        out.print(f"Look at it with `{typed.command('audit RUN', base.root)}`, and say what it is with")
        words = "screening --run RUN --finding audit|record|agent --reason REASON --by NAME"
        out.print(f"  {typed.command(words, base.root)}")
