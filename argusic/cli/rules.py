"""`argusic rules state`: that a change of rule files or of harness code has no effect on measurement."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import Console

from argusic.cli.context import database
from argusic.cli.output import emit, printable
from argusic.referee.changelog.stating import state_no_effect


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(help="The rules, and what changes of them.", no_args_is_help=True)
    group.command("state")(state)
    group.callback()(lambda: None)  # One command alone would otherwise lose its name.
    app.add_typer(group, name="rules")


def state(
    base: Annotated[str, typer.Option("--base", metavar="REV", help="What the change is compared with.")],
    no_effect: Annotated[
        str, typer.Option("--no-effect", metavar="REASON", help="Why the change has no effect on measurement.")
    ],
    by: Annotated[str, typer.Option("--by", help="Who says so.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """State that what changed since a revision has no effect on measurement, so that it needs no edition.

    The statement names each changed file that measurements rest on, with its digest, and stays in rules/changes/ for
    ever. A later edit of such a file needs a statement anew. Instructions and kinds are covered by none, and a change
    of the rubric's code must leave every derivation as it was.
    """
    now = datetime.now(UTC).replace(microsecond=0)
    path, statement = state_no_effect(database(), base, reason=no_effect, by=by, at=now)
    files = [entry.file for entry in statement.files]

    def show(out: Console) -> None:
        out.print(f"written: {path}")
        for file in files:
            out.print(printable(f"covers: {file}"))

    emit(as_json, {"written": str(path), "files": files}, show)
