"""Reads the whole database once, keeping of each file only what the checks compare, so that it fits in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath
from typing import TypeVar

from argusic.database.database import Database
from argusic.database.listing import Listing
from argusic.database.paths import (
    DATA_FOLDERS,
    edition_path,
    index_results_path,
    instructions_path,
    revealed_path,
    what_is,
)
from argusic.errors import Finding, InputError, Place
from argusic.records.agent import Agent
from argusic.records.base import Part, Record
from argusic.records.board import Board
from argusic.records.conditions import CycleConditions, HarnessChange
from argusic.records.configuration import Configuration
from argusic.records.cycle import Close, Cycle
from argusic.records.edition import Edition
from argusic.records.findings import ClaimScreening, Dispute, DisputeRevision, Invalidation, Screening, Withdrawal
from argusic.records.index import Addendum, RankingInputs, Reference
from argusic.records.index_ranking import Ranking
from argusic.records.kind import Kind
from argusic.records.manifest import EditionUsed, Fingerprinted, Manifest
from argusic.records.reproduction import Reproduction
from argusic.records.request import ReproductionRequest, StrongerRequest
from argusic.records.rule_change import RuleChange
from argusic.records.run import Run
from argusic.records.sealed import Recipients
from argusic.records.subject import Subject
from argusic.records.trust import Trust
from argusic.records.verdicts import Verdicts
from argusic.rules.endings import ENDINGS
from argusic.rules.holding import hold

#: What is learnt about runs after they landed.
Later = Invalidation | Screening | ClaimScreening | Dispute | Withdrawal
R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What a run says of itself, as far as other files must agree."""

    path: PurePosixPath
    run: str
    cycle: str
    subject: str
    agent: str
    edition: str
    purpose: str
    tier: str
    budget_seconds: int
    pin: Part
    started: datetime
    conditions_sha256: str | None
    held_for: tuple[str, ...] | None
    """The fields that the record contradicts, where its own facts hold it; None where they do not."""


@dataclass(frozen=True, slots=True)
class ManifestFacts:
    """What a manifest says of its run, as far as other files must agree."""

    path: PurePosixPath
    run: str
    cycle: str
    edition: EditionUsed
    instructions: Fingerprinted
    agent: str
    files: tuple[str, ...]
    digests: Mapping[str, str]
    sealed_to: frozenset[tuple[str, ...]]
    recorded_seconds: float


