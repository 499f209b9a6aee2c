"""Several attempts at once: a process for each, started from a server that has everything loaded already.

A process of its own gives an attempt the same signals, locks and death as when it is alone: what is asked to stop is
asked there, and what dies leaves what any dead attempt leaves. When the process that ordered them dies, they die too.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import Final

from argusic.database.database import Database
from argusic.errors import ArgusicError
from argusic.records.cycle import Cycle
from argusic.records.run import Run
from argusic.rules.rubric import Score
from argusic.runs.attempt import Equipment, attempt
from argusic.runs.making import Made
from argusic.runs.modelled import KeyNotHad
from argusic.runs.order import order
from argusic.runs.plan import Owed
from argusic.runs.watching import Cancellation, Cancelled, Watcher
from argusic.sandbox.registry import provider

#: How often, in seconds, a wish to stop is looked for while attempts run.
_TICK: Final = 0.2
#: How long an attempt that was asked to stop may take to publish its run.
_GRACE: Final = 60.0


@dataclass(frozen=True)
class _Job:
    """What a process needs to know to make an attempt. It holds no credential."""

    root: Path
    cache: Path
    provider: str
    cycle: Cycle
    cell: Owed


@dataclass(frozen=True)
class _Place:
    """One attempt that runs."""

    cell: Owed
    process: ForkServerProcess
    heard: Connection
    watcher: Watcher


class SideBySide:
    """Makes up to `most` attempts at once.

    Args:
        equipment: What attempts are made with. Their programs are those that come with Argusic.
        cycle: The cycle.
        most: How many at once.
    """

    def __init__(self, equipment: Equipment, cycle: Cycle, most: int) -> None:
        self._equipment = equipment
        self._cycle = cycle
        self._context = _server()
        self._watchers = [equipment.watcher, *(equipment.watcher.beside() for _ in range(most - 1))]
        self._places: list[_Place] = []
        self._asked = False

    @property
    def full(self) -> bool:
        """Whether no further attempt can begin."""
        return not self._watchers

    @property
    def cells(self) -> list[Owed]:
        """The cells whose attempts run now."""
        return [place.cell for place in self._places]

    def begin(self, cell: Owed, number: int, of: int) -> None:
        """Begin an attempt, the `number`-th of `of`."""
        database = self._equipment.database
        job = _Job(database.root, database.cache_folder, self._equipment.provider.name, self._cycle, cell)
        heard, told = self._context.Pipe()
        process = self._context.Process(target=_make, args=(job, told), name=f"attempt {cell.subject} {cell.agent}")
        process.start()
        told.close()
        watcher = self._watchers.pop(0)
        watcher.begin(cell.subject, cell.agent, cell.purpose, number, of)
        self._places.append(_Place(cell, process, heard, watcher))

    def next(self) -> Made:
        """Wait until an attempt is over and return what became of it.

        Raises:
            ArgusicError: It could not run at all. The others were asked to stop, and have.
        """
        while True:
            if self._equipment.cancellation.event.is_set() and not self._asked:
                self._ask()
            ready = wait([place.heard for place in self._places], _TICK)
            for place in [place for place in self._places if place.heard in ready]:
                try:
                    what, said = place.heard.recv()
                except (EOFError, OSError):
                    what, said = "died", None
                if what == "now":
                    place.watcher.now(said)
                elif what == "say":
                    place.watcher.say(said)
                else:
                    return self._over(place, what, said)

    def _over(self, place: _Place, what: str, said: object) -> Made:
        place.process.join(_GRACE)
        place.heard.close()
        self._places.remove(place)
        self._watchers.append(place.watcher)
        match said:
            case (Run() as run, Score() as score):
                place.watcher.end(run, score)
                return Made(place.cell, run)
            case KeyNotHad():
                return Made(place.cell, None, queued=said.what)
            case ArgusicError():
                self.end()
                raise said
        # What it leaves is recorded as any dead process's is.
        return Made(place.cell, None, "" if what == "cancelled" else "The process of the attempt died.")

    def end(self) -> None:
        """Ask every attempt that runs to stop, and wait until each has; kill what does not."""
        self._ask()
        for place in self._places:
            place.process.join(_GRACE)
            place.process.kill()
            place.process.join()
            place.heard.close()
        self._places.clear()

    def _ask(self) -> None:
        self._asked = True
        for place in self._places:
            if place.process.pid is not None:
                with suppress(ProcessLookupError):
                    os.kill(place.process.pid, signal.SIGTERM)


@contextmanager
def side_by_side(equipment: Equipment, cycle: Cycle, most: int) -> Iterator[SideBySide]:
    """Give what makes attempts side by side; none runs on behind it."""
    made = SideBySide(equipment, cycle, most)
    try:
        yield made
    finally:
        made.end()


def _server() -> ForkServerContext:
    """Return the context whose server has loaded what an attempt needs."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return context


class _Telling:
    """Tells the process that ordered the attempt what happens."""

    def __init__(self, told: Connection) -> None:
        self._told = told

    def begin(self, subject: str, agent: str, purpose: str, number: int, of: int) -> None:
        """Say nothing: who ordered it knows."""

    def now(self, what: str) -> None:
        """Pass it on."""
        self._told.send(("now", what))

    def end(self, run: Run, score: Score) -> None:
        """Say nothing: it is told when the process is about to end."""

    def say(self, text: str) -> None:
        """Pass it on."""
        self._told.send(("say", text))

    def beside(self) -> Watcher:
        """Return itself: one attempt runs here."""
        return self


def _make(job: _Job, told: Connection) -> None:
    """Make one attempt in a process of its own."""
    from argusic.rules.rubric import score

    threading.Thread(target=_die_with, args=(told,), daemon=True).start()
    cancellation = Cancellation()
    telling = _Telling(told)
    with cancellation.listening():
        database = Database(job.root, cache_folder=job.cache)
        equipment = Equipment(database, provider(job.provider, database), telling, cancellation)
        try:
            made = order(database, job.cycle, job.cell.subject, job.cell.agent, job.cell.purpose)
            run = attempt(equipment, made)
            told.send(("over", (run, score(run, made.edition))))
        except Cancelled:
            told.send(("cancelled", None))
        except ArgusicError as error:
            told.send(("refused", error))


def _die_with(told: Connection) -> None:
    """Kill this process once the one that ordered it is gone: nobody would wait for it."""
    with suppress(EOFError, OSError):
        told.recv()
    os.kill(os.getpid(), signal.SIGKILL)
