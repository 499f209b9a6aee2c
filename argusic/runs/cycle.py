"""A cycle run on this machine: recover what died, then attempt after attempt until nothing is owed.

It can be killed at any moment and started again: what is owed follows from the runs that are there, and nothing else
is kept. One process at a time runs a cycle of a database; a second one is refused.
"""

from __future__ import annotations

import fcntl
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass

from argusic.database.database import Database
from argusic.database.faults import fault_point
from argusic.errors import InputError
from argusic.records.cycle import Cycle
from argusic.records.run import Run
from argusic.rules.endings import ENDINGS
from argusic.rules.rubric import score
from argusic.rules.scored import scored
from argusic.runs.attempt import Equipment
from argusic.runs.held import learnt_later
from argusic.runs.keys.leftover import sweep_leftover
from argusic.runs.making import InTurn, Making
from argusic.runs.needs import refuse_unmet
from argusic.runs.order import open_edition
from argusic.runs.plan import Owed, owed
from argusic.runs.recover import recover
from argusic.sandbox.protocol import Provider

#: Invalid runs of one cell after which this process leaves it and says so: what fails three times in a row for a
#: reason of ours needs a person.
MAX_INVALID = 3


@dataclass(frozen=True)
class Finished:
    """What one call did.

    Attributes:
        runs: The runs published, in order.
        recovered: Those of them whose attempt a process made that is dead now.
        given_up: Cells left after too many invalid runs, with the last reason.
        queued: Cells whose attempts could not begin, because there is no key for them now, with the reason.
        stopped: Why it stopped early, or empty.
    """

    runs: tuple[Run, ...]
    recovered: frozenset[str]
    given_up: tuple[tuple[Owed, str], ...]
    queued: tuple[tuple[Owed, str], ...]
    stopped: str

    @property
    def attempted(self) -> frozenset[str]:
        """The runs whose attempt this call made."""
        return frozenset(run.run for run in self.runs) - self.recovered


def still_owed(database: Database, cycle: Cycle) -> list[Owed]:
    """Return what `cycle` still owes, by the runs that are there; nothing once it is closed."""
    if database.close(cycle.cycle) is not None:
        return []
    edition, _ = database.edition(cycle.edition)
    later = learnt_later(database, cycle.cycle)
    runs = [later.stands(scored(stored.run, edition)) for stored in database.runs(cycle.cycle)]
    return owed(cycle, edition, runs, database.requests(cycle.cycle))


def run_cycle(
    equipment: Equipment,
    cycle: Cycle,
    providers: dict[str, Provider],
    wanted: Callable[[Owed], bool] = lambda cell: True,
    at_once: int = 1,
) -> Finished:
    """Make every attempt that `cycle` owes.

    Args:
        equipment: What attempts are made with.
        cycle: The cycle.
        providers: Every way of making sandboxes here, for sweeping up after a dead process.
        wanted: Which cells to run.
        at_once: How many attempts may run at the same time.

    Raises:
        InputError: The cycle cannot be run now, or another process is running it.
        EnvironmentLack: A subject needs what this machine does not have. Nothing was run.
        CheckFailed: A subject is not what the cycle pinned.
    """
    database = equipment.database
    edition, _ = open_edition(database, cycle)
    for subject in dict.fromkeys(cell.subject for cell in still_owed(database, cycle) if wanted(cell)):
        entry = cycle.entry(subject)
        if entry is not None:
            refuse_unmet(equipment.provider, database.subject(subject), entry, edition)
    with _alone(database, cycle.cycle):
        runs = recover(database, providers)
        recovered = frozenset(run.run for run in runs)
        for run in runs:
            equipment.watcher.say(f"{run.run}: {ENDINGS[run.ending.how].sentence}")
        # Keys that were handed over are the issuing job's to delete, and some of them wait for their attempt.
        for trouble in () if equipment.handed else sweep_leftover(database, equipment.environment):
            equipment.watcher.say(f"{trouble} `argusic keys sweep` tries again.")
        with _making(equipment, cycle, at_once) as making:
            made, given_up, queued = _make(equipment, cycle, making, wanted, providers)
        return Finished((*runs, *made), recovered, given_up, queued, equipment.cancellation.why)


def _making(equipment: Equipment, cycle: Cycle, at_once: int) -> AbstractContextManager[Making]:
    if at_once == 1:
        return nullcontext(InTurn(equipment, cycle))
    # Loaded only here: nothing else needs a server of processes.
    from argusic.runs.side_by_side import side_by_side

    return side_by_side(equipment, cycle, at_once)


_Left = tuple[tuple[Owed, str], ...]


def _make(
    equipment: Equipment,
    cycle: Cycle,
    making: Making,
    wanted: Callable[[Owed], bool],
    providers: dict[str, Provider],
) -> tuple[list[Run], _Left, _Left]:
    """Make attempts until nothing is owed; return their runs, and the cells left or queued, each with the reason."""
    database = equipment.database
    edition, _ = database.edition(cycle.edition)
    runs: list[Run] = []
    invalid: Counter[tuple[str, str]] = Counter()
    given_up: dict[tuple[str, str], tuple[Owed, str]] = {}
    queued: dict[tuple[str, str], tuple[Owed, str]] = {}
    cells = [cell for cell in still_owed(database, cycle) if wanted(cell)]
    total = sum(cell.attempts for cell in cells)
    number = 0
    while True:
        while not making.full and not equipment.cancellation.event.is_set():
            cell = _next(cells, making.cells)
            if cell is None:
                break
            number += 1
            making.begin(cell, min(number, total), total)
        if not making.cells:
            return runs, tuple(given_up.values()), tuple(queued.values())
        cell, run, lost, waits = making.next()
        fault_point("between-attempts")
        if run is None and lost:
            runs += recover(database, providers)
        elif run is not None:
            runs.append(run)
        if waits:
            queued[cell.subject, cell.agent] = cell, waits
        if lost or (run is not None and score(run, edition).outcome == "invalid"):
            invalid[cell.subject, cell.agent] += 1
            total += 1
            if invalid[cell.subject, cell.agent] >= MAX_INVALID:
                ending = "" if run is None else run.ending.detail or ENDINGS[run.ending.how].sentence
                given_up[cell.subject, cell.agent] = cell, ending or lost
        left = given_up.keys() | queued.keys()
        cells = [
            cell for cell in still_owed(database, cycle) if wanted(cell) and (cell.subject, cell.agent) not in left
        ]


def _next(cells: list[Owed], running: list[Owed]) -> Owed | None:
    """Return the next cell of which another attempt may begin beside those that run."""
    busy = Counter((cell.subject, cell.agent) for cell in running)
    for cell in cells:
        # A verdict's next step depends on how the one before ended.
        most = 1 if cell.purpose == "verdict" else cell.attempts
        if busy[cell.subject, cell.agent] < most:
            return cell
    return None


@contextmanager
def _alone(database: Database, cycle: str) -> Iterator[None]:
    """Hold the cycle for this process.

    Raises:
        InputError: Another process holds it.
    """
    database.work.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(database.work / f".cycle-{cycle}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 32, 0).decode().strip()
            raise InputError(f"cycle {cycle} is being run by another process{holder and f' ({holder})'}.") from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        try:
            yield
        finally:
            os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def runners(database: Database) -> list[int]:
    """Return the process id of every process that runs a cycle of `database`, between two attempts as well."""
    found = []
    for path in sorted(database.work.glob(".cycle-*")):
        with path.open("rb") as file:
            try:
                # Shared, so that two who look do not take each other for a runner.
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = file.read(32).strip()
                found += [int(holder)] if holder.isdigit() else []
    return found
