"""`argusic index items`: single questions instead of benchmarks."""

from __future__ import annotations

import typer

from argusic.cli.index_items_choose import choose_command
from argusic.cli.index_items_fit import fit_command
from argusic.cli.index_items_next import next_command
from argusic.cli.index_items_simulate import simulate_command


def items_group() -> typer.Typer:
    """Return the command group `items`."""
    group = typer.Typer(
        help="Single questions: fit them, choose the few that tell the whole, ask the next that tells most.",
        no_args_is_help=True,
    )
    group.command("fit")(fit_command)
    group.command("choose")(choose_command)
    group.command("next")(next_command)
    group.command("simulate")(simulate_command)
    return group
