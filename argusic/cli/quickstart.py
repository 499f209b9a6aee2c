"""`argusic quickstart`: a small real cycle in a scratch copy of the database, down to the site."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from argusic.cli import typed
from argusic.cli.context import database
from argusic.cli.cycle import summary
from argusic.cli.equip import equipped
from argusic.cli.held import show_held
from argusic.cli.output import emit
from argusic.cli.signing import Sign, SignOption, sign_collected
from argusic.cli.site import built_with_progress
from argusic.cli.verdicts import show_cycle
from argusic.database.database import Database
from argusic.errors import ArgusicError, InputError
from argusic.evidence.keys import KeyFolder
from argusic.pool.scratch import make_scratch
from argusic.referee.recompute import recompute
from argusic.runs.conditions import held_conditions
from argusic.runs.cycle import run_cycle, still_owed
from argusic.sandbox.registry import providers
from argusic.site.build import default_folder

#: The cycle that it runs.
CYCLE = "quickstart"


def quickstart(
    sign: SignOption = Sign.any,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Run a small real cycle in a scratch copy of the database, sign it, and build its site."""
    base = _scratch(database())
    cycle = base.cycle(CYCLE)
    with equipped(base, cycle.sandbox, quiet=as_json) as equipment:
        finished = run_cycle(equipment, cycle, providers())
    if finished.stopped:
        sys.exit(130)
    note = ensure_authority(base) if sign is Sign.any else None
    signing = sign_collected(base, CYCLE, sign, finished.attempted)
    recompute(base)
    built = built_with_progress(base, default_folder(base))
    data: dict[str, Any] = {"repository": str(base.root), "site": str(built.folder), **summary(base, finished)}
    data["signing"] = signing.plain()

    def show(out: Console) -> None:
        show_cycle(out, base, cycle)
        for cell, why in finished.given_up:
            out.print(f"Left {cell.subject} by {cell.agent} after invalid runs in a row: {why}", style="yellow")
        show_held(out, base, CYCLE)
        if note is not None:
            out.print(note)
        signing.show(out)
        if signing.signed:
            out.print("Check every fingerprint and signature with:")
            out.print(f"  {typed.command('verify', base.root)}")
        out.print(f"The site is in {typed.path(built.folder)} ({built.pages} pages). See it with:")
        out.print(f"  {typed.command('site serve', base.root)}")

    emit(as_json, data, show)
    signing.check()
    if finished.given_up:
        sys.exit(1)


def ensure_authority(base: Database) -> str | None:
    """Make the user a local authority where nobody can sign here yet, and return what to say of it."""
    from argusic.evidence.signing.available import can_sign

    keys = KeyFolder.of_user()
    if can_sign(keys):
        return None
    from argusic.evidence.trust.starting import start_authority

    try:
        authority = start_authority(keys, root=base.root)
    except (ArgusicError, OSError) as error:
        return f"No signing authority could be made: {error}"
    return f"Made the local signing authority {authority.name}; its private keys are in {typed.path(keys.folder)}."


def _scratch(origin: Database) -> Database:
    """Return the scratch database: an unfinished one to go on with, else a fresh one."""
    folder = origin.root / ".argusic" / "quickstart"
    if folder.is_dir():
        base = Database(folder, cache_folder=origin.cache_folder)
        if _same_rules(origin, base) and _same_conditions(base) and still_owed(base, base.cycle(CYCLE)):
            return base
        shutil.rmtree(folder)
    folder.parent.mkdir(exist_ok=True)
    return make_scratch(origin, folder, pool=True)


def _same_rules(origin: Database, scratch: Database) -> bool:
    """Return whether the scratch copy's rules and pool are still those of its origin."""
    return all(_files(origin.root / name) == _files(scratch.root / name) for name in ("rules", "pool"))


def _same_conditions(scratch: Database) -> bool:
    """Return whether this program gives attempts what those that are there had."""
    try:
        held_conditions(scratch, scratch.cycle(CYCLE))
    except InputError:
        return False
    return True


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def register(app: typer.Typer) -> None:
    """Add the command `quickstart`."""
    app.command("quickstart")(quickstart)
