"""`argusic verify`: whether the evidence of runs is what their manifests say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from argusic.cli.context import database
from argusic.cli.output import console, emit, printable
from argusic.errors import CheckFailed, Finding
from argusic.evidence.verify import Verified
from argusic.evidence.verify import verify as verify_evidence

_CHECKED = (
    "Checked: every file of each manifest is there with its size and SHA-256; no other file lies in a run's folder; "
    "run and manifest name the same run, cycle, edition, agent and number of commands; edition and instructions are "
    "the files that were measured under; the recording, measured again, covers what the manifest claims."
)
_NOT_PROVEN = (
    "Not proven: who made the evidence. Manifests are not signed yet, so one that was edited together with its files "
    "is not caught."
)


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    def verify(
        paths: Annotated[
            list[Path] | None, typer.Argument(metavar="[PATH]...", help="Runs, or folders above them. Default: all.")
        ] = None,
        as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    ) -> None:
        """Check the fingerprints of runs' evidence, and that each recording covers what its manifest claims."""
        out = console(stderr=True)
        columns = (TextColumn("verifying"), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, console=out, transient=True, disable=not out.is_terminal) as bar:
            task = bar.add_task("verifying", total=None)
            verified = verify_evidence(
                database(), paths or [], lambda done, of: bar.update(task, completed=done, total=of)
            )
        emit(as_json, _plain(verified), lambda console: _render(console, verified))
        if verified.findings:
            raise typer.Exit(CheckFailed.exit_code)


def _plain(verified: Verified) -> dict[str, object]:
    return {
        "ok": not verified.findings,
        "runs": verified.runs,
        "files": verified.files,
        "bytes": verified.size,
        "checked": _CHECKED,
        "not_proven": _NOT_PROVEN,
        "findings": [_plain_finding(finding) for finding in verified.findings],
    }


def _plain_finding(finding: Finding) -> dict[str, str | int | None]:
    place = finding.place
    return {"file": str(place.file), "line": place.line, "field": place.field, "what": finding.what}


def _render(console: Console, verified: Verified) -> None:
    for finding in verified.findings:
        console.print(printable(str(finding)))
    console.print(f"{verified.runs} runs, {verified.files} files, {verified.size:,} bytes.")
    console.print(_CHECKED)
    console.print(_NOT_PROVEN)
    if verified.findings:
        console.print(f"{len(verified.findings)} found.", style="bold red")
    else:
        console.print("All is as the manifests say." if verified.runs else "There is no run yet.", style="green")
