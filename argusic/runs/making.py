"""How the attempts of a cycle are made: one after the other in this process, or several at once beside it."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from argusic.records.cycle import Cycle
from argusic.records.run import Run
from argusic.rules.rubric import score
from argusic.runs.attempt import Equipment, attempt
from argusic.runs.modelled import KeyNotHad
from argusic.runs.order import order
from argusic.runs.plan import Owed
from argusic.runs.watching import Cancelled


class Made(NamedTuple):
    """What became of an attempt."""

    cell: Owed
    """What it was for."""
    run: Run | None
    """Its run; None where it published none."""
    lost: str = ""
    """Why it published none; empty where it was asked to stop."""
    queued: str = ""
    """Why it did not begin, where it waits for a key."""


class Making(Protocol):
    """Makes attempts."""

    @property
    def full(self) -> bool:
        """Whether no further attempt can begin."""

    @property
    def cells(self) -> list[Owed]:
        """The cells whose attempts run now."""

    def begin(self, cell: Owed, number: int, of: int) -> None:
        """Begin an attempt, the `number`-th of `of`."""

    def next(self) -> Made:
        """Wait until an attempt is over and return what became of it.

        Raises:
            ArgusicError: It could not run at all.
        """


class InTurn:
    """Makes one attempt at a time, in this process.

    Args:
        equipment: What attempts are made with.
        cycle: The cycle.
    """

    def __init__(self, equipment: Equipment, cycle: Cycle) -> None:
        self._equipment = equipment
        self._cycle = cycle
        self.cells: list[Owed] = []

    @property
    def full(self) -> bool:
        """Whether one has begun."""
        return bool(self.cells)

    def begin(self, cell: Owed, number: int, of: int) -> None:
        """Begin an attempt; it is made when it is waited for."""
        self._equipment.watcher.begin(cell.subject, cell.agent, cell.purpose, number, of)
        self.cells.append(cell)

    def next(self) -> Made:
        """Make the attempt and return what became of it."""
        cell = self.cells.pop()
        made = order(self._equipment.database, self._cycle, cell.subject, cell.agent, cell.purpose)
        try:
            run = attempt(self._equipment, made)
        except Cancelled:
            return Made(cell, None)
        except KeyNotHad as lack:
            return Made(cell, None, queued=lack.what)
        self._equipment.watcher.end(run, score(run, made.edition))
        return Made(cell, run)
