"""What the site says of reproductions: each with its comparison, and how often each result was reproduced."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from argusic.database.database import Database
from argusic.database.paths import reproduction_path
from argusic.errors import InputError, Place
from argusic.records.cycle import Cycle
from argusic.records.reproduction import Reproduction
from argusic.referee.reproducing.counting import Reproduced, reproduced
from argusic.referee.reproducing.sides import Side, published
from argusic.referee.reproducing.standing import Standing, standing


@dataclass(frozen=True)
class Reproductions:
    """Every reproduction here.

    Attributes:
        standings: Each with how it compares, the newest first.
        results: How often each result was reproduced, by cycle, subject and agent.
    """

    standings: tuple[Standing, ...] = ()
    results: dict[str, dict[tuple[str, str], Reproduced]] = field(default_factory=dict)

    def of(self, cycle: str, subject: str, agent: str) -> Reproduced | None:
        """Return how often one result was reproduced; None where it never was."""
        return self.results.get(cycle, {}).get((subject, agent))

    def of_subject(self, subject: str) -> list[tuple[str, str, Reproduced]]:
        """Return how often the results of a subject were reproduced, each with its cycle and agent."""
        return [
            (cycle, agent, found)
            for cycle, results in self.results.items()
            for (named, agent), found in results.items()
            if named == subject
        ]

    def of_cycle(self, cycle: str) -> list[Standing]:
        """Return the reproductions of a cycle, the newest first."""
        return [one for one in self.standings if one.reproduction.cycle == cycle]

    def people(self, cycle: str) -> int:
        """Return by how many the results of a cycle were reproduced, as far as names differ."""
        return len({one.reproduction.by for one in self.of_cycle(cycle)})


def gather_reproductions(database: Database, cycles: Iterable[Cycle]) -> Reproductions:
    """Compare every reproduction with what its cycle publishes.

    Args:
        database: The database.
        cycles: The cycles, in the order in which they are shown.

    Raises:
        InputError: A reproduction is of what its cycle never ran.
    """
    standings: list[Standing] = []
    results = {}
    for cycle in cycles:
        records = database.reproductions(cycle.cycle)
        if not records:
            continue
        first = published(database, cycle.cycle)
        for record in records:
            _must_be_of_runs(record, first)
        made = [standing(database, record, first) for record in records]
        standings += made
        results[cycle.cycle] = reproduced(made)
    newest = sorted(standings, key=lambda one: (one.reproduction.recorded, one.reproduction.reproduction), reverse=True)
    return Reproductions(tuple(newest), results)


def _must_be_of_runs(record: Reproduction, first: Side) -> None:
    for cell in record.cells:
        if (cell.subject, cell.agent) not in first:
            what = f"names {cell.agent} on {cell.subject}, of which its cycle has no run."
            raise InputError(what, place=Place(reproduction_path(record.cycle, record.reproduction), field="cells"))


def reproduction_page(cycle: str, reproduction: str) -> str:
    """Return the address of a reproduction's page."""
    return f"reproductions/{cycle}/{reproduction}.html"
