"""`argusic pool add`: a new subject, looked up, pinned, and written into the pool."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from argusic.cli.context import database
from argusic.cli.equip import equipped
from argusic.cli.output import console, emit, printable
from argusic.database.database import Database
from argusic.database.paths import cycle_path, subject_path
from argusic.errors import EnvironmentLack, InputError
from argusic.pool.adding import drafted, enter, entry_of, free_slug, known, may_enter
from argusic.pool.kinds.protocol import Resolved, SubjectKind, SubjectUnavailable
from argusic.pool.kinds.registry import recognise
from argusic.records.subject import Subject
from argusic.runs.attempt import workshop
from argusic.runs.watching import Cancelled


def register(app: typer.Typer) -> None:
    """Add the command group `pool`."""
    group = typer.Typer(help="The pool: what is tested.", no_args_is_help=True)
    group.command("add")(add_command)
    # A callback keeps `add` a command of the group while it is the only one.
    group.callback()(_group)
    app.add_typer(group, name="pool")


def _group() -> None:
    """The pool: what is tested."""


def add_command(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="A git URL, a folder, or a package: NAME, npm:NAME.")],
    kind: Annotated[str | None, typer.Option(help="The kind, where the target could be of several.")] = None,
    slug: Annotated[str | None, typer.Option(help="Its name in paths; by default made of its public name.")] = None,
    summary: Annotated[str | None, typer.Option(help="One sentence that says what it does.")] = None,
    licence: Annotated[str | None, typer.Option(help="Its licence, as an SPDX expression.")] = None,
    language: Annotated[list[str] | None, typer.Option(help="A language it is written in; repeatable.")] = None,
    cycle: Annotated[str | None, typer.Option(help="The cycle that is to test it: its pin is added there.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Ask nothing; what is not given stays empty.")] = False,
    sandbox: Annotated[str, typer.Option(help="The sandbox that looks it up.")] = "bubblewrap",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document; asks nothing.")] = False,
) -> None:
    """Look a subject up, pin what is newest, and write it into the pool."""
    base = database()
    if cycle is not None:
        base.cycle(cycle)
    chosen = recognise(target, kind)
    found = _look_up(base, chosen, target, sandbox, quiet=as_json)
    said = console(stderr=True)
    for note in found.notes:
        said.print(printable(f"Note: {note}."))
    subject = known(base, chosen.kind, found)
    new = subject is None
    if subject is None:
        name = slug if slug is not None else free_slug(base, chosen.kind, found)
        facts: dict[str, Any] = {
            "summary": summary if summary is not None else found.summary,
            "licence": licence,
            "languages": language or [],
        }
        if _asks(yes, as_json):
            facts = _ask_for_missing(said, found, facts)
        subject = drafted(chosen.kind, name, found, **facts)
    elif cycle is None:
        raise InputError(f"The pool has {subject.ref} already.", advice="Add it to a cycle with --cycle.")
    if cycle is not None:
        may_enter(base, cycle, subject.ref)
    entry = entry_of(subject, found)
    if _asks(yes, as_json) and not _confirmed(said, subject, entry):
        raise typer.Exit(1)
    path = subject_path(subject.kind, subject.slug)
    if new:
        base.write(path, subject)
    if cycle is not None:
        enter(base, cycle, entry)
    data = {
        "subject": subject.ref,
        "path": str(path),
        "new": new,
        "entry": entry,
        "cycle": None if cycle is None else str(cycle_path(cycle)),
        "notes": list(found.notes),
    }
    emit(as_json, data, lambda out: _show(out, data))


def _look_up(base: Database, kind: SubjectKind, target: str, sandbox: str, *, quiet: bool) -> Resolved:
    base.work.mkdir(parents=True, exist_ok=True)
    with (
        equipped(base, sandbox, quiet=quiet) as equipment,
        tempfile.TemporaryDirectory(prefix="lookup-", dir=base.work.parent) as folder,
    ):
        try:
            with equipment.cancellation.interruptible():
                return kind.resolve(target, workshop(equipment, Path(folder), Path(folder).name))
        except Cancelled:
            sys.exit(130)
        except SubjectUnavailable as error:
            raise EnvironmentLack(f"{target} could not be reached: {error}.") from error


def _asks(yes: bool, as_json: bool) -> bool:
    """Return whether a person is to be asked.

    Raises:
        InputError: Nobody is there to ask.
    """
    if yes or as_json:
        return False
    if not sys.stdin.isatty():
        raise InputError("Nobody is at this terminal to be asked.", advice="Add --yes to write without being asked.")
    return True


def _ask_for_missing(said: Console, found: Resolved, facts: dict[str, Any]) -> dict[str, Any]:
    said.print(printable(f"{found.name}: {_in_words(found.pin.model_dump(mode='json'))}"))
    said.print("What is not known yet. Press Enter to leave it empty.")
    summary = facts["summary"] or typer.prompt("One sentence that says what it does", default="", show_default=False)
    licence = facts["licence"] or typer.prompt("Its licence, such as MIT", default="", show_default=False)
    languages = facts["languages"] or typer.prompt(
        "The languages it is written in, with commas", default="", show_default=False
    ).split(",")
    return {
        "summary": summary.strip() or None,
        "licence": licence.strip() or None,
        "languages": [one.strip() for one in languages if one.strip()],
    }


def _confirmed(said: Console, subject: Subject, entry: dict[str, Any]) -> bool:
    said.print(printable(f"{subject.ref}: {subject.name}; pinned: {_in_words(entry['pin'])}"))
    return typer.confirm("Write it?", default=True, err=True)


def _in_words(pin: dict[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in pin.items() if key != "kind")


def _show(out: Console, data: dict[str, Any]) -> None:
    out.print(f"{'Written' if data['new'] else 'In the pool already'}: {data['path']}")
    if data["cycle"] is not None:
        out.print(f"Added with its pin: {data['cycle']}")
        return
    out.print("To test it, add this to a cycle's subjects:")
    out.print(f"  - subject: {data['subject']}")
    out.print("    pin:")
    for key, value in data["entry"]["pin"].items():
        out.print(f'      {key}: "{value}"')
