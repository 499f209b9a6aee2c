"""`argusic site`: build the public site from the database, and look at it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from argusic.cli import context, typed
from argusic.cli.output import console, emit
from argusic.database.database import Database
from argusic.errors import InputError
from argusic.site.build import MARKER, Built, build, default_folder
from argusic.site.figures import counted, size
from argusic.site.serve import LOOPBACK, server


def register(app: typer.Typer) -> None:
    """Add the command group."""
    group = typer.Typer(help="The public site, generated from the database alone.", no_args_is_help=True)
    group.command("build")(build_site)
    group.command("serve")(serve_site)
    app.add_typer(group, name="site")


def build_site(
    out: Annotated[Path | None, typer.Option("--out", help="Where to build; by default .argusic/site.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Build the site, strictly: a warning is an error."""
    database = context.database()
    built = built_with_progress(database, out or default_folder(database))
    serving = "site serve" if out is None else f"site serve --dir {shlex.quote(str(out))}"
    emit(as_json, _data(built), lambda screen: _say(screen, built, typed.command(serving, context.chosen())))


def serve_site(
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 takes a free one.")] = 8000,
    folder: Annotated[Path | None, typer.Option("--dir", help="A built site; by default .argusic/site.")] = None,
) -> None:
    """Serve a built site to this machine alone, building it first where there is none."""
    database = context.database()
    place = folder or default_folder(database)
    if not (place / MARKER).is_file():
        if folder is not None:
            build_one = typed.command(f"site build --out {shlex.quote(str(folder))}", context.chosen())
            raise InputError(f"{folder} holds no built site.", advice=f"Build one: {build_one}")
        built_with_progress(database, place)
    try:
        serving = server(place, port)
    except OSError as error:
        what = f"port {port} cannot be served: {error.strerror}."
        raise InputError(what, advice="Name another with --port.") from error
    with serving:
        console().print(f"http://{LOOPBACK}:{serving.server_address[1]}/ shows {place}. Ctrl-C stops it.")
        try:
            serving.serve_forever()
        except KeyboardInterrupt:
            console().print("Stopped.")


def built_with_progress(database: Database, out: Path) -> Built:
    """Build with a bar where somebody watches, and with a line a stage where nobody does."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        said: set[str] = set()

        def line(stage: str, done: int, of: int) -> None:
            if stage not in said:
                said.add(stage)
                screen.print(f"{stage} ...")

        return build(database, out, line)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=screen, transient=True) as bar:
        tasks: dict[str, Any] = {}

        def show(stage: str, done: int, of: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=of)
            bar.update(tasks[stage], completed=done, total=of)

        return build(database, out, show)


def _data(built: Built) -> dict[str, object]:
    made = built.generated
    return {
        "folder": str(built.folder),
        "pages": built.pages,
        "bytes": built.size,
        "subjects": made.subjects,
        "boards": made.boards,
        "runs": made.runs,
        "runs_without_recording": made.without_recording,
        "runs_without_log": made.without_log,
    }


def _say(screen: Console, built: Built, serving: str) -> None:
    made = built.generated
    screen.print(
        f"Built {counted(built.pages, 'page')} ({size(built.size)}) in {built.folder}: "
        f"{counted(made.subjects, 'subject')}, {counted(made.boards, 'board')}, {counted(made.runs, 'run')}."
    )
    for number, what in ((made.without_recording, "recording can be played"), (made.without_log, "log can be read")):
        if number:
            screen.print(f"No {what} of {counted(number, 'run')}; each page says why.")
    screen.print("See it with:")
    screen.print(f"  {serving}")
