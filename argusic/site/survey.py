"""Everything the site says, read from the database in one pass: subjects with their runs, boards, verdicts, rules.

What counts is settled here once: a control's run is published with its evidence and is part of no count.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from argusic.database import paths
from argusic.database.database import Database
from argusic.records.agent import Agent
from argusic.records.board import Board
from argusic.records.cycle import Cycle
from argusic.records.edition import Edition
from argusic.records.findings import Dispute, Invalidation
from argusic.records.kind import Kind
from argusic.records.run import Run
from argusic.records.subject import Subject
from argusic.records.verdicts import SubjectVerdict, Verdicts
from argusic.rules.editions import InForce, in_force_from
from argusic.rules.rubric import Score, score
from argusic.rules.scored import all_invalidations


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
        disputes: Who contested it, and how that ended.
    """

    folder: PurePosixPath
    run: Run
    edition: Edition
    score: Score
    agent: Agent
    number: int | None
    disputes: tuple[Dispute, ...] = ()

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
    """A subject with everything published about it, newest first."""

    subject: Subject
    runs: tuple[PublishedRun, ...]
    controls: tuple[PublishedRun, ...]
    verdicts: tuple[CycleVerdict, ...]

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
    """An edition with the first run measured under it."""

    edition: Edition
    in_force: InForce | None


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
        return tuple(sorted(everything, key=_age, reverse=True))

    def verdict_counts(self) -> Counter[str]:
        """Return how many listed subjects stand at each verdict."""
        headlines = (results.headline for results in self.listed)
        return Counter(headline.verdict.verdict for headline in headlines if headline is not None)


def survey(database: Database) -> Survey:
    """Read the database.

    Raises:
        InputError: A record cannot be read, or names a subject, agent or edition that is not there.
    """
    cycles = sorted(database.cycles(), key=lambda cycle: (cycle.opens, cycle.cycle), reverse=True)
    kinds = sorted(database.kinds(), key=lambda kind: kind.place)
    editions = {edition.edition: edition for edition in database.editions()}
    agents = {agent.agent: agent for agent in database.agents()}
    published = _published(database, cycles, editions, agents)
    verdicts, boards = _derived(database, cycles, kinds)
    subjects = [
        _results(subject, published.get(subject.ref, []), verdicts.get(subject.ref, []))
        for subject in sorted(database.subjects(), key=lambda subject: (subject.name.casefold(), subject.ref))
        if subject.ref in published or subject.ref in verdicts
    ]
    tested = Counter(results.subject.kind for results in subjects if results.runs)
    runs = [item.run for items in published.values() for item in items]
    return Survey(
        cycles=tuple(cycles),
        subjects=tuple(subjects),
        boards=tuple(boards),
        kinds=tuple(KindState(kind, tested[kind.kind]) for kind in kinds),
        editions=tuple(
            EditionState(edition, in_force_from(edition.edition, runs))
            for edition in sorted(editions.values(), key=_edition_order, reverse=True)
        ),
        agents=agents,
    )


def _published(
    database: Database, cycles: Iterable[Cycle], editions: dict[str, Edition], agents: dict[str, Agent]
) -> dict[str, list[PublishedRun]]:
    """Return every run by subject, scored, numbered and newest first."""
    by_subject: dict[str, list[PublishedRun]] = defaultdict(list)
    for cycle in cycles:
        invalidations = all_invalidations(database.invalidations(cycle.cycle), database.screenings(cycle.cycle))
        disputes: dict[str, list[Dispute]] = defaultdict(list)
        for dispute in database.disputes(cycle.cycle):
            disputes[dispute.run].append(dispute)
        numbers: Counter[str] = Counter()
        stored = sorted(database.runs(cycle.cycle), key=lambda item: (item.run.started, item.run.run))
        for item in stored:
            run = item.run
            control = run.purpose == "control"
            numbers[run.subject] += not control
            edition, invalidation = editions[run.edition], _of(run, invalidations)
            by_subject[run.subject].append(
                PublishedRun(
                    folder=paths.run_folder(run.cycle, run.subject, run.agent, run.run),
                    run=run,
                    edition=edition,
                    score=score(run, edition, invalidation),
                    agent=agents[run.agent],
                    number=None if control else numbers[run.subject],
                    disputes=tuple(sorted(disputes[run.run], key=lambda dispute: dispute.issue)),
                )
            )
    return {ref: sorted(runs, key=_age, reverse=True) for ref, runs in by_subject.items()}


def _of(run: Run, invalidations: dict[str, Invalidation]) -> Invalidation | None:
    return invalidations.get(run.run)


def _derived(
    database: Database, cycles: Iterable[Cycle], kinds: Iterable[Kind]
) -> tuple[dict[str, list[CycleVerdict]], list[CycleBoard]]:
    """Return the verdicts by subject and the boards, newest cycle first, as `argusic recompute` wrote them."""
    verdicts: dict[str, list[CycleVerdict]] = defaultdict(list)
    boards = []
    for cycle in cycles:
        for kind in kinds:
            verdict_path = paths.verdicts_path(cycle.cycle, kind.kind)
            if (database.root / verdict_path).is_file():
                for verdict in database.read(verdict_path, Verdicts).subjects:
                    verdicts[verdict.subject].append(CycleVerdict(cycle, verdict))
            board_path = paths.board_path(cycle.cycle, kind.kind)
            if (database.root / board_path).is_file():
                board = database.read(board_path, Board)
                if board.agents:
                    boards.append(CycleBoard(cycle, kind, board))
    return verdicts, boards


def _results(subject: Subject, runs: list[PublishedRun], verdicts: list[CycleVerdict]) -> SubjectResults:
    return SubjectResults(
        subject=subject,
        runs=tuple(run for run in runs if not run.control),
        controls=tuple(run for run in runs if run.control),
        verdicts=tuple(verdicts),
    )


def _age(item: PublishedRun) -> tuple[object, str]:
    return item.run.started, item.run.run


def _edition_order(edition: Edition) -> tuple[int, ...]:
    return tuple(int(part) for part in edition.edition[1:].split("."))
