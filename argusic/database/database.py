"""The database of a referee repository: its records by id, and what its derivations are made of."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TypeVar

from argusic.database import paths
from argusic.database.codec import dump, parse_record
from argusic.database.inputs import INDEX_INPUT_FOLDERS, INPUT_FOLDERS, digests, feeds, is_run
from argusic.database.storage import Storage
from argusic.errors import InputError, Place
from argusic.records.agent import Agent
from argusic.records.base import Record
from argusic.records.conditions import CycleConditions, HarnessChange
from argusic.records.configuration import Configuration
from argusic.records.cycle import Close, Cycle
from argusic.records.edition import Edition
from argusic.records.findings import ClaimScreening, Dispute, DisputeRevision, Invalidation, Screening, Withdrawal
from argusic.records.index import Addendum, RankingInputs, Reference
from argusic.records.index_ranking import Ranking
from argusic.records.kind import Kind
from argusic.records.reproduction import Reproduction
from argusic.records.request import ReproductionRequest, StrongerRequest
from argusic.records.rule_change import RuleChange
from argusic.records.run import Run
from argusic.records.subject import Subject

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class StoredRun:
    """A run as the database holds it.

    Attributes:
        path: The path of its `run.yaml`, from the top of the database.
        run: The record.
    """

    path: PurePosixPath
    run: Run

    @property
    def folder(self) -> PurePosixPath:
        """The run's folder, from the top of the database."""
        return self.path.parent


