"""`argusic overdue`: what the clock should have done by now."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import Console

from argusic.cli.context import database
from argusic.cli.output import emit
from argusic.github.annotations import warning
from argusic.github.overdue import overdue_cycles, overdue_workflows
from argusic.github.step import SUMMARY, summarise

_NOTHING = "Nothing is overdue."


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("overdue")(overdue)


def overdue(
    days: Annotated[
        int, typer.Option("--days", min=1, help="Days without a run that are too many while runs are owed.")
    ] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Say which cycles should have had runs or been closed, and, with a token, which schedules were missed."""
    base, now = database(), datetime.now(UTC)
    found = list(overdue_cycles(base, now, days))
    if os.environ.get("GITHUB_TOKEN") or os.environ.get("GH_TOKEN"):
        from argusic.github.pygithub_forge import GitHubForge

        found += overdue_workflows(base, GitHubForge.of_environment(os.environ), now)
    listed = "\n".join(f"- {sentence}" for sentence in found)
    summarise(os.environ, f"### Overdue\n\n{listed or _NOTHING}")
    emit(as_json, {"overdue": found}, lambda console: _render(console, found))


def _render(console: Console, found: list[str]) -> None:
    for sentence in found or [_NOTHING]:
        console.print(warning(sentence) if found and SUMMARY in os.environ else sentence)
