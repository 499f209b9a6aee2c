"""A group: everything that the derivations of one cycle and kind are made of, controls already left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from argusic.records.cycle import Cycle
from argusic.records.edition import Edition
from argusic.records.findings import Screening
from argusic.rules.quality import Review, review
from argusic.rules.scored import ScoredRun, in_order


@dataclass(frozen=True)
class Group:
    """One cycle and kind.

    Attributes:
        cycle: The cycle.
        kind: The kind.
        edition: The edition that the cycle pinned.
        board_agents: The agents of the board, sorted; no control among them.
        runs: Every run by an agent that is no control, as it stands after later findings.
        screenings: What a person found, by subject.
    """

    cycle: Cycle
    kind: str
    edition: Edition
    board_agents: tuple[str, ...]
    runs: tuple[ScoredRun, ...]
    screenings: Mapping[str, Screening]

    @cached_property
    def subjects(self) -> tuple[str, ...]:
        """The subjects of this kind in the cycle's pool, by address."""
        prefix = f"{self.kind}/"
        return tuple(sorted(entry.subject for entry in self.cycle.subjects if entry.subject.startswith(prefix)))

    @cached_property
    def by_subject(self) -> dict[str, list[ScoredRun]]:
        """The runs of each subject of the pool, in order of their start."""
        found: dict[str, list[ScoredRun]] = {subject: [] for subject in self.subjects}
        for run in in_order(self.runs):
            found[run.subject].append(run)
        return found

    @cached_property
    def reviews(self) -> dict[str, Review]:
        """Where each subject stands with quality control."""
        return {subject: review(self.by_subject[subject], self.screenings.get(subject)) for subject in self.subjects}
