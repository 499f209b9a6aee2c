"""`argusic check`: whether the files of the database obey its rules."""

from __future__ import annotations

import os
from typing import Annotated

import typer
from rich.console import Console

from argusic.cli.context import database
from argusic.cli.output import emit, printable
from argusic.errors import CheckFailed, Finding
from argusic.github.annotations import commands, notice, summary
from argusic.github.step import summarise
from argusic.referee.check import check as check_database
from argusic.referee.pinpointing import pinpointed


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    def check(
        base: Annotated[
            str | None, typer.Option("--base", metavar="REV", help="Also check what was changed since REV.")
        ] = None,
        annotate: Annotated[
            bool, typer.Option("--annotate", help="Print commands that mark file and line on GitHub.")
        ] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    ) -> None:
        """Check schema, paths, references and the methodology page; with --base, what was changed since as well.

        Of what was published at the revision, nothing may be taken back. A change of the rules, or of what measurements
        rest on, comes with an edition or with a statement that it has no effect. Code and evidence come apart.
        """
        here = database()
        findings = check_database(here, base)
        if annotate:
            compared = here.git.commit(base) if here.git is not None and base is not None else None
            findings = [pinpointed(here, finding, compared) for finding in findings]
            summarise(os.environ, f"### Check\n\n{summary(findings, passed='All is well.')}")
            for line in (*commands(findings), notice(f"{len(findings)} found." if findings else "All is well.")):
                typer.echo(line)
        else:
            result = {"ok": not findings, "findings": [_plain(finding) for finding in findings]}
            emit(as_json, result, lambda console: _render(console, findings))
        if findings:
            raise typer.Exit(CheckFailed.exit_code)


def _plain(finding: Finding) -> dict[str, str | int | None]:
    place = finding.place
    return {"file": str(place.file), "line": place.line, "field": place.field, "what": finding.what}


def _render(console: Console, findings: list[Finding]) -> None:
    for finding in findings:
        console.print(printable(str(finding)))
    if findings:
        console.print(f"{len(findings)} found.", style="bold red")
    else:
        console.print("All is well.", style="green")
