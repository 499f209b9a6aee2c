"""Setting up a reproduction: which cells are run again, and the scratch database that their runs go into.

The cycle's own runs are never touched, and a closed cycle stays closed. The scratch database holds the very cycle, so
that whatever runs a cycle runs it there too, and the conditions of equal runs have the same digest.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path, PurePosixPath

from argusic.database.atomic import write_file
from argusic.database.database import Database
from argusic.database.paths import cycle_path, request_path
from argusic.errors import CheckFailed, EnvironmentLack, InputError
from argusic.evidence.keys import KeyFolder
from argusic.evidence.sealing.configurations import exact_configuration
from argusic.evidence.stores.configured import store_of
from argusic.pool.scratch import make_scratch
from argusic.records.conditions import CycleConditions
from argusic.records.cycle import Cycle
from argusic.referee.reproducing.sides import Cell, Side
from argusic.runs.conditions import conditions_of, fixed_conditions, held_conditions
from argusic.runs.cycle import still_owed
from argusic.runs.plan import Owed

#: For how long a scratch cycle stays open whose own window is over.
_OPEN_FOR = timedelta(days=365)
#: The file by which a scratch database is known: no other repository's runs are ever gone on with.
_MARK = PurePosixPath(".argusic/reproduces")


@dataclass(frozen=True)
class Wanted:
    """What is to be run again.

    Attributes:
        cells: Subjects and agents, sorted.
        left_out: Agents that cannot be run here, each with the reason in a sentence.
    """

    cells: tuple[Cell, ...]
    left_out: tuple[tuple[str, str], ...]

    def holds(self, cell: Owed) -> bool:
        """Return whether a cell that a cycle owes is one of them."""
        return (cell.subject, cell.agent) in self.cells


@dataclass(frozen=True)
class Scratch:
    """Where runs go.

    Attributes:
        database: The scratch database.
        goes_on: Whether it was there already, and is gone on with.
        passed_over: Why an earlier one is not gone on with, in a sentence; None where there is none.
    """

    database: Database
    goes_on: bool
    passed_over: str | None = None


def choose(database: Database, cycle: Cycle, first: Side, subjects: Collection[str], agents: Collection[str]) -> Wanted:
    """Choose what of a cycle is run again: by default whatever it ran, but for controls.

    Args:
        database: The database.
        cycle: The cycle.
        first: Its own runs.
        subjects: Only these subjects, by address; all where none is named.
        agents: Only these agents; all but controls where none is named.

    Raises:
        InputError: The cycle ran nothing, or nothing of what is named; or a named agent cannot be run here.
    """
    if not first:
        raise InputError(f"cycle {cycle.cycle} has no runs here, so there is nothing to reproduce.")
    for named, known, what in (
        (subjects, {one for one, _ in first}, "subject"),
        (agents, {a for _, a in first}, "agent"),
    ):
        if unknown := sorted(set(named) - known):
            raise InputError(f"cycle {cycle.cycle} has no runs of the {what} {unknown[0]}.")
    controls = {cell for cell, runs in first.items() if any(run.scored.control for run in runs)}
    cells = [
        cell
        for cell in first
        if (not subjects or cell[0] in subjects) and (cell[1] in agents if agents else cell not in controls)
    ]
    left_out = []
    for agent in sorted({agent for _, agent in cells}):
        if (why := _sealed(database, agent)) is None:
            continue
        if agent in agents or all(agent == one for _, one in cells):
            raise InputError(why)
        left_out.append((agent, why))
    kept = tuple(sorted(cell for cell in cells if cell[1] not in dict(left_out)))
    if not kept:
        raise InputError(f"cycle {cycle.cycle} has no runs of these agents on these subjects.")
    return Wanted(kept, tuple(left_out))


def original_conditions(database: Database, cycle: Cycle) -> CycleConditions | None:
    """Return the conditions that a cycle's runs had, the last of them where there were several; None where they are
    not written down."""
    fixed = fixed_conditions(database, cycle.cycle)
    return fixed[-1] if fixed else None


def scratch_for(
    database: Database, cycle: Cycle, wanted: Wanted, sandbox: str, to: Path | None, recorded: Collection[str]
) -> Scratch:
    """Return the scratch database that runs go into.

    Args:
        database: The database that holds the cycle's own runs.
        cycle: The cycle.
        wanted: What is to be run again.
        sandbox: The sandbox that attempts are made in.
        to: Where it is to lie; None for a place of the repository's own. There the newest is gone on with that has
            the conditions that attempts would get now and is not written down yet, else a new one is made.
        recorded: The ids of the reproductions that are written down.

    Raises:
        InputError: `to` holds something else, or runs under other conditions; or nothing can be run under the edition
            of the cycle any more.
    """
    conditions_of(database, cycle, sandbox)  # Refused before anything is made, where nothing can be run.
    passed_over = None
    if to is None:
        for folder in _earlier(database, cycle.cycle):
            scratch = Database(folder, cache_folder=database.cache_folder)
            if reproduction_id(scratch, cycle.cycle) in recorded:
                continue
            if (other := _other(scratch, cycle, wanted, sandbox)) is None:
                _seal_in(database, scratch, wanted)
                return Scratch(scratch, True)
            passed_over = passed_over or f"The one in {folder} is not gone on with: {other}"
        to = _new(_folder(database, cycle.cycle))
    elif to.exists() and any(to.iterdir()):
        scratch = Database(to, cache_folder=database.cache_folder)
        if not (to / _MARK).is_file() or not scratch.holds(cycle_path(cycle.cycle)):
            raise InputError(f"{to} holds something else than a reproduction of cycle {cycle.cycle}.")
        if (other := _other(scratch, cycle, wanted, sandbox)) is not None:
            raise InputError(f"what {to} holds is not gone on with: {other}", advice="Name another folder.")
        _seal_in(database, scratch, wanted)
        return Scratch(scratch, True)
    to.parent.mkdir(parents=True, exist_ok=True)
    scratch = make_scratch(database, to, pool=True)
    _lay_out(database, scratch, cycle)
    _seal_in(database, scratch, wanted)
    return Scratch(scratch, False, passed_over)


def reproduction_id(scratch: Database, cycle: str) -> str | None:
    """Return the id of the reproduction that a scratch database holds: that of its first run that is no control's."""
    return min((stored.run.run for stored in scratch.runs(cycle) if stored.run.purpose != "control"), default=None)


