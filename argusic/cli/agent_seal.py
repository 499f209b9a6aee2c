"""`argusic agent seal|reveal`: a configuration that is committed to now and shown later."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated

import typer
from pyrage import x25519
from rich.console import Console

from argusic.cli.agent import JsonOption, Name, SponsorOption, TitleOption, plain_agent, write_new
from argusic.cli.context import database
from argusic.cli.output import emit
from argusic.database.database import Database
from argusic.database.paths import agent_path, revealed_path
from argusic.errors import InputError, Place
from argusic.evidence.identity import commitment
from argusic.evidence.keys import KeyFolder, refuse_inside_a_repository
from argusic.evidence.sealing.configurations import new_salt, seal_configuration, unseal_configuration
from argusic.evidence.sealing.configurations import reveal as reveal_configuration
from argusic.evidence.sealing.keys import agent_private_keys, ensure_agent_key, ensure_recovery_key, identities
from argusic.evidence.stores.configured import store_of
from argusic.pool.agents import configuration_in
from argusic.records.agent import OF_CLASS, Agent
from argusic.records.configuration import Configuration
from argusic.referee.findings import stated
from argusic.site.figures import counted

IdentityOption = Annotated[
    Path | None, typer.Option("--identity", metavar="FILE", help="A file of age with a private key that opens it.")
]


def seal(
    agent: Name,
    title: TitleOption,
    configuration: Annotated[
        Path, typer.Option("--configuration", metavar="FILE", help="Its exact configuration: model, program and key.")
    ],
    reveal_on: Annotated[
        str | None, typer.Option(metavar="DATE", help="The day by which it is revealed; else on request.")
    ] = None,
    recipient: Annotated[
        list[str] | None,
        typer.Option("--recipient", metavar="AGE", help="A further maintainer's public key of age; may be repeated."),
    ] = None,
    sponsor: SponsorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add an agent whose configuration is sealed: its file commits to it, and only its holders can read it.

    FILE is as for `argusic agent add`, and lies outside of the repository. A fresh salt goes in, so that nobody can
    guess it. It is encrypted to a key of this agent's own, to your recovery key and to any further recipient, and kept
    in the evidence store, never in git.
    """
    base = database()
    if configuration.resolve().is_relative_to(base.root):
        raise InputError(
            "lies in the repository, and what is to be sealed would be one careless `git add` away from everybody.",
            place=Place(configuration),
            advice="Move it elsewhere first.",
        )
    given = configuration_in(configuration)
    program = "program" if given.program is not None else "shell"
    facts = {
        "agent": agent, "title": title, "role": "agent", "program": program,
        "implementation": OF_CLASS[program],
        "sponsor": sponsor,
    }  # fmt: skip
    # Whatever is wrong with the words is said before a key is made and anything is stored.
    write_new(base, stated(Agent, **facts, configuration=given), only_check=True)
    if reveal_on is not None:
        _must_be_ahead(reveal_on)
    exact = Configuration(agent=agent, salt=new_salt(), model=given.model, program=given.program, key=given.key)
    keys = KeyFolder.of_user()
    refuse_inside_a_repository(keys.folder, base.root)
    to = [ensure_agent_key(keys, agent), ensure_recovery_key(keys), *(recipient or ())]
    sealed = seal_configuration(exact, store_of(base), to)
    made = stated(Agent, **facts, commitment=commitment(exact), sealed=sealed, reveal_on=reveal_on)
    path = write_new(base, made)

    def render(out: Console) -> None:
        out.print(f"written: {path}")
        out.print(f"It commits to sha256 {made.commitment}.")
        out.print(f"Sealed to {counted(len(sealed.recipients), 'key')}; your private ones are in {keys.folder}.")
        out.print(f"What was sealed lies in the evidence store alone ({base.store_folder}): keep a copy of both.")

    emit(as_json, {"written": [path], **plain_agent(base, made)}, render)


def reveal(agent: Name, identity: IdentityOption = None, as_json: JsonOption = False) -> None:
    """Reveal a sealed configuration: a new file that anyone can compare with what was committed to."""
    base = database()
    record = base.agent(agent)
    reveal_configuration(base, record, _keys(record, identity))
    path = str(revealed_path(agent))

    def render(out: Console) -> None:
        out.print(f"written: {path}")
        out.print(f"`sha256sum {path}` gives what {agent_path(agent)} commits to; `argusic verify` compares the two.")

    emit(as_json, {"written": [path], **plain_agent(base, record)}, render)


def opened(base: Database, agent: Agent, identity: Path | None) -> Configuration:
    """Return the sealed configuration of an agent, for whoever holds a key to it.

    Raises:
        InputError: Nothing of it is sealed, or there is no key here that opens it.
        CheckFailed: What was sealed is not in the evidence store, or is not what was committed to.
    """
    return unseal_configuration(agent, store_of(base), _keys(agent, identity))


def _keys(agent: Agent, identity: Path | None) -> list[x25519.Identity]:
    if agent.sealed is None:
        return []  # That nothing is sealed is said by whoever was to open it.
    if identity is None:
        texts = agent_private_keys(KeyFolder.of_user(), agent.agent)
    else:
        try:
            texts = [identity.read_text(encoding="utf-8")]
        except (OSError, UnicodeDecodeError):
            raise InputError("cannot be read.", place=Place(identity)) from None
    return [key for text in texts for key in identities(text)]


def _must_be_ahead(day: str) -> None:
    try:
        ahead = date.fromisoformat(day) >= datetime.now(UTC).date()
    except ValueError:
        raise InputError(f"--reveal-on is a date such as 2027-01-31, not {day!r}.") from None
    if not ahead:
        raise InputError(f"--reveal-on is {day}, which is over: leave it out, or use `argusic agent add`.")
