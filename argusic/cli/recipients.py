"""`argusic evidence recipients|archive`: what raw evidence is sealed to, and where it goes that machines sent along."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from argusic.cli.context import database
from argusic.cli.output import emit
from argusic.database.paths import recipients_path
from argusic.errors import InputError, Place
from argusic.evidence.keys import KeyFolder
from argusic.evidence.sealing.keys import ensure_recipients, identities
from argusic.site.figures import counted


def register(group: typer.Typer) -> None:
    """Add the command to the group `evidence`."""
    group.command("recipients")(recipients)
    group.command("archive")(archive)


def recipients(
    cycle: Annotated[str, typer.Argument(metavar="CYCLE", help="The cycle's id.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Show the public keys that a cycle's raw evidence is sealed to, and make them where there are none yet.

    The private halves stay in your folder of keys. Make them before a workflow runs the cycle: a machine that is thrown
    away after its job keeps no key that could ever open anything.
    """
    base, keys = database(), KeyFolder.of_user()
    base.cycle(cycle)
    path = recipients_path(cycle)
    new = not base.holds(path)
    if new and base.close(cycle) is not None:
        raise InputError(f"cycle {cycle} is closed, and nothing more is sealed in it.")
    made = ensure_recipients(base, cycle, keys)

    def show(out: Console) -> None:
        if new:
            out.print(f"written: {path}. Commit it. The private keys are in {keys.folder}: keep a copy elsewhere.")
        out.print(f"the cycle's own key: {made.cycle_key}")
        out.print(f"the recovery key:    {made.recovery_key}")

    plain = {"path": str(path), "new": new, "cycle_key": made.cycle_key, "recovery_key": made.recovery_key}
    emit(as_json, plain, show)


def archive(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="What jobs wrote with `cycle run --sealed`.")],
    identity: Annotated[Path, typer.Option("--identity", metavar="FILE", help="The private key that opens them.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Put the sealed raw files that jobs' machines sent along into the evidence store here. They stay sealed.

    The manifests of their runs must be here. When all have arrived, destroy the private key: then nobody opens a copy
    of what was sent any more. `argusic evidence collect` takes them further, where the store says so.
    """
    from argusic.runs.jobs.sealed_along import archive as put

    base = database()
    try:
        keys = identities(identity.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        raise InputError("cannot be read.", place=Place(identity)) from None
    kept = sorted({sha256 for file in files for sha256 in put(base, file, keys)})

    def show(out: Console) -> None:
        out.print(f"kept: {counted(len(kept), 'sealed raw file')} in {base.store_folder}")

    emit(as_json, {"kept": kept}, show)
