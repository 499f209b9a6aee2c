"""`argusic keys list|sweep`: the model keys of this repository's runs, and deleting those that no running job owns.

`keys_issue` owns those that are issued for other jobs.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from argusic.cli import keys_issue
from argusic.cli.context import database
from argusic.cli.output import emit
from argusic.database.codec import read_file, read_record
from argusic.database.database import Database
from argusic.database.reading import parse
from argusic.errors import ArgusicError, CheckFailed
from argusic.evidence.keys import KeyFolder
from argusic.evidence.sealing.configurations import exact_configuration
from argusic.pool.agents import configuration_in
from argusic.records.base import format_time
from argusic.records.configuration import Configuration, OpenConfiguration
from argusic.runs.keys import sweeping
from argusic.runs.keys.sweeping import FoundKey, Place, Trouble

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
_Configurations = Annotated[
    list[Path] | None,
    typer.Option(
        "--configuration",
        metavar="FILE",
        help="A sealed agent's configuration, whose key provider is asked too; may be repeated.",
    ),
]
_Running = Annotated[
    list[str] | None,
    typer.Option("--running", metavar="RUN", help="A run that goes on on another machine; may be repeated."),
]
_SAYS = {
    "running": "its run goes on",
    "nobody": "nobody's",
    "elsewhere": "of a run that another machine may be making",
}


def register(app: typer.Typer) -> None:
    """Add the group `keys`."""
    group = typer.Typer(help="The model keys of runs.", no_args_is_help=True)
    group.command("list")(show)
    group.command("sweep")(sweep)
    keys_issue.register(group)
    app.add_typer(group, name="keys")


def show(configuration: _Configurations = None, running: _Running = None, as_json: _Json = False) -> None:
    """List the keys of this repository's runs that key providers know of, and whose each is."""
    base = database()
    asked, sealed = _places(base, configuration)
    found, troubles = sweeping.find(base, asked, os.environ, running or ())

    def render(out: Console) -> None:
        for one in found:
            out.print(_line(one))
        if not found and not troubles:
            out.print(_nothing(asked, "there is no key of a run"))
        _sealed(out, sealed)
        _complain(out, troubles)

    data = {
        "keys": [_plain(one) for one in found],
        "not_asked": sealed,
        "troubles": [_trouble(one) for one in troubles],
    }
    emit(as_json, data, render)
    _end(troubles)


def sweep(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be deleted.")] = False,
    everywhere: Annotated[
        bool,
        typer.Option(
            "--everywhere",
            help="Delete the keys of other machines' runs too, but for those that --running names; "
            "without it they are left until they expire.",
        ),
    ] = False,
    running: _Running = None,
    configuration: _Configurations = None,
    as_json: _Json = False,
) -> None:
    """Delete each key that no running job owns. Safe to run at any time, twice and at once."""
    base = database()
    asked, sealed = _places(base, configuration)
    done = sweeping.sweep(base, asked, os.environ, everywhere=everywhere, elsewhere=running or (), dry=dry_run)

    def render(out: Console) -> None:
        for one in done.deleted:
            out.print(f"{'would be deleted' if dry_run else 'deleted'}: {_line(one)}")
        for one in done.left:
            out.print(f"left: {_line(one)}")
        if not done.deleted and not done.troubles:
            out.print(_nothing(asked, "there is no key to delete"))
        _sealed(out, sealed)
        _complain(out, done.troubles)

    data = {
        "dry_run": dry_run,
        "deleted": [_plain(one) for one in done.deleted],
        "left": [_plain(one) for one in done.left],
        "not_asked": sealed,
        "troubles": [_trouble(one) for one in done.troubles],
    }
    emit(as_json, data, render)
    _end(done.troubles)


def _places(base: Database, files: list[Path] | None) -> tuple[list[Place], list[str]]:
    """Return the services to ask: of the agents, of the files that were named, and of keys asked for here.

    Returns:
        The services, and the agents whose configuration no key here opens.
    """
    opened: list[Configuration | OpenConfiguration] = []
    sealed = []
    for agent in base.agents():
        try:
            exact = exact_configuration(base, agent, KeyFolder.of_user())
        except ArgusicError:
            sealed.append(agent.agent)
        else:
            opened += [exact] if exact is not None else []
    opened += [_configuration(file) for file in files or ()]
    named = {one.agent for one in opened if isinstance(one, Configuration)}
    return sweeping.places(base, opened), sorted(set(sealed) - named)


def _configuration(file: Path) -> Configuration | OpenConfiguration:
    """Return what a file holds: what `argusic agent seal` was given, or what it made of that."""
    parsed = parse(read_file(file), file=file)
    if isinstance(parsed, dict) and "schema" not in parsed:
        return configuration_in(file)
    return read_record(file, Configuration)


def _sealed(out: Console, agents: list[str]) -> None:
    if agents:
        out.print(
            f"Sealed, and no key here opens it, so that its key provider was not asked: {', '.join(agents)}. "
            "Name its configuration with --configuration."
        )


def _nothing(asked: list[Place], words: str) -> str:
    if not asked:
        return "No agent's keys are issued by a service, and none was asked for here: there is nothing to look through."
    return f"At {', '.join(place.name for place in asked)} {words}."


def _line(one: FoundKey) -> str:
    until = f", until {format_time(one.key.expires)}" if one.key.expires is not None else ""
    return f"{one.key.run}, {one.place.name}: {_SAYS[one.owner]}{until}"


def _plain(one: FoundKey) -> dict[str, Any]:
    return {
        "run": one.key.run,
        "key": one.key.key,
        "provider": one.place.key.provider,
        "url": one.place.key.url or one.place.model_url,
        "owner": one.owner,
        "expires": format_time(one.key.expires) if one.key.expires is not None else None,
    }


def _trouble(one: Trouble) -> dict[str, str]:
    return {"provider": one.place.key.provider, "url": one.place.key.url or one.place.model_url, "what": one.what}


def _complain(out: Console, troubles: list[Trouble]) -> None:
    for one in troubles:
        out.print(f"{one.place.name}: {one.what}", style="red")


def _end(troubles: list[Trouble]) -> None:
    if troubles:
        raise CheckFailed("not every key provider did what it was asked; keys may be left.", advice="Run it again.")
