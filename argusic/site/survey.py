"""Reads everything that the site says from the database, in one pass."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import TypeVar

from argusic.database import paths
from argusic.database.database import Database
from argusic.errors import InputError, Place
from argusic.evidence.identity import revealed_configurations
from argusic.records.agent import Agent
from argusic.records.board import Board
from argusic.records.conditions import HarnessChange
from argusic.records.cycle import Cycle
from argusic.records.edition import Edition
from argusic.records.findings import Dispute
from argusic.records.kind import Kind
from argusic.records.subject import Subject
from argusic.records.verdicts import Verdicts
from argusic.referee.requested import Requested, all_requests
from argusic.rules.editions import in_force
from argusic.runs.held import learnt_later
from argusic.site.naming import names_apart
from argusic.site.reproductions import gather_reproductions
from argusic.site.results import (
    CycleBoard,
    CycleVerdict,
    EditionState,
    KindState,
    PublishedRun,
    SubjectResults,
    Survey,
    age,
)

_Record = TypeVar("_Record")


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
    verdicts, boards = _derived(database, cycles, kinds, agents)
    subjects = {subject.ref: subject for subject in database.subjects()}
    _every_subject_is_there(published, subjects)
    tested = {ref.split("/")[0] for ref, items in published.items() if not all(item.control for item in items)}
    requests = all_requests(database)
    names = names_apart(subjects.values())
    results = [
        _results(
            subject,
            names[subject.ref],
            published.get(subject.ref, []),
            verdicts.get(subject.ref, []),
            tuple(one for one in requests if one.subject == subject.ref),
        )
        for subject in sorted(subjects.values(), key=lambda subject: (subject.name.casefold(), subject.ref))
        if subject.ref in published or (subject.ref in verdicts and subject.kind in tested)
    ]
    counts = Counter(item.subject.kind for item in results if item.runs)
    runs = [item.run for items in published.values() for item in items]
    return Survey(
        cycles=tuple(cycles),
        subjects=tuple(results),
        boards=tuple(item for item in boards if item.kind.kind in tested),
        kinds=tuple(KindState(kind, counts[kind.kind]) for kind in kinds),
        editions=tuple(
            EditionState(edition, in_force(edition, runs))
            for edition in sorted(editions.values(), key=lambda edition: edition.order, reverse=True)
        ),
        agents=agents,
        revealed=revealed_configurations(database),
        harness_changes={cycle.cycle: _changes(database, cycle.cycle) for cycle in cycles},
        rule_changes=dict(
            sorted(database.rule_changes().items(), key=lambda item: (item[1].at, item[0]), reverse=True)
        ),
        reproductions=gather_reproductions(database, cycles),
    )


def _changes(database: Database, cycle: str) -> tuple[HarnessChange, ...]:
    return tuple(sorted(database.harness_changes(cycle).values(), key=lambda change: (change.at, change.conditions)))


def _published(
    database: Database, cycles: Iterable[Cycle], editions: dict[str, Edition], agents: dict[str, Agent]
) -> dict[str, list[PublishedRun]]:
    """Return every run by subject, scored, numbered and newest first."""
    by_subject: dict[str, list[PublishedRun]] = defaultdict(list)
    for cycle in cycles:
        later = learnt_later(database, cycle.cycle)
        claims = database.claim_screenings(cycle.cycle)
        disputes: dict[str, list[Dispute]] = defaultdict(list)
        for dispute in database.disputes(cycle.cycle):
            disputes[dispute.run].append(dispute)
        revisions = database.dispute_revisions(cycle.cycle)
        numbers: Counter[str] = Counter()
        stored = sorted(database.runs(cycle.cycle), key=lambda item: (item.run.started, item.run.run))
        for item in stored:
            run = item.run
            control = run.purpose == "control"
            numbers[run.subject] += not control
            edition = _named(editions, run.edition, "edition", item.path)
            by_subject[run.subject].append(
                PublishedRun(
                    folder=item.folder,
                    run=run,
                    edition=edition,
                    score=later.score(run, edition),
                    agent=_named(agents, run.agent, "agent", item.path),
                    number=None if control else numbers[run.subject],
                    screening=claims.get(run.run),
                    disputes=tuple(sorted(disputes[run.run], key=lambda dispute: dispute.issue)),
                    revisions={one.issue: revisions.get(one.issue, ()) for one in disputes[run.run]},
                )
            )
    return {ref: sorted(runs, key=age, reverse=True) for ref, runs in by_subject.items()}


def _named(known: Mapping[str, _Record], name: str, what: str, path: PurePosixPath) -> _Record:
    found = known.get(name)
    if found is None:
        raise InputError(f"names the {what} {name}, which is not in this repository.", place=Place(path, field=what))
    return found


def _every_subject_is_there(published: Mapping[str, list[PublishedRun]], subjects: Mapping[str, Subject]) -> None:
    """Refuse a run whose subject has no file: no run may be left out in silence."""
    for ref, items in published.items():
        _named(subjects, ref, "subject", items[0].folder / paths.RUN_FILE)


def _derived(
    database: Database, cycles: Iterable[Cycle], kinds: Iterable[Kind], agents: Mapping[str, Agent]
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
                for row in board.agents:
                    _named(agents, row.agent, "agent", board_path)
                if board.agents:
                    boards.append(CycleBoard(cycle, kind, board))
    return verdicts, boards


def _results(
    subject: Subject,
    name: str,
    runs: list[PublishedRun],
    verdicts: list[CycleVerdict],
    requests: tuple[Requested, ...],
) -> SubjectResults:
    return SubjectResults(
        subject=subject,
        name=name,
        runs=tuple(run for run in runs if not run.control),
        controls=tuple(run for run in runs if run.control),
        verdicts=tuple(verdicts),
        requests=requests,
    )
