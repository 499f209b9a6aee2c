"""What a cycle still owes: the next attempts, as a pure function of its file and the runs that are there.

The order is fixed: subject by subject as the cycle lists them; for each the verdict chain, then the board sets,
then the controls. A run that is invalid leaves its attempt owed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from argusic.records.agent import Agent
from argusic.records.cycle import Cycle
from argusic.records.edition import Edition
from argusic.records.findings import Invalidation
from argusic.records.run import Run
from argusic.rules.rubric import score

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


def valid_runs(
    cycle: Cycle, edition: Edition, runs: Iterable[Run], invalidations: Mapping[str, Invalidation]
) -> dict[tuple[str, str], list[str]]:
    """Return the outcomes of the valid runs of each (subject, agent) of the cycle, in order of their start."""
    found: dict[tuple[str, str], list[str]] = {}
    for run in sorted(runs, key=lambda run: (run.started, run.run)):
        outcome = score(run, edition, invalidations.get(run.run)).outcome
        if run.cycle == cycle.cycle and outcome != "invalid":
            found.setdefault((run.subject, run.agent), []).append(outcome)
    return found


def owed(
    cycle: Cycle,
    edition: Edition,
    agents: Mapping[str, Agent],
    runs: Iterable[Run],
    invalidations: Mapping[str, Invalidation],
) -> list[Owed]:
    """Return every cell that still needs runs, in the order in which they are to be run.

    Args:
        agents: The records of the agents that the cycle names.
        runs: All runs of the cycle.
        invalidations: By run id.
    """
    done = valid_runs(cycle, edition, runs, invalidations)
    cells = []
    for entry in cycle.subjects:
        for agent, purpose, needed in _wanted(cycle, edition, agents):
            outcomes = done.get((entry.subject, agent), [])
            if purpose == "verdict" and any(outcome.startswith("pass") for outcome in outcomes):
                continue
            if len(outcomes) < needed:
                cells.append(Owed(entry.subject, agent, purpose, needed - len(outcomes)))
    return cells


def _wanted(cycle: Cycle, edition: Edition, agents: Mapping[str, Agent]) -> list[tuple[str, Purpose, int]]:
    """Return agent, purpose and number of valid runs wanted of each subject.

    The standard agent's board set serves the verdict too: the set is never smaller than the chain.
    """
    wanted: list[tuple[str, Purpose, int]] = []
    if cycle.standard_agent is not None and cycle.standard_agent not in cycle.board_agents:
        wanted.append((cycle.standard_agent, "verdict", edition.verdict.complete_attempts))
    wanted += [(agent, "board", edition.board.runs_per_set) for agent in cycle.board_agents]
    wanted += [(agent, "control", 1) for agent in cycle.controls if agents[agent].role == "control"]
    return wanted
