"""`argusic pool add`: a new subject, looked up, pinned, and written into the pool."""

from __future__ import annotations

import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer
from rich.console import Console

from argusic.cli import context, typed
from argusic.cli.context import database
from argusic.cli.equip import equipped
from argusic.cli.output import console, emit, printable
from argusic.cli.pool_asking import ask_for_missing, ask_for_tier
from argusic.cli.targets import KindOption, TargetArgument, chosen_kind
from argusic.database.database import Database
from argusic.database.paths import cycle_path, subject_path
from argusic.database.writing import item
from argusic.errors import EnvironmentLack, InputError
from argusic.pool.adding import drafted, enter, entry_of, free_slug, known, may_enter
from argusic.pool.criteria import documented, let_in, tier_of
from argusic.pool.kinds.protocol import Resolved, SubjectKind, SubjectUnavailable
from argusic.pool.licences import read_licence
from argusic.records.base import Tier
from argusic.records.facts import in_words
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
    target: TargetArgument,
    kind: KindOption = None,
    slug: Annotated[str | None, typer.Option(help="Its name in paths; by default made of its public name.")] = None,
    summary: Annotated[str | None, typer.Option(help="One sentence that says what it does.")] = None,
    licence: Annotated[str | None, typer.Option(help="Its licence, as an SPDX expression.")] = None,
    licence_by: Annotated[
        str | None,
        typer.Option("--licence-by", metavar="WHO: WHY", help="Who lets it in though its licence is not permissive."),
    ] = None,
    language: Annotated[list[str] | None, typer.Option(help="A language it is written in; repeatable.")] = None,
    desktop: Annotated[
        bool, typer.Option("--desktop", help="It is an application with windows: its attempts get a display.")
    ] = False,
    tier: Annotated[str | None, typer.Option(help=f"Its time budget: {', '.join(get_args(Tier))}.")] = None,
    heavy: Annotated[
        str | None, typer.Option(metavar="WHO, DAY", help="Who marks it heavy and when: it gets the heavy tier.")
    ] = None,
    cycle: Annotated[str | None, typer.Option(help="The cycle that is to test it: its pin is added there.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Ask nothing; what is not given stays empty.")] = False,
    sandbox: Annotated[str, typer.Option(help="The sandbox that looks it up.")] = "bubblewrap",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document; asks nothing.")] = False,
) -> None:
    """Look a subject up, pin what is newest, and write it into the pool.

    It needs a permissive licence and documentation to follow. What its own metadata does not say is asked for.
    """
    base = database()
    wanted = _tier(tier)
    if cycle is not None:
        base.cycle(cycle)
    asks = _asks(yes, as_json)
    chosen = chosen_kind(target, kind, asks=asks)
    found = _look_up(base, chosen, target, sandbox, quiet=as_json)
    said = console(stderr=True)
    for note in found.notes:
        said.print(printable(f"Note: {note}."))
    documented(found.name, found)
    if licence is not None and found.licence is not None and read_licence(licence) != read_licence(found.licence):
        said.print(printable(f"Note: its own metadata says {found.licence!r}, not {licence!r}."))
    subject = known(base, chosen.kind, found)
    new = subject is None
    if asks:
        said.print(printable(f"{found.name}: {in_words(found.pin)}"))
    if subject is None:
        name = slug if slug is not None else free_slug(base, chosen.kind, found)
        facts: dict[str, Any] = {
            "summary": summary if summary is not None else found.summary,
            "licence": licence if licence is not None else found.licence,
            "licence_by": licence_by,
            "languages": language or list(found.languages),
        }
        if asks:
            facts = ask_for_missing(said, found, facts)
        facts["licence"], facts["licence_by"] = let_in(found.name, facts["licence"], facts["licence_by"])
        subject = drafted(chosen.kind, name, found, **facts, desktop=desktop)
    elif cycle is None:
        raise InputError(f"The pool has {subject.ref} already.", advice="Add it to a cycle with --cycle.")
    if cycle is not None:
        may_enter(base, cycle, subject.ref)
    if asks:
        wanted, heavy = ask_for_tier(said, found, wanted, heavy)
    entry = entry_of(subject, found, *tier_of(found.name, found, wanted, heavy, datetime.now(UTC).date()))
    if asks and not _confirmed(said, subject, entry):
        raise typer.Exit(1)
    path = subject_path(subject.kind, subject.slug)
    if new:
        base.write(path, subject)
    if cycle is not None:
        try:
            enter(base, cycle, entry)
        except InputError:
            if new:
                base.remove(path)
            raise
    data = {
        "subject": subject.ref,
        "path": str(path),
        "new": new,
        "licence": subject.licence,
        "licence_by": subject.licence_by,
        "entry": entry,
        "cycle": None if cycle is None else str(cycle_path(cycle)),
        "notes": list(found.notes),
    }
    emit(as_json, data, lambda out: _show(out, data, cycle))


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


def _tier(named: str | None) -> Tier | None:
    tiers = get_args(Tier)
    if named is not None and named not in tiers:
        raise InputError(f"There is no tier {named!r}.", advice=f"There are exactly {len(tiers)}: {', '.join(tiers)}.")
    return cast(Tier, named) if named is not None else None


def _confirmed(said: Console, subject: Subject, entry: dict[str, Any]) -> bool:
    shown = {
        "subject": f"{subject.ref}, {subject.name}",
        "summary": subject.summary or "none",
        "licence": subject.licence or "not known",
        "let in by": subject.licence_by,
        "languages": ", ".join(subject.languages) or "none",
        "tier": ", ".join(filter(None, (entry["tier"], entry.get("heavy_by")))),
    }
    for label, value in shown.items():
        if value is not None:
            said.print(f"  {label:<10}{printable(value)}")
    return typer.confirm("Write it?", default=True, err=True)


def _show(out: Console, data: dict[str, Any], cycle: str | None) -> None:
    out.print(f"{'Written' if data['new'] else 'In the pool already'}: {data['path']}")
    if cycle is None:
        out.print("To test it, add this to the subjects of a cycle that is open:")
        out.print(item(data["entry"]).rstrip("\n"))
        out.print("Then make one attempt:")
    else:
        out.print(f"Added with its pin: {data['cycle']}")
        out.print("To make one attempt:")
    words = f"attempt {cycle or 'CYCLE'} {data['subject']} newcomer"
    out.print(f"  {typed.command(words, context.chosen())}")