@dataclass
class Survey:
    """The database as it was read.

    Attributes:
        listing: Its files.
        digests: The sha256 of every file that other files pin by digest, by path.
        findings: What could not be read.
    """

    listing: Listing
    digests: dict[str, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    cycles: dict[str, Cycle] = field(default_factory=dict)
    agents: dict[str, Agent] = field(default_factory=dict)
    subjects: dict[str, Subject] = field(default_factory=dict)
    editions: dict[str, Edition] = field(default_factory=dict)
    kinds: dict[str, Kind] = field(default_factory=dict)
    closes: dict[str, Close] = field(default_factory=dict)
    runs: list[RunFacts] = field(default_factory=list)
    manifests: dict[str, ManifestFacts] = field(default_factory=dict)
    later: list[tuple[PurePosixPath, Later]] = field(default_factory=list)
    withdrawn: dict[str, Withdrawal] = field(default_factory=dict)
    derived: list[tuple[PurePosixPath, str]] = field(default_factory=list)
    recipients: dict[str, Recipients] = field(default_factory=dict)
    conditions: dict[str, dict[str, CycleConditions]] = field(default_factory=dict)
    harness_changes: dict[str, list[HarnessChange]] = field(default_factory=dict)
    rule_changes: list[RuleChange] = field(default_factory=list)
    requests: list[StrongerRequest] = field(default_factory=list)
    reproduction_requests: list[ReproductionRequest] = field(default_factory=list)
    revisions: list[DisputeRevision] = field(default_factory=list)
    revealed: dict[str, Configuration] = field(default_factory=dict)
    reproductions: list[Reproduction] = field(default_factory=list)
    ranking_inputs: list[RankingInputs] = field(default_factory=list)
    references: dict[str, Reference] = field(default_factory=dict)
    addenda: dict[str, dict[str, Addendum]] = field(default_factory=dict)
    rankings: list[PurePosixPath] = field(default_factory=list)
    trust: Trust | None = None

    def lacks(self, path: PurePosixPath) -> bool:
        """Return whether there is no file at `path`. One that could not be read is named once, by itself."""
        return str(path) not in self.listing.blobs

    def found(self, path: PurePosixPath | str, what: str, *, at: str | None = None) -> Finding:
        """Return a finding at the field `at` of the file at `path`."""
        return Finding(Place(path, None, at), what)


def survey(database: Database) -> Survey:
    """Read every record of the database."""
    made = Survey(database.listing(*DATA_FOLDERS))
    by_model = _by_model(made.listing.blobs)

    def read(model: type[R]) -> Iterator[tuple[PurePosixPath, R]]:
        failed = lambda error: made.findings.append(Finding(error.place or Place("."), error.what))  # noqa: E731
        return database.records(by_model.get(model, {}), model, failed=failed)

    made.cycles = {cycle.cycle: cycle for _, cycle in read(Cycle)}
    made.agents = {agent.agent: agent for _, agent in read(Agent)}
    made.subjects = {subject.ref: subject for _, subject in read(Subject)}
    made.editions = {edition.edition: edition for _, edition in read(Edition)}
    made.kinds = {kind.kind: kind for _, kind in read(Kind)}
    made.closes = {close.cycle: close for _, close in read(Close)}
    made.runs = [_run_facts(path, run) for path, run in read(Run)]
    made.manifests = {str(path.parent): _manifest_facts(path, manifest) for path, manifest in read(Manifest)}
    tombstones = list(read(Withdrawal))
    made.withdrawn = {tombstone.run: tombstone for _, tombstone in tombstones}
    made.later = [*read(Invalidation), *read(Screening), *read(ClaimScreening), *read(Dispute), *tombstones]
    made.recipients = {recipients.cycle: recipients for _, recipients in read(Recipients)}
    for path, conditions in read(CycleConditions):
        made.conditions.setdefault(conditions.cycle, {})[path.stem] = conditions
    for _, change in read(HarnessChange):
        made.harness_changes.setdefault(change.cycle, []).append(change)
    made.rule_changes = [change for _, change in read(RuleChange)]
    made.requests = [request for _, request in read(StrongerRequest)]
    made.reproduction_requests = [request for _, request in read(ReproductionRequest)]
    made.revisions = [revision for _, revision in read(DisputeRevision)]
    made.reproductions = [reproduction for _, reproduction in read(Reproduction)]
    made.revealed = {revealed.agent: revealed for _, revealed in read(Configuration)}
    made.ranking_inputs = [ranking for _, ranking in read(RankingInputs)]
    made.references = {reference.reference: reference for _, reference in read(Reference)}
    for _, addendum in read(Addendum):
        made.addenda.setdefault(addendum.reference, {})[addendum.date] = addendum
    made.rankings = [path for path, _ in read(Ranking)]
    made.trust = next((trust for _, trust in read(Trust)), None)
    made.derived = [(path, board.cycle) for path, board in read(Board)]
    made.derived += [(path, verdicts.cycle) for path, verdicts in read(Verdicts)]
    made.digests = _digests(database, made)
    return made


def _by_model(blobs: Mapping[str, str]) -> dict[type[Record], dict[str, str]]:
    by_model: dict[type[Record], dict[str, str]] = {}
    for path, blob in blobs.items():
        holding = what_is(path)
        if holding is not None and holding.row.model is not None:
            by_model.setdefault(holding.row.model, {})[path] = blob
    return by_model


def _run_facts(path: PurePosixPath, run: Run) -> RunFacts:
    held = hold(run) is not None and ENDINGS[run.ending.how].valid
    held_for = run.audit.contradicted if held and run.audit is not None else None
    return RunFacts(
        path, run.run, run.cycle, run.subject, run.agent, run.edition, run.purpose, run.tier, run.budget_seconds,
        run.pin, run.started, run.conditions_sha256, held_for,
    )  # fmt: skip


def _manifest_facts(path: PurePosixPath, manifest: Manifest) -> ManifestFacts:
    kept = tuple(file.name for file in manifest.files if file.place == "run")
    digests = {file.name: file.sha256 for file in manifest.files}
    sealed_to = frozenset(entry.recipients for entry in manifest.sealed or ())
    return ManifestFacts(
        path, manifest.run, manifest.cycle, manifest.edition, manifest.instructions, manifest.agent.id, kept, digests,
        sealed_to, manifest.coverage.recorded_seconds,
    )  # fmt: skip


def _digests(database: Database, made: Survey) -> dict[str, str]:
    pinned = {str(edition_path(cycle.edition)) for cycle in made.cycles.values()}
    named = {edition.instructions for edition in made.editions.values()}
    pinned |= {str(instructions_path(name)) for name in named if name is not None}
    pinned |= {str(revealed_path(agent)) for agent in made.revealed}
    pinned |= {path for close in made.closes.values() for path in close.derived}
    frozen = (*made.references.values(), *(one for of in made.addenda.values() for one in of.values()))
    pinned |= {str(index_results_path(file.source)) for one in frozen for file in one.files}
    pinned |= {str(index_results_path(file.source)) for one in made.ranking_inputs for file in one.results}
    digests = {}
    for path in sorted(pinned & made.listing.blobs.keys()):
        try:
            digests[path] = hashlib.sha256(database.read_bytes(PurePosixPath(path))).hexdigest()
        except InputError as error:
            made.findings.append(Finding(error.place or Place(path), error.what))
    return digests
