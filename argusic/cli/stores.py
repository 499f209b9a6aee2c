"""`argusic evidence collect|fetch`: sending evidence to where others reach it, and bringing it here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from argusic.cli.context import database
from argusic.cli.output import console, emit, printable
from argusic.database.database import Database
from argusic.database.paths import cycle_path
from argusic.errors import CheckFailed, Finding
from argusic.evidence.stores.collecting import Collected, Fetched, collect, fetch
from argusic.evidence.stores.configured import home_of, store_of
from argusic.records.evidence_home import RepositoryHome
from argusic.referee.findings import find_run

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def register(group: typer.Typer) -> None:
    """Add the commands to the group `evidence`."""
    group.command("collect")(collect_command)
    group.command("fetch")(fetch_command)


def collect_command(
    cycle: Annotated[str, typer.Argument(metavar="CYCLE", help="The cycle's id.")],
    as_json: _Json = False,
) -> None:
    """Send the evidence of a cycle to the store that rules/evidence.yaml names; only what is not there yet.

    It can be stopped at any time and begun again. Ends with status 1 where a file is neither there nor, whole, here.
    """
    base = database()
    with _bar("sending") as progress:
        made = collect(base, cycle, progress)
    emit(as_json, plain_collected(made), lambda out: show_collected(out, made))
    if made.findings:
        raise typer.Exit(CheckFailed.exit_code)


def fetch_command(
    what: Annotated[str, typer.Argument(metavar="RUN|CYCLE", help="A run's id, or a cycle's.")],
    sealed: Annotated[bool, typer.Option("--sealed", help="Sealed raw files, too.")] = False,
    as_json: _Json = False,
) -> None:
    """Bring the evidence of a run or a cycle here; only what is not here yet.

    It can be stopped at any time and begun again. Ends with status 1 where a file is not to be had.
    """
    base = database()
    runs = list(base.runs(what)) if base.holds(cycle_path(what)) else [find_run(base, what)]
    with _bar("fetching") as progress:
        made = fetch(base, store_of(base), runs, progress, sealed=sealed)
    emit(as_json, {**asdict(made), "findings": _plain(made.findings)}, lambda out: _show_fetched(out, made))
    if made.findings:
        raise typer.Exit(CheckFailed.exit_code)


def collect_before_close(base: Database, cycle: str) -> Collected | None:
    """Collect a cycle that is about to be closed into the repository, where its evidence is kept there.

    Returns:
        What came of it; None where evidence is kept elsewhere, which may not be reachable from here.

    Raises:
        CheckFailed: Evidence of it is neither there nor, whole, here.
        InputError: It is more than the repository takes.
    """
    if not isinstance(home_of(base), RepositoryHome):
        return None
    with _bar("packing") as progress:
        made = collect(base, cycle, progress)
    if made.findings:
        more = f" ({len(made.findings)} such files)" if len(made.findings) > 1 else ""
        raise CheckFailed(
            f"cycle {cycle} is not closed, for its evidence is not whole: {made.findings[0]}{more}",
            advice="Close it where the evidence lies, or say what is gone for good with `argusic run withdraw`.",
        )
    return made


def plain_collected(made: Collected) -> dict[str, Any]:
    """Return what was collected as plain data."""
    return {**asdict(made), "findings": _plain(made.findings)}


@contextmanager
def _bar(doing: str) -> Iterator[Callable[[int, int], None]]:
    out = console(stderr=True)
    columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=out, transient=True, disable=not out.is_terminal) as bar:
        task = bar.add_task(doing, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def show_collected(out: Console, made: Collected) -> None:
    """Say what was collected, and what was not."""
    _show_findings(out, made.findings)
    out.print(
        f"{made.files:,} files with {made.size:,} bytes were sent to {made.store}; {made.there:,} were there already."
    )
    if made.held_back:
        out.print(
            f"{made.held_back:,} sealed raw files stay here: {made.store} can be read by everybody.", style="yellow"
        )


def _show_fetched(out: Console, made: Fetched) -> None:
    _show_findings(out, made.findings)
    out.print(f"{made.files:,} files were fetched and proven by their digests; {made.here:,} were here already.")


def _show_findings(out: Console, findings: tuple[Finding, ...]) -> None:
    for finding in findings:
        out.print(printable(str(finding)), style="bold red")


def _plain(findings: tuple[Finding, ...]) -> list[dict[str, Any]]:
    return [{"file": str(finding.place.file), "what": finding.what} for finding in findings]
