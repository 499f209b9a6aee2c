"""`argusic screening SUBJECT`: a person's finding on a subject that every agent failed on."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

import typer
from rich.console import Console

from argusic.cli.context import database
from argusic.cli.output import emit
from argusic.database.paths import screening_path
from argusic.records.findings import Screening
from argusic.referee.findings import screen, stated


class Finding(StrEnum):
    """What a person can find."""

    environment = "environment"
    project = "project"
    agents = "agents"


def register(app: typer.Typer) -> None:
    """Add the command `screening`."""
    app.command("screening")(screening_command)


def screening_command(
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="The subject, KIND/SLUG.")],
    cycle: Annotated[str, typer.Option("--cycle", help="The cycle's id.")],
    finding: Annotated[
        Finding, typer.Option("--finding", help="environment: run again; project: stays excluded; agents: counts.")
    ],
    reason: Annotated[str, typer.Option("--reason", help="What was found, as readers see it.")],
    by: Annotated[str, typer.Option("--by", help="Who looked.")],
    invalidates: Annotated[
        list[str] | None,
        typer.Option("--invalidate", help="A run that an environment finding invalidates; repeatable."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Write down what a person found on a subject under review."""
    base = database()
    now = datetime.now(UTC).replace(microsecond=0)
    record = stated(
        Screening,
        cycle=cycle,
        subject=subject,
        finding=finding.value,
        reason=reason,
        by=by,
        at=now,
        invalidates=sorted(set(invalidates or ())),
    )
    screen(base, record)
    path = str(screening_path(cycle, subject))

    def render(out: Console) -> None:
        out.print(f"written: {path}")
        out.print("`argusic recompute` brings boards and verdicts up to date.")

    emit(as_json, {"written": [path]}, render)
