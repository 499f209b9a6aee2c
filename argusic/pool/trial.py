"""A scratch cycle for one target: what `argusic try` runs, under the newest rules, touching no pool."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from argusic.database.database import Database
from argusic.database.paths import agent_path, cycle_path, edition_path, subject_path
from argusic.errors import InputError
from argusic.pool.kinds.protocol import Workshop
from argusic.pool.kinds.registry import recognise
from argusic.pool.scratch import make_scratch
from argusic.records.agent import Agent
from argusic.records.base import slug_of
from argusic.records.cycle import Cycle, PoolEntry
from argusic.records.subject import Subject
from argusic.rules.editions import newest

#: The id of a trial's cycle.
TRIAL = "try"


@dataclass(frozen=True)
class Trial:
    """A scratch database with one cycle of one subject.

    Attributes:
        database: The scratch database.
        cycle: Its cycle.
        subject: Its subject.
        notes: What a user should know of the target, such as changes that are not tested.
    """

    database: Database
    cycle: Cycle
    subject: Subject
    notes: tuple[str, ...]


def set_up_trial(
    origin: Database, target: str, agent: Agent, workshop: Workshop, kind: str | None = None, *, desktop: bool = False
) -> Trial:
    """Look the target up, pin what is newest, and lay out a scratch database for it.

    Args:
        origin: The database whose rules and agents count.
        target: What is to be tried, as the user typed it.
        agent: The agent that is to try it: one of the origin's, or one of the user's own.
        workshop: What the kind may use to look it up.
        kind: The kind, where the user named it.
        desktop: Whether it is an application with windows.

    Raises:
        InputError: There is no such thing, or no such agent that decides verdicts.
        SubjectUnavailable: It could not be reached just now.
    """
    if agent.role == "control":
        raise InputError(f"{agent.agent} is a control, and a control decides no verdict.", advice="Name an agent.")
    found_kind = recognise(target, kind)
    found = found_kind.resolve(target, workshop)
    now = datetime.now(UTC).replace(microsecond=0)
    slug = _slug(found.name)
    edition = newest(origin.editions())
    subject = Subject(
        kind=found_kind.kind,
        slug=slug,
        name=found.name,
        source=found.source,
        summary=found.summary,
        desktop=desktop or None,
    )
    cycle = Cycle(
        cycle=TRIAL,
        title=f"Trial of {found.name}",
        edition=edition.edition,
        edition_sha256=hashlib.sha256((origin.root / edition_path(edition.edition)).read_bytes()).hexdigest(),
        opens=now,
        closes=now + timedelta(days=365),
        standard_agent=agent.agent,
        subjects=(
            PoolEntry(
                subject=subject.ref,
                pin=found.pin,
                tier="heavy" if found.heavy_by is not None else "standard",
                heavy_by=found.heavy_by,
            ),
        ),
    )
    folder = _new_folder(trials(origin), f"{now:%Y%m%dT%H%M%SZ}-{slug}")
    database = make_scratch(origin, folder, pool=False)
    database.write(subject_path(subject.kind, subject.slug), subject)
    database.write(cycle_path(cycle.cycle), cycle)
    if not database.holds(agent_path(agent.agent)):
        database.write(agent_path(agent.agent), agent)
    return Trial(database, cycle, subject, found.notes)


def trials(origin: Database) -> Path:
    """Return the folder of all scratch databases that trials of a repository were made in."""
    return origin.root / ".argusic" / "try"


def _new_folder(parent: Path, name: str) -> Path:
    """Make a folder that no other trial of the same moment has."""
    parent.mkdir(parents=True, exist_ok=True)
    for number in count(1):
        folder = parent / (name if number == 1 else f"{name}-{number}")
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return folder
    raise AssertionError("numbers do not end")


def _slug(name: str) -> str:
    """Return the slug of a name; of one that makes none (a folder called `con`, say), a plain word."""
    try:
        return slug_of(name)
    except ValueError:
        return "target"
