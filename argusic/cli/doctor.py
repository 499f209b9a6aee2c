"""`argusic doctor`: what this machine can run, and the one command that mends each lack."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from argusic.cli.context import database
from argusic.cli.output import emit, printable
from argusic.errors import EnvironmentLack
from argusic.referee.doctor import examine, missing
from argusic.referee.probes.environment import published_environment
from argusic.referee.probes.probe import Probe
from argusic.sandbox.registry import providers


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False) -> None:
        """Say what this machine can run, and the one command that mends each lack."""
        base = database()
        probes = examine(
            base.store_folder,
            list(providers(base).values()),
            os.environ,
            [lambda: published_environment(base)],
        )
        lacks = missing(probes)
        result = {"attempt_can_run": not lacks, "probes": [asdict(probe) for probe in probes]}
        emit(as_json, result, lambda console: _render(console, probes, lacks))
        if lacks:
            raise typer.Exit(EnvironmentLack.exit_code)


def _render(console: Console, probes: Sequence[Probe], lacks: Sequence[Probe]) -> None:
    """Print the table of what was found, then what mends each lack, then the one sentence that counts."""
    table = Table(box=None, pad_edge=False)
    for heading in ("", "what", "found"):
        table.add_column(heading, overflow="fold")
    for probe in probes:
        mark = Text("ok", "green") if probe.ok else Text("lack", "bold red" if probe.needed else "yellow")
        table.add_row(mark, Text(probe.name), Text(printable(probe.found)))
    console.print(table)
    for probe in probes:
        if not probe.ok:
            console.print()
            console.print(f"{probe.name}: cannot run without it: {probe.without}")
            if probe.mend:
                console.print(f"  mend it with: {printable(probe.mend)}")
    console.print()
    if lacks:
        console.print(f"No attempt can run here: {', '.join(probe.name for probe in lacks)}.", style="bold red")
    else:
        console.print("An attempt can run here.", style="green")
