"""`argusic recompute [--check]`: everything derived, written anew or compared with what lies there."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.console import Console

from argusic.cli.context import database
from argusic.cli.output import emit, printable
from argusic.errors import CheckFailed, Finding
from argusic.referee.recompute import Recomputed, check_derived, recompute


def register(app: typer.Typer) -> None:
    """Add the command `recompute`."""
    app.command("recompute")(recompute_command)


def recompute_command(
    check: Annotated[bool, typer.Option("--check", help="Write nothing; say what differs.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Derive boards and verdicts from the runs. The only writer of leaderboards/."""
    base = database()
    done = Recomputed(findings=check_derived(base)) if check else recompute(base)
    data: dict[str, Any] = {"ok": not done.findings, "findings": [_finding(item) for item in done.findings]}
    if not check:
        data["written"] = [str(path) for path in done.written]
        data["removed"] = [str(path) for path in done.removed]
        data["unchanged"] = done.unchanged
    emit(as_json, data, lambda out: _show(out, done, check))
    if done.findings:
        raise typer.Exit(CheckFailed.exit_code)


def _finding(item: Finding) -> dict[str, Any]:
    return {"file": str(item.place.file), "line": item.place.line, "field": item.place.field, "what": item.what}


def _show(out: Console, done: Recomputed, check: bool) -> None:
    for path in done.written:
        out.print(f"written: {path}")
    for path in done.removed:
        out.print(f"removed: {path}")
    for item in done.findings:
        out.print(printable(str(item)), style="red")
    if check:
        found = len(done.findings)
        out.print("Everything derived is what the facts give." if not found else f"{found} found.")
    else:
        out.print(f"{len(done.written)} written, {len(done.removed)} removed, {done.unchanged} right already.")