def _sealed(database: Database, agent: str) -> str | None:
    """Return why an agent cannot be run here because its configuration is sealed; None where it can be."""
    record = database.agent(agent)
    if record.identity != "sealed":
        return None
    try:
        exact_configuration(database, record, KeyFolder.of_user())
    except (InputError, CheckFailed, EnvironmentLack):
        return (
            f"agent {agent} cannot be reproduced here: its exact configuration is sealed, and there is no key for it. "
            "A form asks those who hold it to run it again."
        )
    return None


def _folder(database: Database, cycle: str) -> Path:
    return database.root / ".argusic" / "reproductions" / cycle


def _earlier(database: Database, cycle: str) -> Iterator[Path]:
    folder = _folder(database, cycle)
    found = [path for path in folder.iterdir() if path.name[:1] != "."] if folder.is_dir() else []
    return iter(sorted((path for path in found if (path / _MARK).is_file()), reverse=True))


def _new(parent: Path) -> Path:
    parent.mkdir(parents=True, exist_ok=True)
    name = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    names = (name if number == 1 else f"{name}-{number}" for number in count(1))
    return next(parent / one for one in names if not (parent / one).exists())


def _other(scratch: Database, cycle: Cycle, wanted: Wanted, sandbox: str) -> str | None:
    """Return why a scratch database is not gone on with; None where it may be, or where nothing is left to be made."""
    there = scratch.cycle(cycle.cycle)
    if _what(there) != _what(cycle):
        return f"cycle {cycle.cycle} has changed since."
    if not any(wanted.holds(cell) for cell in still_owed(scratch, there)):
        return None
    try:
        held_conditions(scratch, there, sandbox)
    except InputError as error:
        return error.what
    return None


def _what(cycle: Cycle) -> Cycle:
    """Return a cycle without its window."""
    return cycle.model_copy(update={"opens": datetime.min.replace(tzinfo=UTC), "closes": None})


def _lay_out(database: Database, scratch: Database, cycle: Cycle) -> None:
    """Lay the cycle out as it was run: open, and with what was asked of it."""
    now = datetime.now(UTC).replace(microsecond=0)
    if now >= cycle.closes:
        scratch.write(cycle_path(cycle.cycle), cycle.model_copy(update={"closes": now + _OPEN_FOR}), replace=True)
    for request in database.requests(cycle.cycle).values():
        scratch.write(request_path(cycle.cycle, request.subject), request)
    write_file(scratch.root / _MARK, f"{cycle.cycle}\n".encode(), replace=True)


def _seal_in(database: Database, scratch: Database, wanted: Wanted) -> None:
    """Bring along what is sealed of the wanted agents: a key of theirs was found here."""
    for agent in sorted({agent for _, agent in wanted.cells}):
        record = database.agent(agent)
        if record.identity != "sealed" or record.sealed is None:
            continue
        with tempfile.TemporaryDirectory(prefix="argusic-sealed-") as folder:
            encrypted = Path(folder) / "sealed"
            encrypted.write_bytes(store_of(database).read(record.sealed.sealed_sha256))
            store_of(scratch).put(encrypted)
