"""`argusic audit`: whether the recording of a run shows what its report claims."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from argusic.cli.context import database
from argusic.cli.output import console, emit, printable
from argusic.cli.run import named_run
from argusic.database.database import Database, StoredRun
from argusic.errors import CheckFailed, InputError
from argusic.evidence.audit import audit_run, blocks
from argusic.evidence.stores.configured import store_of
from argusic.records.audit import Audit

_NO_SCORE = "Findings change no score."
_BLOCKED = "What the record contradicts outright blocks publication until a screening says what it is."
_CONTROL = "is a control's: it proves the harness, counts nowhere, and is held up by none of this."


def register(app: typer.Typer) -> None:
    """Add the command `audit`."""
    app.command("audit")(audit_command)


def audit_command(
    run: Annotated[str | None, typer.Argument(metavar="RUN", help="The run's id, or its folder.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every run.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Compare what reports claim with what was recorded. Ends with status 1 where a claim is contradicted."""
    if (run is None) != everything:
        raise InputError("name a run, or say --all.")
    base = database()
    stored = list(base.runs()) if run is None else [named_run(base, run)]
    audits = list(_audited(base, stored))
    controls = {one.folder for one in stored if one.run.purpose == "control"}
    emit(as_json, _plain(audits), lambda out: _render(out, audits, controls))
    if any(blocks(audit.findings) for _, audit in audits):
        raise typer.Exit(CheckFailed.exit_code)


def _audited(base: Database, stored: list[StoredRun]) -> Iterable[tuple[PurePosixPath, Audit]]:
    store = store_of(base)
    out = console(stderr=True)
    columns = (TextColumn("auditing"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=out, transient=True, disable=not out.is_terminal) as bar:
        for one in bar.track(stored, description="auditing"):
            yield one.folder, audit_run(base.root / one.folder, store, root=base.root)


def _plain(audits: list[tuple[PurePosixPath, Audit]]) -> dict[str, Any]:
    return {
        "runs": [
            {
                "path": str(folder),
                "blocks": blocks(audit.findings),
                **audit.model_dump(mode="json", by_alias=True, exclude_none=True),
            }
            for folder, audit in audits
        ]
    }


def _render(out: Console, audits: list[tuple[PurePosixPath, Audit]], controls: set[PurePosixPath]) -> None:
    for folder, audit in audits:
        if not audit.audited:
            out.print(printable(f"{folder}: not audited. {audit.reason}"))
        elif audit.findings:
            out.print(printable(f"{folder}:"))
        for finding in audit.findings:
            style = {"contradicted": "bold red", "unsupported": "yellow", "note": ""}[finding.severity]
            out.print(f"  {finding.severity:<13}", style=style, end="")
            out.print(printable(f"{finding.field}: {finding.what}{_where(finding.seconds)}"))
        if audit.findings and folder in controls:
            out.print(f"  This run {_CONTROL}")
    judged = [audit for _, audit in audits if audit.audited]
    clear = sum(not audit.findings for audit in judged)
    out.print(
        f"{len(judged)} report{'' if len(judged) == 1 else 's'} audited; nothing was found in {clear}. {_NO_SCORE}"
    )
    if any(blocks(audit.findings) for folder, audit in audits if audit.audited and folder not in controls):
        out.print(_BLOCKED, style="bold red")


def _where(seconds: tuple[float, ...]) -> str:
    """Return where in the recording it shows, as a reader finds it there."""
    if not seconds:
        return ""
    shown = ", ".join(f"{int(second) // 60}:{int(second) % 60:02}" for second in seconds[:3])
    return f" [at {shown}{' and later' if len(seconds) > 3 else ''}]"