class Database(Storage):
    """The database of a referee repository, by the ids of its records."""

    @classmethod
    def find(cls, start: Path) -> Database:
        """Return the database that `start` lies in: the nearest folder upwards with `pool/` and `rules/`.

        Raises:
            InputError: There is none.
        """
        here = start.resolve()
        for folder in (here, *here.parents):
            if (folder / "pool").is_dir() and (folder / "rules").is_dir():
                return cls(folder)
        raise InputError(
            f"{start} is not inside a referee repository: no folder from there up holds pool/ and rules/.",
            advice="Change into a checkout of one, or name it with --repo.",
        )

    # Records by id

    def cycle(self, cycle: str) -> Cycle:
        """Return a cycle. Raises InputError where there is none."""
        return self.read(paths.cycle_path(cycle), Cycle)

    def subject(self, ref: str) -> Subject:
        """Return a subject by its address, `<kind>/<slug>`. Raises InputError where there is none."""
        kind, slash, slug = ref.partition("/")
        if not slash or not slug:
            raise InputError(f"{ref!r} is no subject's address, KIND/SLUG.")
        return self.read(paths.subject_path(kind, slug), Subject)

    def agent(self, agent: str) -> Agent:
        """Return an agent. Raises InputError where there is none."""
        return self.read(paths.agent_path(agent), Agent)

    def edition(self, edition: str) -> tuple[Edition, str]:
        """Return an edition and the sha256 of its file. Raises InputError where there is none."""
        path = paths.edition_path(edition)
        data = self.read_bytes(path)
        return self.checked(path, parse_record(data, Edition, file=path)), hashlib.sha256(data).hexdigest()

    def close(self, cycle: str) -> Close | None:
        """Return the close of a cycle; None while it is open."""
        path = paths.close_path(cycle)
        return self.read(path, Close) if self.holds(path) else None

    # All records of a sort

    def cycles(self) -> tuple[Cycle, ...]:
        """Return every cycle, by id."""
        return self._all("pool/cycles", Cycle)

    def subjects(self) -> tuple[Subject, ...]:
        """Return every subject, by kind and slug."""
        return tuple(sorted(self._all("pool/subjects", Subject), key=lambda subject: (subject.kind, subject.slug)))

    def agents(self) -> tuple[Agent, ...]:
        """Return every agent, by id."""
        return self._all("pool/agents", Agent)

    def revealed(self) -> dict[str, Configuration]:
        """Return the configurations that were sealed and are revealed, by agent."""
        return {revealed.agent: revealed for revealed in self._all("pool/agents/revealed", Configuration)}

    def editions(self) -> tuple[Edition, ...]:
        """Return every edition, in the order of their numbers."""
        return tuple(
            sorted(
                self._all("rules/editions", Edition),
                key=lambda edition: [int(number) for number in edition.edition[1:].split(".")],
            )
        )

    def kinds(self) -> tuple[Kind, ...]:
        """Return every kind, in the order of the methodology's table."""
        return tuple(sorted(self._all("rules/kinds", Kind), key=lambda kind: (kind.place, kind.kind)))

    def invalidations(self, cycle: str) -> dict[str, Invalidation]:
        """Return the invalidations of a cycle that have a file of their own, by run."""
        found = self._all(f"runs/{cycle}/invalidations", Invalidation)
        return {invalidation.run: invalidation for invalidation in found}

    def withdrawals(self, cycle: str) -> dict[str, Withdrawal]:
        """Return the tombstones of a cycle's withdrawn files, by run."""
        found = self._all(f"runs/{cycle}/withdrawn", Withdrawal)
        return {withdrawal.run: withdrawal for withdrawal in found}

    def conditions(self, cycle: str) -> dict[str, CycleConditions]:
        """Return the conditions that are written down of a cycle, by their digest."""
        found = self._all(f"runs/{cycle}/conditions", CycleConditions)
        return {hashlib.sha256(dump(conditions)).hexdigest(): conditions for conditions in found}

    def harness_changes(self, cycle: str) -> dict[str, HarnessChange]:
        """Return the statements that changes of a cycle's harness have no effect, by the digest of what came."""
        found = self._all(f"runs/{cycle}/harness-changes", HarnessChange)
        return {change.conditions: change for change in found}

    def rule_changes(self) -> dict[str, RuleChange]:
        """Return the statements that changes of rules and harness have no effect, by their digest."""
        found = self._all("rules/changes", RuleChange)
        return {hashlib.sha256(dump(change)).hexdigest(): change for change in found}

    def requests(self, cycle: str) -> dict[str, StrongerRequest]:
        """Return the requests that the stronger agent of a cycle be run, by subject."""
        return {request.subject: request for request in self._all(f"runs/{cycle}/requests", StrongerRequest)}

    def reproduction_requests(self, cycle: str) -> dict[str, ReproductionRequest]:
        """Return the requests that runs of a cycle's sealed agents be made again, by run."""
        return {request.run: request for request in self._all(f"runs/{cycle}/requests", ReproductionRequest)}

    def screenings(self, cycle: str) -> tuple[Screening, ...]:
        """Return the screenings of a cycle, by subject."""
        return self._all(f"runs/{cycle}/screenings", Screening)

    def claim_screenings(self, cycle: str) -> dict[str, ClaimScreening]:
        """Return what people found of the claims that runs of a cycle were held for, by run."""
        found = self._all(f"runs/{cycle}/screenings/{paths.CLAIMS}", ClaimScreening)
        return {claim.run: claim for claim in found}

    def disputes(self, cycle: str) -> tuple[Dispute, ...]:
        """Return the disputes of a cycle, by issue."""
        found = self._all(f"runs/{cycle}/disputes", Dispute)
        return tuple(sorted(found, key=lambda dispute: dispute.issue))

    def dispute_revisions(self, cycle: str) -> dict[int, tuple[DisputeRevision, ...]]:
        """Return what a cycle's disputes were changed to after they were accepted, oldest first, by issue."""
        found: dict[int, list[DisputeRevision]] = {}
        for revision in self._all(f"runs/{cycle}/disputes", DisputeRevision):
            found.setdefault(revision.issue, []).append(revision)
        return {issue: tuple(sorted(made, key=lambda one: one.edited)) for issue, made in found.items()}

    def reproductions(self, cycle: str | None = None) -> tuple[Reproduction, ...]:
        """Return the reproductions of a cycle, or of all of them, by cycle and id."""
        return self._all("runs/reproductions" if cycle is None else f"runs/reproductions/{cycle}", Reproduction)

    # The composite index

    def ranking_inputs(self) -> tuple[RankingInputs, ...]:
        """Return what the rankings of the index are made from, by date."""
        return self._all("leaderboards/index/rankings", RankingInputs)

    def references(self) -> dict[str, Reference]:
        """Return the references of the index, by id."""
        return {made.reference: made for made in self._all("leaderboards/index/references", Reference)}

    def addenda(self, reference: str) -> tuple[Addendum, ...]:
        """Return what was added to a reference of the index, by date."""
        return self._all(f"leaderboards/index/references/{reference}", Addendum)

    def rankings(self) -> dict[str, Ranking]:
        """Return the rankings of the index as they were published, by date."""
        return {ranking.date: ranking for ranking in self._all("leaderboards/index/derived", Ranking)}

    def index_inputs(self) -> Mapping[str, str]:
        """Return the blob id of every file that feeds the index, by path, sorted.

        Raises:
            InputError: Something stands where one of them should that is no file, and would be passed over.
        """
        return self._files(INDEX_INPUT_FOLDERS, lambda path: True)

    def _all(self, folder: str, model: type[R]) -> tuple[R, ...]:
        blobs = self.listing(folder).blobs
        wanted = {path: blob for path, blob in blobs.items() if self._holds_model(path, model)}
        return tuple(record for _, record in self.records(wanted, model))

    def _holds_model(self, path: str, model: type[Record]) -> bool:
        holding = paths.what_is(path)
        return holding is not None and holding.row.model is model

    # Runs and what derivations are made of

    def runs(self, cycle: str | None = None, kind: str | None = None) -> Iterator[StoredRun]:
        """Yield the runs, of one cycle and one kind where those are given, by path.

        Raises:
            InputError: A run is not valid, or its ids disagree with its path.
        """
        wanted = {path: blob for path, blob in self._run_blobs(cycle).items() if kind in (None, path.split("/")[2])}
        for path, run in self.records(wanted, Run):
            yield StoredRun(path, run)

    def run_index(self) -> dict[tuple[str, str], list[tuple[PurePosixPath, str]]]:
        """Return the path and blob id of every run, by cycle and kind, without reading any."""
        index: dict[tuple[str, str], list[tuple[PurePosixPath, str]]] = {}
        for path, blob in self._run_blobs(None).items():
            _, cycle, kind, *_ = path.split("/")
            index.setdefault((cycle, kind), []).append((PurePosixPath(path), blob))
        return index

    def input_digest(self, cycle: str, kind: str) -> str:
        """Return a digest of every file that feeds the derivations of a cycle and kind: its runs,
        invalidations, screenings and disputes, the cycle and its close, its subjects, all agents, editions and
        kinds. It says nothing of the program: a caller that keeps results adds the fingerprint of its own code.
        """
        return self.input_digests((cycle, kind))[cycle, kind]

    def input_digests(self, *groups: tuple[str, str]) -> dict[tuple[str, str], str]:
        """Return `input_digest` of several cycles and kinds, looking at the files once; of every cycle and
        kind that has a run where none is given."""
        blobs = self.inputs()
        with_runs = sorted({(path.split("/")[1], path.split("/")[2]) for path in blobs if is_run(path)})
        return digests(blobs, groups or with_runs)

    def inputs(self) -> Mapping[str, str]:
        """Return the blob id of every file that feeds derivations, by path, sorted.

        Raises:
            InputError: Something stands where one of them should that is no file, and would be passed over.
        """
        return self._files(INPUT_FOLDERS, lambda path: feeds(path) is not None)

    def _files(self, folders: tuple[str, ...], only: Callable[[str], bool]) -> Mapping[str, str]:
        listing = self.listing(*folders, only=only)
        for path, what in listing.strange.items():
            raise InputError(f"is {what}; the database holds regular files alone.", place=Place(path))
        return listing.blobs

    def _run_blobs(self, cycle: str | None) -> Mapping[str, str]:
        return self.listing("runs" if cycle is None else f"runs/{cycle}", only=is_run).blobs
