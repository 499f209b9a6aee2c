"""`argusic evidence sign|open|collect|fetch|render|play`: signing what was collected, and opening what was sealed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from argusic.cli import recipients, reel, stores
from argusic.cli.context import database
from argusic.cli.output import emit
from argusic.cli.signing import plain_batch, sign_with_progress
from argusic.cli.signing_digests import sign_given
from argusic.database.database import Database
from argusic.errors import InputError, Place
from argusic.evidence.keys import KeyFolder
from argusic.evidence.layout import MANIFEST_NAME
from argusic.evidence.sealing.keys import identities, private_keys
from argusic.evidence.sealing.sealing import unseal
from argusic.evidence.stores.configured import store_of
from argusic.records.manifest import Manifest
from argusic.referee.findings import find_run

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def register(app: typer.Typer) -> None:
    """Add the group `evidence`."""
    group = typer.Typer(
        help="Signing what was collected, opening what was sealed, where evidence is kept, and how it is shown.",
        no_args_is_help=True,
    )
    group.command("sign")(sign)
    group.command("open")(open_sealed)
    recipients.register(group)
    stores.register(group)
    reel.register(group)
    app.add_typer(group, name="evidence")


def sign(
    cycle: Annotated[str, typer.Argument(metavar="CYCLE", help="The cycle's id.")],
    authority: Annotated[
        str, typer.Option(help="`local`, `public`, or `any`: your local authority if you have one, else the public.")
    ] = "any",
    digests: Annotated[
        Path | None,
        typer.Option("--digests", metavar="FILE", help="Sign these digests of collected runs, which are not here."),
    ] = None,
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FOLDER", help="Where the signatures over digests go.")
    ] = None,
    as_json: _Json = False,
) -> None:
    """Sign every run of a cycle that is not signed yet as one batch, and its close if it is closed.

    With --digests and --to, sign what another job collected and proved again: this one has neither the runs nor a file.
    """
    # Loading the library that signs takes longer than most commands.
    from argusic.evidence.signing.authorities import choose
    from argusic.evidence.signing.closing import close_is_unsigned, sign_close

    if authority not in ("any", "local", "public"):
        raise InputError(f"--authority is any, local or public, not {authority!r}.")
    base = database()
    base.cycle(cycle)
    if (digests is None) != (to is None):
        raise InputError("--digests and --to go together.")
    if digests is not None and to is not None:
        sign_given(base, cycle, digests, to, authority, as_json=as_json)
        return
    chosen = choose(KeyFolder.of_user(), authority)  # type: ignore[arg-type]
    made = sign_with_progress(base, cycle, chosen)
    if close_is_unsigned(base, cycle):
        made.append(sign_close(base, cycle, chosen))

    def show(out: Console) -> None:
        for one in made:
            out.print(f"written: {one.path} ({one.runs} runs, {one.files} files)")
        out.print(f"Signed by {chosen.name}." if made else "Everything is signed already.")

    emit(as_json, {"authority": chosen.name, "signed": [plain_batch(one) for one in made]}, show)


def open_sealed(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The run's id.")],
    file: Annotated[
        list[str] | None, typer.Option("--file", metavar="NAME", help="Only this file; may be repeated.")
    ] = None,
    identity: Annotated[
        Path | None, typer.Option("--identity", metavar="FILE", help="A file of age with a private key.")
    ] = None,
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FOLDER", help="Where the files go. Default: ./RUN, made new.")
    ] = None,
    as_json: _Json = False,
) -> None:
    """Decrypt a run's sealed raw files and check that they are what was recorded."""
    base = database()
    stored = find_run(base, run)
    manifest = base.read(stored.folder / MANIFEST_NAME, Manifest)
    sealed = {entry.name: entry for entry in manifest.sealed or ()}
    for name in file or ():
        if name not in sealed:
            raise InputError(f"run {run} has no sealed {name}; it has: {', '.join(sealed) or 'none'}.")
    if not sealed:
        raise InputError(f"run {run} has no sealed file: its raw evidence is public as it is.")
    folder = (to or Path(run)).resolve()
    _refuse_inside(base, folder)
    reel.must_be_folder(folder)
    texts = _texts(identity) if identity is not None else private_keys(KeyFolder.of_user(), manifest.cycle)
    keys = [key for text in texts for key in identities(text)]
    store = store_of(base)
    opened = [unseal(sealed[name], store, keys, folder) for name in (file or sealed)]

    def show(out: Console) -> None:
        for path in opened:
            out.print(f"opened: {path}")
        out.print("Each is, by its fingerprint, what was recorded. It may hold live credentials: delete it after use.")

    emit(as_json, {"run": run, "opened": [str(path) for path in opened]}, show)


def _refuse_inside(base: Database, folder: Path) -> None:
    if folder.is_relative_to(base.root):
        raise InputError(
            "lies in the repository, and what is sealed may hold credentials.",
            place=Place(folder),
            advice="Name a folder elsewhere with --to.",
        )


def _texts(identity: Path) -> list[str]:
    try:
        return [identity.read_text(encoding="utf-8")]
    except (OSError, UnicodeDecodeError):
        raise InputError("cannot be read.", place=Place(identity)) from None
