"""`argusic cycle collect`: what jobs handed over, proven again, and laid out for whoever signs it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from argusic.cli.context import database
from argusic.cli.output import console, emit
from argusic.errors import CheckFailed, InputError, Place
from argusic.records.handing_over import Collected, Plan
from argusic.runs.jobs.files import read_json, set_outputs
from argusic.site.figures import counted


def register(group: typer.Typer) -> None:
    """Add the command to the group `cycle`."""
    group.command("collect")(collect)


def collect(
    cycle: Annotated[str, typer.Argument(metavar="CYCLE", help="The cycle's id.")],
    plan: Annotated[Path, typer.Option("--plan", metavar="FILE", help="What `argusic cycle plan --jobs` wrote.")],
    to: Annotated[Path, typer.Option("--to", metavar="FOLDER", help="A new folder for what is collected.")],
    workflow_run: Annotated[
        int | None, typer.Option("--workflow-run", metavar="N", help="The workflow run on GitHub that made it.")
    ] = None,
    given: Annotated[
        Path | None,
        typer.Option("--from", metavar="FOLDER", help="A folder with an `attempt-JOB-N` (folder or .zip) a job."),
    ] = None,
    leave_out: Annotated[
        bool, typer.Option("--leave-out", help="Go on without what is refused or was dropped; it is stated.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Take what the jobs of a plan handed over, prove all of it again, and lay it out for signing.

    Of an artifact that is wrong in anything nothing is taken. Ends with status 1, and writes nothing, where one was
    refused or dropped, or where there is nothing to collect.
    """
    from argusic.evidence.signing.digests import digests_of
    from argusic.github.ladder.artifacts import Found, found_in, found_on
    from argusic.github.ladder.collecting import Collecting
    from argusic.github.ladder.writing import must_be_new, write_collected

    base = database()
    planned = read_json(plan, Plan)
    if planned.cycle != cycle:
        raise InputError(f"is a plan for cycle {planned.cycle}, not for {cycle}.", place=Place(plan))
    if (workflow_run is None) == (given is None):
        raise InputError("name either a workflow run with --workflow-run, or a folder with --from.")
    must_be_new(to)
    with tempfile.TemporaryDirectory(prefix="argusic-collecting-") as name:
        scratch = Path(name)
        collecting = Collecting(base, planned, scratch, datetime.now(UTC))
        found: Found
        if given is not None:
            found = found_in(given, planned)
        else:
            assert workflow_run is not None, "one of the two is given"
            from argusic.github.pygithub_forge import GitHubForge

            (scratch / "artifacts").mkdir()
            found = found_on(GitHubForge.of_environment(os.environ), workflow_run, planned, scratch / "artifacts")
        with _bar() as progress:
            made = collecting.gather(found, progress)
        collected, written = made.collected, False
        if (leave_out or not collected.refused) and (made.taken or not planned.jobs):
            digests = digests_of(made.overlay.database, cycle, collected.runs)
            write_collected(to, made.overlay, collected, digests)
            written = True
    set_outputs(os.environ, runs=len(collected.runs))

    def show(out: Console) -> None:
        _show(out, collected, made.there, made.queued)
        if written:
            out.print(f"written: {to}")

    plain: dict[str, Any] = collected.model_dump(mode="json", by_alias=True)
    emit(as_json, {**plain, "there": made.there, "queued": made.queued, "written": written}, show)
    if collected.refused and not leave_out:
        raise CheckFailed(
            f"{counted(len(collected.refused), 'artifact')} refused or dropped, and nothing was written.",
            advice="Read why, collect again where one was dropped, or go on without them with --leave-out.",
        )
    if not written:
        raise CheckFailed("no job handed anything over; nothing was written.")


def _show(out: Console, collected: Collected, there: tuple[str, ...], queued: dict[str, str]) -> None:
    for refused in collected.refused:
        out.print(f"{refused.name}: {refused.why}", style="bold red")
    for missing in collected.missing:
        who = f"{missing.subject} by {missing.agent}"
        out.print(f"job {missing.job}, {who}: {missing.why} It stays owed.", style="yellow")
    for name, why in sorted(queued.items()):
        out.print(f"{name}: an attempt is still owed, because {why}", style="yellow")
    if there:
        out.print(f"{counted(len(there), 'run')} of what was handed over are here already.")
    if collected.left:
        out.print(f"The plan left {counted(collected.left, 'cell')} to the next one.")
    size = sum(file.size for file in collected.files)
    jobs = counted(collected.planned, "job")
    out.print(
        f"Collected {counted(len(collected.runs), 'run')} of {jobs}: {len(collected.files):,} files, {size:,} bytes."
    )


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None]]:
    out = console(stderr=True)
    columns = (TextColumn("collecting"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=out, transient=True, disable=not out.is_terminal) as bar:
        task = bar.add_task("collecting", total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)
