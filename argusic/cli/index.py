"""`argusic index`: one number per model from sparse benchmarks, with how sure it is."""

from __future__ import annotations

import typer

from argusic.cli.index_changes import changes_command
from argusic.cli.index_compare import compare_command
from argusic.cli.index_fit import fit_command
from argusic.cli.index_freeze import freeze_command
from argusic.cli.index_import import import_command
from argusic.cli.index_items import items_group
from argusic.cli.index_panel import panel_command
from argusic.cli.index_rank import rank_command
from argusic.cli.index_validate import validate_command
from argusic.cli.index_votes import votes_command


def register(app: typer.Typer) -> None:
    """Add the command group `index`."""
    group = typer.Typer(help="The composite index: models and benchmarks on one scale.", no_args_is_help=True)
    group.command("fit")(fit_command)
    group.command("freeze")(freeze_command)
    group.command("rank")(rank_command)
    group.command("changes")(changes_command)
    group.command("import")(import_command)
    group.command("panel")(panel_command)
    group.command("validate")(validate_command)
    group.command("compare")(compare_command)
    group.command("votes")(votes_command)
    group.add_typer(items_group(), name="items")
    app.add_typer(group, name="index")
