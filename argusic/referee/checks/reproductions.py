"""A reproduction is of runs that are here, under the rules that they had, and made of runs that are nobody else's."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.database.paths import RUN_FILE, agent_path, cycle_path, reproduction_path, run_folder
from argusic.errors import Finding, InputError
from argusic.records.conditions import CycleConditions
from argusic.records.cycle import Cycle
from argusic.records.reproduction import ReproducedCell, Reproduction
from argusic.referee.checks.survey import Survey
from argusic.referee.reproducing.recording import original_digest
from argusic.referee.reproducing.sides import Cell, started


def check_reproductions(database: Database, made: Survey) -> Iterator[Finding]:
    """Yield what is wrong with the reproductions: what they name and is not here, and what they had otherwise.

    What they say of runs elsewhere is theirs to say; that it agrees with itself and with the cycle is asked here.
    """
    taken: dict[str, PurePosixPath] = {run.run: run.path for run in made.runs}
    for reproduction in sorted(made.reproductions, key=lambda one: (one.cycle, one.reproduction)):
        path = reproduction_path(reproduction.cycle, reproduction.reproduction)
        for cell in reproduction.cells:
            for run in cell.runs:
                if (other := taken.setdefault(run.run, path)) != path:
                    yield made.found(path, f"names {run.run}, which is a run of {other}.", at="cells")
        cycle = made.cycles.get(reproduction.cycle)
        if cycle is not None:
            yield from _one(database, made, reproduction, cycle, path)
        elif made.lacks(cycle_path(reproduction.cycle)):
            yield made.found(path, f"names the cycle {reproduction.cycle}, which does not exist.", at="cycle")


def _one(
    database: Database, made: Survey, reproduction: Reproduction, cycle: Cycle, path: PurePosixPath
) -> Iterator[Finding]:
    if (reproduction.edition.id, reproduction.edition.sha256) != (cycle.edition, cycle.edition_sha256):
        yield made.found(path, "is not the edition that the cycle pins.", at="edition")
    for conditions in reproduction.conditions:
        yield from _conditions(made, conditions, cycle, path)
    held = {hashlib.sha256(dump(conditions)).hexdigest() for conditions in reproduction.conditions}
    for run in (run for cell in reproduction.cells for run in cell.runs):
        if run.conditions not in held:
            yield made.found(path, f"does not hold the conditions that {run.run} names.", at="conditions")
        if started(run.run) > reproduction.recorded:
            yield made.found(path, f"was written down before {run.run} began.", at="recorded")
    whole = True
    for cell in reproduction.cells:
        for what, at in _cell(made, cell, cycle):
            yield made.found(path, what, at=at)
        whole &= all(not made.lacks(run_folder(cycle.cycle, *_ids(cell), run) / RUN_FILE) for run in cell.original)
    originals = [(_ids(cell), cell.original) for cell in reproduction.cells]
    if whole and _digest(database, cycle.cycle, originals) not in (None, reproduction.original_sha256):
        yield made.found(path, "is not the digest of the cycle's runs that it names.", at="original_sha256")


def _digest(database: Database, cycle: str, cells: Sequence[tuple[Cell, Sequence[str]]]) -> str | None:
    try:
        return original_digest(database, cycle, cells)
    except InputError:
        return None  # What cannot be read is named by itself.


def _cell(made: Survey, cell: ReproducedCell, cycle: Cycle) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with one agent on one subject, and at which field."""
    entry, agent = cycle.entry(cell.subject), made.agents.get(cell.agent)
    if entry is None:
        yield f"names {cell.subject}, which its cycle does not test.", "cells"
    elif cell.pin != entry.pin:
        yield f"is not of what {cycle_path(cycle.cycle)} pins for {cell.subject}.", "cells"
    if agent is None and made.lacks(agent_path(cell.agent)):
        yield f"names the agent {cell.agent}, which does not exist.", "cells"
    if agent is not None and agent.role == "control":
        yield f"holds runs of {cell.agent}: a control counts in nothing, its runs elsewhere neither.", "cells"
    for run in cell.original:
        if made.lacks(run_folder(cycle.cycle, *_ids(cell), run) / RUN_FILE):
            yield f"names {run}, which is no run of {cell.agent} on {cell.subject} in {cycle.cycle}.", "cells"


def _conditions(made: Survey, conditions: CycleConditions, cycle: Cycle, path: PurePosixPath) -> Iterator[Finding]:
    """Yield which of the conditions are not the cycle's own. Sandbox, image and harness may be others, and show it."""
    edition = made.editions.get(cycle.edition)
    instructions = (conditions.instructions.id, conditions.instructions.sha256)
    compared: list[tuple[str, object, object]] = [
        ("cycle", conditions.cycle, cycle.cycle),
        ("edition", (conditions.edition.id, conditions.edition.sha256), (cycle.edition, cycle.edition_sha256)),
        ("resources", conditions.resources, cycle.conditions),
    ]
    if edition is not None:
        compared += [
            ("instructions", instructions, (edition.instructions, edition.instructions_sha256)),
            ("budgets_minutes", conditions.budgets_minutes, edition.budgets_minutes),
            ("network", conditions.network, edition.network),
        ]
    for field, said, really in compared:
        if said != really:
            yield made.found(path, f"was made with other {field.replace('_', ' ')} than the cycle's.", at="conditions")


def _ids(cell: ReproducedCell) -> tuple[str, str]:
    return cell.subject, cell.agent
