"""Where a reproduction stands against what its cycle publishes today: derived each time, and kept nowhere."""

from __future__ import annotations

from dataclasses import dataclass

from argusic.database.database import Database
from argusic.records.reproduction import Reproduction
from argusic.referee.reproducing.comparing import Comparison, compare
from argusic.referee.reproducing.differing import Difference, differences, had_here, had_there
from argusic.referee.reproducing.sides import Side, published, reproduced
from argusic.rules.verdict import Chain


@dataclass(frozen=True)
class Standing:
    """A reproduction with what it comes to.

    Attributes:
        reproduction: The record.
        comparison: How it compares.
        differences: What it could not have the same.
        since: How many runs its cycle has of the same agents and subjects that were not there when it was written down.
    """

    reproduction: Reproduction
    comparison: Comparison
    differences: tuple[Difference, ...]
    since: int


def standing(database: Database, reproduction: Reproduction, first: Side | None = None) -> Standing:
    """Compare a reproduction with what its cycle publishes now.

    Args:
        database: The database that holds the cycle's runs.
        reproduction: The reproduction.
        first: The cycle's runs, where they were read already.

    Raises:
        InputError: The cycle or its edition is not there, or a record of it cannot be read.
    """
    cycle = database.cycle(reproduction.cycle)
    edition, _ = database.edition(cycle.edition)
    again = reproduced(reproduction, edition)
    own = _of(published(database, cycle.cycle) if first is None else first, again)
    chain = Chain(cycle.standard_agent, cycle.stronger_agent, edition.verdict)
    named = {run for cell in reproduction.cells for run in cell.original}
    return Standing(
        reproduction=reproduction,
        comparison=compare(own, again, edition, chain),
        differences=differences(had_here(database, cycle.cycle, own), had_there(reproduction)),
        since=sum(run.scored.run not in named for runs in own.values() for run in runs),
    )


def _of(first: Side, again: Side) -> Side:
    return {cell: first.get(cell, ()) for cell in again}
