"""An order for one attempt: everything it needs looked up and checked, so that what cannot run is refused early."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from argusic.database.database import Database
from argusic.database.paths import agent_path
from argusic.errors import InputError
from argusic.evidence.fingerprint import fingerprint
from argusic.records.agent import Agent
from argusic.records.base import format_time
from argusic.records.cycle import Cycle, PoolEntry
from argusic.records.edition import Edition
from argusic.records.manifest import EditionUsed, Fingerprinted
from argusic.records.subject import Subject
from argusic.runs.conditions import held_conditions, keep_conditions
from argusic.runs.plan import Purpose
from argusic.runs.work import Intent


@dataclass(frozen=True)
class Order:
    """One attempt to make, everything in it looked up and valid."""

    cycle: Cycle
    edition: Edition
    edition_sha256: str
    subject: Subject
    entry: PoolEntry
    agent: Agent
    purpose: Purpose
    budget_seconds: int


def open_edition(database: Database, cycle: Cycle) -> tuple[Edition, str]:
    """Return the edition of a cycle that may be run now, and the sha256 of its file.

    Raises:
        InputError: The edition is not the one that the cycle pinned, or the cycle or its window is closed.
    """
    edition, digest = database.edition(cycle.edition)
    if digest != cycle.edition_sha256:
        raise InputError(
            f"edition {cycle.edition} is not the one that cycle {cycle.cycle} pinned: "
            f"its file has sha256 {digest}, the cycle says {cycle.edition_sha256}."
        )
    if database.close(cycle.cycle) is not None:
        raise InputError(f"cycle {cycle.cycle} is closed.")
    now = datetime.now(UTC)
    if not cycle.opens <= now < cycle.closes:
        opens, closes = format_time(cycle.opens), format_time(cycle.closes)
        raise InputError(f"cycle {cycle.cycle} runs from {opens} to {closes}; it is {now:%Y-%m-%dT%H:%MZ}.")
    return edition, digest


def order(database: Database, cycle: Cycle, subject: str, agent: str, purpose: Purpose | None = None) -> Order:
    """Look up everything an attempt needs.

    Raises:
        InputError: The cycle does not name the subject or the agent, or may not be run now (see `open_edition`).
    """
    edition, digest = open_edition(database, cycle)
    entry = cycle.entry(subject)
    if entry is None:
        raise InputError(f"cycle {cycle.cycle} has no subject {subject}.")
    role: Purpose | None = (
        "control"
        if agent in cycle.controls
        else "board"
        if agent in cycle.board_agents
        else "verdict"
        if agent in (cycle.standard_agent, cycle.stronger_agent)
        else None
    )
    if role is None:
        raise InputError(f"cycle {cycle.cycle} has no agent {agent}.")
    minutes = edition.budgets_minutes.minutes(entry.tier)
    if minutes is None:
        raise InputError(f"cycle {cycle.cycle} gives {subject} the {entry.tier} tier, which {edition.edition} has not.")
    return Order(
        cycle=cycle,
        edition=edition,
        edition_sha256=digest,
        subject=database.subject(subject),
        entry=entry,
        agent=database.agent(agent),
        purpose=purpose or role,
        budget_seconds=60 * minutes,
    )


def intend(
    database: Database,
    sandbox: str,
    made: Order,
    run: str,
    started: datetime,
    *,
    key: Literal["none", "per_run", "shared"] = "none",
    program: str | None = None,
) -> Intent:
    """Return what the attempt `run` is going to be, with the digests of all that it is measured by.

    Args:
        database: Where the run goes.
        sandbox: The name of the sandbox that it is made in.
        made: The order.
        run: The run's id.
        started: When it begins.
        key: How its agent reaches a model.
        program: The agent's own program, where its start-up banner is known.

    Raises:
        InputError: The cycle's runs were made under other conditions than it would get.
    """
    conditions = held_conditions(database, made.cycle, sandbox)
    instructions = instructions_file(database, made.edition)
    agent_file = database.root / agent_path(made.agent.agent)
    return Intent(
        run=run,
        cycle=made.cycle.cycle,
        subject=made.subject.ref,
        agent=made.agent.agent,
        purpose=made.purpose,
        edition=EditionUsed(id=made.edition.edition, sha256=made.edition_sha256),
        instructions=Fingerprinted(id=instructions.stem, sha256=fingerprint(instructions).sha256),
        agent_file=Fingerprinted(id=made.agent.agent, sha256=fingerprint(agent_file).sha256),
        conditions_sha256=keep_conditions(database, conditions),
        key=key,
        program=program,
        sandbox=sandbox,
        tier=made.entry.tier,
        budget_seconds=made.budget_seconds,
        pin=made.entry.pin,
        started=started,
    )


def instructions_file(database: Database, edition: Edition) -> Path:
    """Return the file of the edition's standard instructions.

    Raises:
        InputError: The edition names none, it is not there, or it is not the text that the edition names.
    """
    if edition.instructions is None:
        raise InputError(
            f"nothing more can be run under edition {edition.edition}: its standard instructions are not held here."
        )
    path = database.root / "rules" / "instructions" / f"{edition.instructions}.md"
    if not path.is_file():
        raise InputError(f"{path} is missing, which edition {edition.edition} names.")
    if fingerprint(path).sha256 != edition.instructions_sha256:
        raise InputError(f"{path} is not the text whose sha256 edition {edition.edition} names.")
    return path
