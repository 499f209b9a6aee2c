"""Whether a plan is one that its cycle can have: it came in an artifact, too."""

from __future__ import annotations

from argusic.database.database import Database
from argusic.errors import InputError
from argusic.records.cycle import Cycle
from argusic.records.handing_over import Plan


def open_cycle(database: Database, plan: Plan) -> Cycle:
    """Return the cycle of a plan.

    Raises:
        InputError: It is closed, or the plan promises what it has not.
    """
    cycle = database.cycle(plan.cycle)
    if database.close(plan.cycle) is not None:
        raise InputError(f"cycle {plan.cycle} is closed: no run is added to it.")
    edition, _ = database.edition(cycle.edition)
    most = max(edition.board.runs_per_set, edition.verdict.complete_attempts if edition.verdict is not None else 1)
    seen: set[tuple[str, str]] = set()
    for job in plan.jobs:
        entry = cycle.entry(job.subject)
        purposes = {"control": cycle.controls, "board": cycle.board_agents}
        agents = purposes.get(job.purpose, (cycle.standard_agent, cycle.stronger_agent))
        if entry is None or job.agent not in agents or entry.tier != job.tier:
            what = f"{job.agent} on {job.subject} for the {job.purpose} ({job.tier})"
            raise InputError(f"the plan has the job {job.job}, {what}, which cycle {cycle.cycle} has not.")
        if (job.subject, job.agent) in seen or sum(job.job == other.job for other in plan.jobs) > 1:
            raise InputError(f"the plan has the job {job.job} or its cell twice.")
        if job.attempts > most:
            raise InputError(f"the plan has the job {job.job} owe {job.attempts} runs; no cell owes more than {most}.")
        seen.add((job.subject, job.agent))
    return cycle
