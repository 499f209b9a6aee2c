"""How often each result of a cycle was reproduced, by how many, and with what agreement."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from argusic.referee.reproducing.sides import Cell
from argusic.referee.reproducing.standing import Standing


@dataclass(frozen=True)
class Reproduced:
    """One agent on one subject, over all reproductions of it in one cycle.

    Attributes:
        times: How many reproductions there are.
        people: By how many they are, as far as the names that they go by differ. Nothing proves a name.
        compared: How many pairs of attempts were compared.
        agreed: How many of those came out the same.
        outside: How many middle scores lie further away than the cycle's own scores lie apart.
    """

    times: int
    people: int
    compared: int
    agreed: int
    outside: int


def reproduced(standings: Iterable[Standing]) -> dict[Cell, Reproduced]:
    """Return how often each result was reproduced, by subject and agent.

    Args:
        standings: The reproductions of one cycle.
    """
    found: dict[Cell, list[tuple[Standing, int]]] = {}
    for one in standings:
        for number, cell in enumerate(one.comparison.cells):
            found.setdefault((cell.subject, cell.agent), []).append((one, number))
    return {cell: _counted(made) for cell, made in sorted(found.items())}


def _counted(made: list[tuple[Standing, int]]) -> Reproduced:
    cells = [one.comparison.cells[number] for one, number in made]
    return Reproduced(
        times=len(made),
        people=len({one.reproduction.by for one, _ in made}),
        compared=sum(cell.compared for cell in cells),
        agreed=sum(cell.agreed for cell in cells),
        outside=sum(cell.inside is False for cell in cells),
    )
