"""Gathering what derivations are made of: one look at the database's files, each run scored once.

A database that contradicts itself is refused here, by file: nothing is derived from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import PurePosixPath
from typing import TypeVar

from argusic.database.database import Database
from argusic.database.inputs import digests, is_run
from argusic.database.paths import CLAIMS, agent_path, cycle_path, edition_path, what_is
from argusic.errors import InputError, Place
from argusic.leaderboards.group import Group
from argusic.records.agent import Agent
from argusic.records.base import Record
from argusic.records.cycle import Close, Cycle
from argusic.records.edition import Edition
from argusic.records.findings import ClaimScreening, Invalidation, Screening
from argusic.records.run import Run
from argusic.rules.scored import ScoredRun, learnt, scored

R = TypeVar("R", bound=Record)
#: A cycle and a kind.
GroupId = tuple[str, str]


class Gathered:
    """The inputs of all derivations, as they lay there when this was made."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._blobs = database.inputs()
        self._by_folder: dict[str, dict[str, str]] = {}
        self.runs: dict[GroupId, dict[str, str]] = {}
        """The blob id of every run, by path, for each cycle and kind that has any."""
        for path, blob in self._blobs.items():
            if is_run(path):
                _, cycle, kind, _ = path.split("/", 3)
                self.runs.setdefault((cycle, kind), {})[path] = blob
            else:
                self._by_folder.setdefault(path.rpartition("/")[0], {})[path] = blob

    def digests(self) -> dict[GroupId, str]:
        """Return a digest of all inputs of each cycle and kind that has runs."""
        return digests(self._blobs, self.runs)

    @cached_property
    def agents(self) -> dict[str, Agent]:
        """Every agent, by id."""
        return {agent.agent: agent for agent in self._all("pool/agents", Agent)}

    @cached_property
    def editions(self) -> dict[str, Edition]:
        """Every edition, by id."""
        return {edition.edition: edition for edition in self._all("rules/editions", Edition)}

    def edition_blobs(self) -> dict[str, str]:
        """Return the blob id of each edition's file, by path."""
        return dict(self._by_folder.get("rules/editions", {}))

    def cycle(self, cycle: str) -> Cycle:
        """Return a cycle.

        Raises:
            InputError: There is none of this id, though there are runs of it; or its edition is not the one it pinned.
        """
        path = cycle_path(cycle)
        record = self._one(path, Cycle)
        if record is None:
            raise InputError(f"is missing, though runs/{cycle}/ holds runs of it.", place=Place(path))
        _, digest = self._database.edition(record.edition)
        if digest != record.edition_sha256:
            raise InputError(
                f"is not the edition that cycle {cycle} pinned: its sha256 is {digest}.",
                place=Place(edition_path(record.edition)),
                advice=f"Put back the file whose sha256 pool/cycles/{cycle}.yaml names.",
            )
        return record

    def close(self, cycle: str) -> Close | None:
        """Return the close of a cycle; None while it is open."""
        return self._one(PurePosixPath("runs", cycle, "close.yaml"), Close)

    def closed(self) -> list[str]:
        """Return the cycles that are closed, by id."""
        return [folder.split("/")[1] for folder, held in self._by_folder.items() if f"{folder}/close.yaml" in held]

    def score_runs(self, group: GroupId, known: Mapping[str, ScoredRun]) -> dict[str, ScoredRun]:
        """Return every run of a group scored by its facts alone, by blob id.

        Args:
            group: The cycle and kind.
            known: Runs that were scored before under the same editions by the same program, by blob id.

        Raises:
            InputError: A run cannot be read, lies where it does not belong, or names no edition that is here.
        """
        found = {}
        unknown = {}
        for path, blob in self.runs[group].items():
            run = known.get(blob)
            # The same bytes at another path are another file: they must be read and refused again.
            if run is not None and _belongs(path, run):
                found[blob] = run
            else:
                unknown[path] = blob
        for stored, record in self._database.records(unknown, Run):
            edition = self.editions.get(record.edition)
            if edition is None:
                raise InputError(f"there is no edition {record.edition}.", place=Place(stored, field="edition"))
            found[unknown[str(stored)]] = scored(record, edition)
        return found

    def group(self, group: GroupId, runs: Mapping[str, ScoredRun]) -> Group:
        """Put one group together.

        Args:
            group: The cycle and kind.
            runs: Its scored runs by blob id.

        Raises:
            InputError: A run is of a subject that the cycle's pool lacks, of an agent that has no record, or
                made for what its agent's role does not allow.
        """
        cycle_id, kind = group
        cycle = self.cycle(cycle_id)
        screenings = self._all(f"runs/{cycle_id}/screenings/{kind}", Screening)
        own = {item.run: item for item in self._all(f"runs/{cycle_id}/invalidations", Invalidation)}
        claims = self._all(f"runs/{cycle_id}/screenings/{CLAIMS}", ClaimScreening)
        later = learnt(own, screenings, claims)
        pool = {entry.subject for entry in cycle.subjects}
        kept = []
        for path, blob in self.runs[group].items():
            run = runs[blob]
            if run.subject not in pool:
                raise InputError(f"cycle {cycle_id} has no subject {run.subject}.", place=Place(path, field="subject"))
            control = self._is_control(run.agent)
            if run.control != control:
                # A run that says so of itself would otherwise take itself off the board.
                what = f"does not fit {run.agent}, whose role is {'control' if control else 'agent'}."
                raise InputError(what, place=Place(path, field="purpose"))
            if not control:
                kept.append(later.stands(run))
        return Group(
            cycle=cycle,
            kind=kind,
            edition=self.editions[cycle.edition],
            board_agents=tuple(sorted(agent for agent in cycle.board_agents if not self._is_control(agent))),
            runs=tuple(kept),
            screenings={screening.subject: screening for screening in screenings},
        )

    def _is_control(self, agent: str) -> bool:
        record = self.agents.get(agent)
        if record is None:
            raise InputError("is missing, though a run or a cycle names it.", place=Place(agent_path(agent)))
        return record.role == "control"

    def _one(self, path: PurePosixPath, model: type[R]) -> R | None:
        blob = self._by_folder.get(str(path.parent), {}).get(str(path))
        if blob is None:
            return None
        return next(record for _, record in self._database.records({str(path): blob}, model))

    def _all(self, folder: str, model: type[R]) -> list[R]:
        wanted = {}
        for path, blob in self._by_folder.get(folder, {}).items():
            holding = what_is(path)
            if holding is not None and holding.row.model is model:
                wanted[path] = blob
        return [record for _, record in self._database.records(wanted, model)]


def _belongs(path: str, run: ScoredRun) -> bool:
    """Whether a run's file lies where its ids put it. Spelt out here: building ten thousand paths takes too long."""
    _, _, kind, initial, slug, agent, folder, _ = path.split("/")
    return (run.subject, run.agent, run.run, initial) == (f"{kind}/{slug}", agent, folder, slug[:1])
