"""`argusic agent add|seal|show|reveal|list`: the agents under test, with their configuration open or sealed."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from argusic.cli.context import database
from argusic.cli.output import emit, printable
from argusic.database.database import Database
from argusic.database.paths import agent_path, revealed_path
from argusic.errors import InputError, Place
from argusic.evidence.identity import disagreement
from argusic.pool.agents import configuration_in
from argusic.records.agent import OF_CLASS, Agent
from argusic.records.configuration import Configuration
from argusic.referee.findings import stated

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Name = Annotated[str, typer.Argument(metavar="AGENT", help="Its id.")]
TitleOption = Annotated[str, typer.Option("--title", help="The neutral name that it is shown under.")]
SponsorOption = Annotated[
    str | None, typer.Option("--sponsor", help="Who pays for its compute, as readers see it beside its results.")
]


class Program(StrEnum):
    """The classes that the board shows."""

    none = "none"
    shell = "shell"
    program = "program"


def register(app: typer.Typer) -> None:
    """Add the group `agent`."""
    from argusic.cli.agent_seal import reveal, seal

    group = typer.Typer(
        help="The agents under test: neutral names, and configurations that are open or sealed.", no_args_is_help=True
    )
    group.command("add")(add)
    group.command("seal")(seal)
    group.command("show")(show)
    group.command("reveal")(reveal)
    group.command("list")(list_agents)
    app.add_typer(group, name="agent")


def add(
    agent: Name,
    title: TitleOption,
    program: Annotated[
        Program, typer.Option("--program", help="Its class: no model, our shell agent, or an agent program of its own.")
    ],
    configuration: Annotated[
        Path | None,
        typer.Option("--configuration", metavar="FILE", help="Its exact configuration, where it uses a model."),
    ] = None,
    implementation: Annotated[
        str | None,
        typer.Option(help="What runs it, under argusic/runs/agents/. Default: its id without a model, else its class."),
    ] = None,
    sponsor: SponsorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add an agent whose configuration is open: everybody may read it in its file.

    FILE has the fields model (name, api, url, ...), program (adapter, version; for an agent program of its own) and key
    (provider, variable, ...). It holds no key: `variable` names the environment variable that does.
    """
    # Looking them up loads every agent, which takes a while.
    from argusic.runs.agents.registry import implementations, uses_model

    base = database()
    if (configuration is None) != (program is Program.none):
        raise InputError("--configuration is given for exactly those agents that use a model.")
    made = stated(
        Agent,
        agent=agent,
        title=title,
        role="agent",
        program=program.value,
        implementation=implementation or OF_CLASS.get(program.value, agent),
        configuration=None if configuration is None else configuration_in(configuration),
        sponsor=sponsor,
    )
    if made.implementation not in (known := implementations()):
        raise InputError(f"there is no implementation {made.implementation}.", advice=f"Known are: {', '.join(known)}.")
    if uses_model(made.implementation) != (configuration is not None):
        works = "with" if configuration is None else "without"
        raise InputError(f"the implementation {made.implementation} works {works} a model.")
    path = write_new(base, made)

    def render(out: Console) -> None:
        out.print(f"written: {path}")
        out.print("Name it in a cycle to test it. Once it has runs it stays what it is: another one is another agent.")

    emit(as_json, {"written": [path], **plain_agent(base, made)}, render)


def show(
    agent: Name,
    open_it: Annotated[
        bool, typer.Option("--open", help="Open a sealed configuration, with a key that you hold, and print it.")
    ] = False,
    identity: Annotated[
        Path | None, typer.Option("--identity", metavar="FILE", help="A file of age with a private key that opens it.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print what is known of an agent: class, configuration or commitment, sponsor, and how many runs it has."""
    base = database()
    record = base.agent(agent)
    data = plain_agent(base, record)
    if open_it:
        from argusic.cli.agent_seal import opened

        data["configuration"] = opened(base, record, identity).model_dump(mode="json", by_alias=True, exclude_none=True)
    elif identity is not None:
        raise InputError("--identity goes with --open.")
    emit(as_json, data, lambda out: _show(out, data))


def list_agents(as_json: JsonOption = False) -> None:
    """List every agent and control."""
    base = database()
    rows = [plain_agent(base, record) for record in base.agents()]

    def render(out: Console) -> None:
        if not rows:
            out.print("There is no agent.")
            return
        table = Table("agent", "title", "role", "program", "configuration", "compute paid for by", "runs")
        for row in rows:
            words = [row[key] for key in ("agent", "title", "role", "program", "identity", "sponsor", "runs")]
            table.add_row(*(printable("" if word is None else str(word)) for word in words))
        out.print(table)

    emit(as_json, {"agents": rows}, render)


def plain_agent(base: Database, agent: Agent) -> dict[str, Any]:
    """Return what is known of an agent, as plain data."""
    path = revealed_path(agent.agent)
    revealed = base.read(path, Configuration) if base.holds(path) else None
    wrong = disagreement(agent, revealed) if revealed is not None else None
    shown = revealed is not None and wrong is None
    known = revealed if shown else agent.configuration
    return {
        "agent": agent.agent,
        "title": agent.title,
        "role": agent.role,
        "program": agent.program,
        "implementation": agent.implementation,
        "identity": "revealed" if shown else agent.identity,
        "configuration": None if known is None else known.model_dump(mode="json", by_alias=True, exclude_none=True),
        "commitment": agent.commitment,
        "reveal_on": agent.reveal_on,
        "sponsor": agent.sponsor,
        "runs": sum(path.parts[-3] == agent.agent for found in base.run_index().values() for path, _ in found),
        "problem": None if wrong is None else f"{path} {wrong}",
    }


def write_new(base: Database, agent: Agent, *, only_check: bool = False) -> str:
    """Write a new agent and return its path; or only see that it could be written.

    Raises:
        InputError: It is there already.
    """
    path = agent_path(agent.agent)
    if base.holds(path):
        raise InputError(
            "is there already: an agent that has runs stays what it is, and another configuration is another agent.",
            place=Place(path),
        )
    if not only_check:
        base.write(path, agent)
    return str(path)


def _show(out: Console, data: dict[str, Any]) -> None:
    out.print(printable(f"{data['title']} ({data['agent']})"), style="bold")
    for label, value in (
        ("role", data["role"]),
        ("program", data["program"]),
        ("identity", data["identity"]),
        ("commits to", data["commitment"]),
        ("reveal on", data["reveal_on"]),
        ("sponsor", data["sponsor"]),
        ("runs", data["runs"]),
        ("problem", data["problem"]),
        *_lines(data["configuration"] or {}, ""),
    ):
        if value is not None:
            out.print(printable(f"  {label:<26}{value}"))


def _lines(facts: dict[str, Any], before: str) -> list[tuple[str, Any]]:
    lines: list[tuple[str, Any]] = []
    for name, value in facts.items():
        if isinstance(value, dict):
            lines += _lines(value, f"{before}{name}.")
        elif before or name == "salt":
            lines.append((f"{before}{name}", value))
    return lines
