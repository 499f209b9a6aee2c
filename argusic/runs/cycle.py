"""A cycle run on this machine: recover what died, then attempt after attempt until nothing is owed.

It can be killed at any moment and started again: what is owed follows from the runs that are there, and nothing else
is kept. One process at a time runs a cycle of a database; a second one is refused.
"""

from __future__ import annotations

import fcntl
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from argusic.database.database import Database
from argusic.database.faults import fault_point
from argusic.errors import InputError
from argusic.records.cycle import Cycle
from argusic.records.run import Run
from argusic.rules.endings import ENDINGS
from argusic.rules.rubric import score
from argusic.rules.scored import all_invalidations, invalidated, scored
from argusic.runs.attempt import Equipment, attempt
from argusic.runs.order import open_edition, order
from argusic.runs.plan import Owed, owed
from argusic.runs.recover import recover
from argusic.runs.watching import Cancelled
from argusic.sandbox.protocol import Provider

#: Invalid runs of one cell after which this process leaves it and says so: what fails three times in a row for a
#: reason of ours needs a person.
MAX_INVALID = 3


@dataclass(frozen=True)
class Finished:
    """What one call did.

    Attributes:
        runs: The runs published, in order.
        given_up: Cells left after too many invalid runs, with the last reason.
        stopped: Why it stopped early, or empty.
    """

    runs: tuple[Run, ...]
    given_up: tuple[tuple[Owed, str], ...]
    stopped: str


def still_owed(database: Database, cycle: Cycle) -> list[Owed]:
    """Return what `cycle` still owes, by the runs that are there; nothing once it is closed."""
    if database.close(cycle.cycle) is not None:
        return []
    edition, _ = database.edition(cycle.edition)
    later = all_invalidations(database.invalidations(cycle.cycle), database.screenings(cycle.cycle))
    runs = [invalidated(scored(stored.run, edition), later) for stored in database.runs(cycle.cycle)]
    return owed(cycle, edition, runs)


def run_cycle(
    equipment: Equipment,
    cycle: Cycle,
    providers: dict[str, Provider],
    wanted: Callable[[Owed], bool] = lambda cell: True,
) -> Finished:
    """Make every attempt that `cycle` owes.

    Args:
        equipment: What attempts are made with.
        cycle: The cycle.
        providers: Every way of making sandboxes here, for sweeping up after a dead process.
        wanted: Which cells to run.

    Raises:
        InputError: The cycle cannot be run now, or another process is running it.
        CheckFailed: A subject is not what the cycle pinned.
    """
    database = equipment.database
    open_edition(database, cycle)
    with _alone(database, cycle.cycle):
        runs = recover(database, providers)
        for run in runs:
            equipment.watcher.say(f"{run.run}: {ENDINGS[run.ending.how].sentence}")
        cells = [cell for cell in still_owed(database, cycle) if wanted(cell)]
        total = sum(cell.attempts for cell in cells)
        invalid: Counter[tuple[str, str]] = Counter()
        given_up: list[tuple[Owed, str]] = []
        number = 0
        while cells and not equipment.cancellation.event.is_set():
            cell = cells[0]
            number += 1
            made = order(database, cycle, cell.subject, cell.agent, cell.purpose)
            equipment.watcher.begin(cell.subject, cell.agent, cell.purpose, min(number, total), total)
            try:
                run = attempt(equipment, made)
            except Cancelled:
                break
            result = score(run, made.edition)
            runs.append(run)
            equipment.watcher.end(run, result)
            fault_point("between-attempts")
            if result.outcome == "invalid":
                invalid[cell.subject, cell.agent] += 1
                total += 1
                if invalid[cell.subject, cell.agent] >= MAX_INVALID:
                    given_up.append((cell, run.ending.detail or ENDINGS[run.ending.how].sentence))
            left = {(skip.subject, skip.agent) for skip, _ in given_up}
            cells = [
                cell for cell in still_owed(database, cycle) if wanted(cell) and (cell.subject, cell.agent) not in left
            ]
        return Finished(tuple(runs), tuple(given_up), equipment.cancellation.why)


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
