"""`argusic recompute [--check]`: everything derived, written anew or compared with what lies there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from argusic.cli.context import database
from argusic.cli.output import emit, printable
from argusic.database.database import Database
from argusic.errors import CheckFailed, Finding, InputError
from argusic.github.proposal import table
from argusic.github.step import summarise
from argusic.referee.difference import difference
from argusic.referee.recompute import Recomputed, check_derived, recompute


def register(app: typer.Typer) -> None:
    """Add the command `recompute`."""
    app.command("recompute")(recompute_command)


def recompute_command(
    check: Annotated[bool, typer.Option("--check", help="Write nothing; say what differs.")] = False,
    against: Annotated[
        str | None,
        typer.Option("--difference", metavar="REV", help="Write nothing; say what comes out otherwise than at REV."),
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", metavar="FILE", help="Also write the difference as Markdown.")
    ] = None,
    push: Annotated[bool, typer.Option("--push", help="On the main branch of origin: commit what changed.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Derive boards and verdicts from the runs, and the index from published results. The only writer of both."""
    base = database()
    if sum((check, against is not None, push)) > 1:
        raise InputError("--check, --difference and --push go one at a time.")
    if markdown is not None and against is None:
        raise InputError("--markdown goes with --difference.")
    if against is not None:
        _show_difference(base, against, markdown, as_json)
        return
    if push:
        _push(base, as_json)
        return
    done = Recomputed(findings=check_derived(base)) if check else recompute(base)
    data: dict[str, Any] = {"ok": not done.findings, "findings": [_finding(item) for item in done.findings]}
    if not check:
        data["written"] = [str(path) for path in done.written]
        data["removed"] = [str(path) for path in done.removed]
        data["unchanged"] = done.unchanged
    emit(as_json, data, lambda out: _show(out, done, check))
    if done.findings:
        raise typer.Exit(CheckFailed.exit_code)


def _show_difference(base: Database, against: str, markdown: Path | None, as_json: bool) -> None:
    found = difference(base, against)
    said = table(found)
    if markdown is not None:
        markdown.write_text(said, encoding="utf-8")
    summarise(os.environ, f"### What would be derived otherwise\n\n{said}")
    emit(as_json, found.model_dump(mode="json", by_alias=True, exclude_none=True), lambda out: out.print(said))


def _push(base: Database, as_json: bool) -> None:
    from argusic.github.recomputing import recompute_main

    done = recompute_main(base, os.environ)
    said = f"{len(done.changed)} files were committed as {done.commit}." if done.commit else "Nothing changed."
    summarise(os.environ, f"### Derivations of the main branch\n\n{said}\n")
    data = {"commit": done.commit, "changed": [str(path) for path in done.changed], "tries": done.tries}
    emit(as_json, data, lambda out: out.print(said))


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
