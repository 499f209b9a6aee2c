"""`argusic trust init`: a local signing authority, for laptops, private forks and tests."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from argusic.cli.context import database
from argusic.cli.output import emit
from argusic.database.database import Database
from argusic.database.paths import TRUST_PATH
from argusic.errors import InputError
from argusic.evidence.keys import KeyFolder, refuse_inside_a_repository
from argusic.evidence.sealing.keys import ensure_recovery_key
from argusic.evidence.trust.authority import LocalAuthority
from argusic.evidence.trust.publishing import publish as publish_own
from argusic.evidence.trust.starting import own_trust, start_authority, trust_own


def register(app: typer.Typer) -> None:
    """Add the group `trust`."""
    group = typer.Typer(help="Who may sign evidence, and with what.", no_args_is_help=True)
    group.command("init")(init)
    app.add_typer(group, name="trust")
    group.callback()(_group)


def _group() -> None:
    """Who may sign evidence, and with what."""


def init(
    name: Annotated[
        str | None, typer.Option(help="What the authority is called. Default: your user and machine name.")
    ] = None,
    publish: Annotated[
        bool, typer.Option("--publish", help="Also state in rules/trust/policy.yaml that it may sign.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Make a local signing authority. Its private keys go to your own folder (ARGUSIC_KEYS), never to a repository."""
    keys = KeyFolder.of_user()
    base = _database(needed=publish)
    root = base.root if base else None
    refuse_inside_a_repository(keys.folder, root)
    # One that is there already may still be published.
    known = publish and LocalAuthority.exists(keys)
    authority = LocalAuthority(keys) if known else start_authority(keys, name, root=root)
    trust_file = trust_own(keys, authority)
    recovery = ensure_recovery_key(keys)
    if publish and base is not None:
        publish_own(base, own_trust(authority))
    data = {
        "name": authority.name,
        "fingerprint": authority.root().fingerprint,
        "keys": str(keys.folder),
        "trust": str(trust_file),
        "recovery_key": recovery,
        "published": str(TRUST_PATH) if publish else None,
    }
    emit(as_json, data, lambda out: _show(out, data))


def _database(*, needed: bool) -> Database | None:
    try:
        return database()
    except InputError:
        if needed:
            raise
        return None


def _show(out: Console, data: dict[str, str | None]) -> None:
    out.print(f"The local authority {data['name']}, fingerprint {data['fingerprint']}.")
    out.print(f"Its private keys are in {data['keys']}; keep them to yourself and make a copy on paper or a stick.")
    out.print(f"You trust it from now on, by {data['trust']}. Others do if you give them that file:")
    out.print(f"  argusic verify --trust {Path(str(data['trust'])).name}")
    if data["published"]:
        out.print(f"written: {data['published']}")
    out.print(f"The recovery key for sealed evidence is {data['recovery_key']}.")
