"""What the site shows, as records: runs with their scores, subjects, boards, and the state of kinds and editions.

What counts is settled here once: a control's run is published with its evidence and is part of no count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from argusic.records.agent import Agent
from argusic.records.board import Board
from argusic.records.conditions import HarnessChange
from argusic.records.configuration import Configuration
from argusic.records.cycle import Cycle
from argusic.records.edition import Edition
from argusic.records.findings import ClaimScreening, Dispute, DisputeRevision
from argusic.records.kind import Kind
from argusic.records.rule_change import RuleChange
from argusic.records.run import Run
from argusic.records.subject import Subject
from argusic.records.verdicts import SubjectVerdict
from argusic.referee.requested import Requested
from argusic.rules.editions import Force
from argusic.rules.rubric import Score
from argusic.site.reproductions import Reproductions


@dataclass(frozen=True)
class PublishedRun:
    """One run as a page shows it.

    Attributes:
        folder: Its folder, from the top of the database.
        run: Its facts.
        edition: The edition it is scored under.
        score: What it came to.
        agent: Who ran it.
        number: Its number among the subject's attempts in its cycle, by start; None for a control.
        screening: What a person found of the claims that it was held for.
        disputes: Who contested it, and how that ended.
        revisions: What those disputes were changed to after they were accepted, oldest first, by issue.
    """

    folder: PurePosixPath
    run: Run
    edition: Edition
    score: Score
    agent: Agent
    number: int | None
    screening: ClaimScreening | None = None
    disputes: tuple[Dispute, ...] = ()
    revisions: Mapping[int, tuple[DisputeRevision, ...]] = field(default_factory=dict)

    @property
    def control(self) -> bool:
        """Whether it was made to prove the harness, and counts in nothing."""
        return self.run.purpose == "control"


@dataclass(frozen=True)
class CycleVerdict:
    """What one cycle says of a subject."""

    cycle: Cycle
    verdict: SubjectVerdict


@dataclass(frozen=True)
class SubjectResults:
    """A subject with everything published about it, newest first.

    Attributes:
        subject: It.
        name: What pages call it: its own name, and what tells it from another subject of that name.
        runs: Its attempts.
        controls: The runs of controls on it.
        verdicts: What each cycle says of it.
        requests: What somebody asked for to be run on it, oldest first.
    """

    subject: Subject
    name: str
    runs: tuple[PublishedRun, ...]
    controls: tuple[PublishedRun, ...]
    verdicts: tuple[CycleVerdict, ...]
    requests: tuple[Requested, ...] = ()

    @property
    def headline(self) -> CycleVerdict | None:
        """The verdict the subject is known by: the newest that is settled, else the newest."""
        settled = (item for item in self.verdicts if item.verdict.verdict != "not_yet_verified")
        return next(settled, self.verdicts[0] if self.verdicts else None)


@dataclass(frozen=True)
class KindState:
    """A kind with how many subjects of it were tested."""

    kind: Kind
    tested: int


@dataclass(frozen=True)
class EditionState:
    """An edition, and since when it is in force as far as is known."""

    edition: Edition
    in_force: Force | None

    @property
    def in_force_field(self) -> str:
        """What the day is traced to: the edition's own word on earlier runs, or the first run that is here."""
        earlier = self.edition.earlier_runs
        stated = earlier is not None and self.in_force is not None and earlier.first == self.in_force.day
        return "earlier_runs/first" if stated else "in_force"


@dataclass(frozen=True)
class CycleBoard:
    """The board of one cycle and kind."""

    cycle: Cycle
    kind: Kind
    board: Board


@dataclass(frozen=True)
class Survey:
    """The whole database as the site shows it. Cycles, editions, boards and runs stand newest first."""

    cycles: tuple[Cycle, ...]
    subjects: tuple[SubjectResults, ...]
    boards: tuple[CycleBoard, ...]
    kinds: tuple[KindState, ...]
    editions: tuple[EditionState, ...]
    agents: dict[str, Agent]
    revealed: dict[str, Configuration]
    """The configurations that were sealed, are revealed, and are what was committed to, by agent."""
    harness_changes: dict[str, tuple[HarnessChange, ...]]
    """The statements that a cycle's harness changed without effect, oldest first, by cycle."""
    rule_changes: dict[str, RuleChange]
    """The statements that rules or harness changed without effect, newest first, by their digest."""
    reproductions: Reproductions
    """What others ran again."""

    @property
    def kinds_in_use(self) -> tuple[Kind, ...]:
        """The kinds that may be named outside the table of kinds."""
        return tuple(state.kind for state in self.kinds if state.tested)

    @property
    def listed(self) -> tuple[SubjectResults, ...]:
        """The subjects of kinds in use: the only ones that a list, filter or count may hold."""
        names = {kind.kind for kind in self.kinds_in_use}
        return tuple(results for results in self.subjects if results.subject.kind in names)

    @property
    def runs(self) -> tuple[PublishedRun, ...]:
        """Every run that is no control's, newest first."""
        everything = (run for results in self.subjects for run in results.runs)
        return tuple(sorted(everything, key=age, reverse=True))

    def verdict_counts(self) -> Counter[str]:
        """Return how many listed subjects stand at each verdict."""
        headlines = (results.headline for results in self.listed)
        return Counter(headline.verdict.verdict for headline in headlines if headline is not None)


def age(item: PublishedRun) -> tuple[object, str]:
    """Order runs by start, then by id."""
    return item.run.started, item.run.run
