"""What a cycle still owes: the next attempts, as a pure function of its file and the runs that are there.

The order is fixed: subject by subject as the cycle lists them; for each the verdict chain, then the board sets,
then the controls. A run that is invalid leaves its attempt owed.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Literal

from argusic.records.cycle import Cycle
from argusic.records.edition import Edition
from argusic.rules.scored import ScoredRun
from argusic.rules.verdict import Chain, next_agent

Purpose = Literal["verdict", "board", "control"]


@dataclass(frozen=True)
class Owed:
    """One cell of the cycle: an agent on a subject, and how many valid runs it still needs.

    Attributes:
        attempts: Valid runs still needed at most; a verdict chain may end earlier.
    """

    subject: str
    agent: str
    purpose: Purpose
    attempts: int


def owed(
    cycle: Cycle, edition: Edition, runs: Iterable[ScoredRun], requested: Container[str] = frozenset()
) -> list[Owed]:
    """Return every cell that still needs runs, in the order in which they are to be run.

    Args:
        cycle: The cycle.
        edition: The edition that it pinned.
        runs: All its runs, scored, with what was learnt of them later.
        requested: The subjects that somebody asked the stronger agent to be run on.
    """
    by_subject: dict[str, list[ScoredRun]] = {entry.subject: [] for entry in cycle.subjects}
    for run in runs:
        by_subject.get(run.subject, []).append(run)
    return [
        cell
        for subject, found in by_subject.items()
        for cell in _cells(cycle, edition, subject, found, subject in requested)
    ]


def _cells(cycle: Cycle, edition: Edition, subject: str, runs: list[ScoredRun], requested: bool) -> list[Owed]:
    """Return the cells of one subject. A board set serves the verdict too: it is never smaller than the chain."""
    cells = []
    rules = edition.verdict
    chain = Chain(cycle.standard_agent, cycle.stronger_agent, rules)
    asked = next_agent([run for run in runs if not run.control], chain, requested=requested)
    if rules is not None and asked is not None and asked not in cycle.board_agents:
        attempts = 1 if asked == cycle.stronger_agent else rules.complete_attempts - _valid(runs, asked)
        cells.append(Owed(subject, asked, "verdict", attempts))
    wanted: list[tuple[str, Purpose, int]] = [
        *((agent, "board", edition.board.runs_per_set) for agent in cycle.board_agents),
        *((agent, "control", 1) for agent in cycle.controls),
    ]
    for agent, purpose, needed in wanted:
        missing = needed - _valid(runs, agent)
        if missing > 0:
            cells.append(Owed(subject, agent, purpose, missing))
    return cells


def _valid(runs: list[ScoredRun], agent: str) -> int:
    """Count the runs that need not be made again: one that is held waits for a person, not for another run."""
    return sum((run.valid or run.held) and run.agent == agent for run in runs)
