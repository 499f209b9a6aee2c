"""What one workflow run is to do of what a cycle owes: a job for each cell, with its machine and its time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from argusic.database.database import Database
from argusic.database.git import Git
from argusic.database.paths import RUNNERS_PATH, recipients_path
from argusic.errors import InputError, Place
from argusic.records.agent import Agent
from argusic.records.cycle import Cycle
from argusic.records.handing_over import Plan, PlannedJob
from argusic.records.runners import Runners
from argusic.runs.conditions import held_conditions
from argusic.runs.cycle import MAX_INVALID, still_owed
from argusic.runs.jobs.times import allowed, needed
from argusic.runs.order import open_edition

#: Jobs that one workflow run may have of a matrix, by GitHub's limit of 256.
MOST_JOBS: Final = 250


@dataclass(frozen=True)
class Planned:
    """A plan, and what there is to say of it.

    Attributes:
        plan: The plan.
        keys: Whether any of its jobs needs a key that was issued for it.
        remarks: Sentences for whoever reads the log.
    """

    plan: Plan
    keys: bool
    remarks: tuple[str, ...]


def plan_jobs(database: Database, cycle: Cycle, limit: int = MOST_JOBS, sandbox: str | None = None) -> Planned:
    """Plan what one workflow run does of what a cycle owes.

    Args:
        database: The database, with the runs that wait for review.
        cycle: The cycle.
        limit: Jobs at most; further cells are left to the next workflow run.
        sandbox: Another sandbox than the cycle's own.

    Raises:
        InputError: No attempt of the cycle may be made now, or none can be made in a job.
    """
    if not 1 <= limit <= MOST_JOBS:
        raise InputError(f"one workflow run has 1 to {MOST_JOBS} jobs, not {limit}.")
    open_edition(database, cycle)
    git = Git.around(database.root)
    cells = still_owed(database, cycle)
    remarks = [] if git is not None else ["This is no git checkout, so the plan names no commit."]
    if cells:
        must_have_recipients(database, cycle.cycle)
        held_conditions(database, cycle, sandbox)
    runners = runners_of(database)
    edition, _ = database.edition(cycle.edition)
    jobs, short = [], []
    for number, cell in enumerate(cells[:limit], 1):
        entry = cycle.entry(cell.subject)
        assert entry is not None, "a cell comes from an entry"
        budget = edition.budgets_minutes.minutes(entry.tier)
        if budget is None:
            what = f"cycle {cycle.cycle} gives {cell.subject} the {entry.tier} tier"
            raise InputError(f"{what}, which {edition.edition} has not.")
        machine = runners.of(entry.tier)
        wanted, most = needed(budget, most_attempts(cell.attempts)), allowed(machine)
        job = PlannedJob(
            job=f"{number:03d}",
            subject=cell.subject,
            agent=cell.agent,
            purpose=cell.purpose,
            attempts=cell.attempts,
            tier=entry.tier,
            runner=machine.labels,
            timeout_minutes=min(wanted, most),
        )
        jobs.append(job)
        short += [(job, wanted, most)] if wanted > most else []
    left = len(cells) - len(jobs)
    commit, now = git.head() if git is not None else None, datetime.now(UTC).replace(microsecond=0)
    plan = Plan(cycle=cycle.cycle, commit=commit, planned=now, jobs=tuple(jobs), left=left)
    remarks += _short(short)
    keys = any(needs_issued_key(database.agent(agent)) for agent in sorted({job.agent for job in jobs}))
    return Planned(plan, keys, tuple(remarks))


def most_attempts(valid: int) -> int:
    """Return how many attempts a job makes at most for some valid runs: it leaves a cell that is invalid too often."""
    return valid + MAX_INVALID - 1


def needs_issued_key(agent: Agent) -> bool:
    """Return whether an agent's model key has to come from elsewhere. Of a sealed one that is taken for granted."""
    if agent.configuration is not None:
        return agent.configuration.key.provider != "none"
    return agent.commitment is not None


def runners_of(database: Database) -> Runners:
    """Return which machines a repository makes attempts on.

    Raises:
        InputError: It does not say.
    """
    if not database.holds(RUNNERS_PATH):
        raise InputError("is missing: it says which machines attempts run on.", place=Place(RUNNERS_PATH))
    return database.read(RUNNERS_PATH, Runners)


def must_have_recipients(database: Database, cycle: str) -> None:
    """Refuse to make attempts in jobs whose raw evidence nobody could ever open.

    Raises:
        InputError: The cycle has no public keys yet.
    """
    if not database.holds(recipients_path(cycle)):
        raise InputError(
            f"cycle {cycle} has no keys that raw evidence is sealed to, and one that a job's machine made for itself "
            "would be lost with that machine.",
            advice=f"Run `argusic evidence recipients {cycle}` where private keys are kept, and commit what it writes.",
        )


def _short(jobs: list[tuple[PlannedJob, int, int]]) -> Iterator[str]:
    """Say which jobs may not have the time for all attempts that they owe."""
    if jobs:
        job, wanted, most = max(jobs, key=lambda one: one[1] - one[2])
        others = f", and {len(jobs) - 1} more jobs likewise" if len(jobs) > 1 else ""
        yield (
            f"Job {job.job} ({job.subject} by {job.agent}) could take {wanted} minutes with every retry, and GitHub "
            f"ends it after {most}{others}: an attempt that no longer fits is not begun, and stays owed."
        )
