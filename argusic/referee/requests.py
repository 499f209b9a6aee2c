"""Writing down what somebody asked for: the stronger agent on a subject, or a sealed agent's run made again.

What a cycle owes follows from the first. The second waits until the keepers of the sealed configuration have made the
run again, and is answered by a reproduction that has one of its cell.
"""

from __future__ import annotations

from datetime import datetime

from argusic.database.database import Database
from argusic.database.paths import reproduction_request_path, request_path, revealed_path
from argusic.errors import InputError
from argusic.records.request import ReproductionRequest, StrongerRequest
from argusic.referee.findings import find_run, must_be_open, stated
from argusic.rules.scored import scored
from argusic.rules.verdict import Chain, verdict
from argusic.runs.held import learnt_later


def request_stronger(
    database: Database, cycle_id: str, subject: str, *, reason: str, by: str, at: datetime, issue: int | None = None
) -> StrongerRequest:
    """Write down a request for a run of the stronger agent. It runs once the standard agent's attempts are made.

    Raises:
        InputError: As `stronger_request` says.
    """
    made = stronger_request(database, cycle_id, subject, reason=reason, by=by, at=at, issue=issue)
    database.write(request_path(cycle_id, subject), made)
    return made


def stronger_request(
    database: Database, cycle_id: str, subject: str, *, reason: str, by: str, at: datetime, issue: int | None = None
) -> StrongerRequest:
    """Return a request for a run of the stronger agent, which is written nowhere yet.

    Raises:
        InputError: The cycle is closed, has no such subject or no stronger agent; its edition knows no such request;
            the subject was shown to run, the stronger agent ran on it, or somebody asked before.
    """
    cycle = database.cycle(cycle_id)
    must_be_open(database, cycle_id)
    if cycle.entry(subject) is None:
        raise InputError(f"cycle {cycle_id} has no subject {subject}.")
    if cycle.stronger_agent is None:
        raise InputError(f"cycle {cycle_id} names no stronger agent.")
    if cycle.standard_agent is None:
        raise InputError(f"cycle {cycle_id} only compares agents, and reaches verdicts by no chain.")
    edition, _ = database.edition(cycle.edition)
    rules = edition.verdict
    if rules is None:
        raise InputError(f"edition {cycle.edition} gives no verdicts on projects.")
    if rules.stronger_agent == "third_step":
        raise InputError(f"under edition {cycle.edition} the stronger agent is the chain's third step anyway.")
    if database.holds(request_path(cycle_id, subject)):
        raise InputError(f"somebody asked before for the stronger agent on {subject} in cycle {cycle_id}.")
    later = learnt_later(database, cycle_id)
    runs = [
        later.stands(scored(stored.run, edition))
        for stored in database.runs(cycle_id, subject.split("/")[0])
        if stored.run.subject == subject and stored.run.purpose != "control"
    ]
    if verdict(runs, Chain(cycle.standard_agent, cycle.stronger_agent, rules)).word in ("runs", "runs_with_mocks"):
        raise InputError(f"{subject} was shown to run in cycle {cycle_id}, and a chain ends at its first pass.")
    if any(run.valid and run.agent == cycle.stronger_agent for run in runs):
        raise InputError(f"the stronger agent made a complete attempt on {subject} in cycle {cycle_id} already.")
    return stated(StrongerRequest, cycle=cycle_id, subject=subject, reason=reason, by=by, at=at, issue=issue)


def request_reproduction(
    database: Database, run: str, *, reason: str, by: str, at: datetime, issue: int | None = None
) -> ReproductionRequest:
    """Write down a request that a run of a sealed agent be made again.

    Raises:
        InputError: As `reproduction_request` says.
    """
    made = reproduction_request(database, run, reason=reason, by=by, at=at, issue=issue)
    database.write(reproduction_request_path(made.cycle, made.run), made)
    return made


def reproduction_request(
    database: Database, run: str, *, reason: str, by: str, at: datetime, issue: int | None = None
) -> ReproductionRequest:
    """Return a request that a run of a sealed agent be made again, which is written nowhere yet.

    Raises:
        InputError: There is no such run, its agent's configuration is no secret, or somebody asked before.
    """
    record = find_run(database, run).run
    agent = database.agent(record.agent)
    if agent.identity != "sealed" or database.holds(revealed_path(agent.agent)):
        raise InputError(
            f"the configuration of {record.agent} is open: anybody can make run {run} again, in a fork, "
            f"with `argusic reproduce {record.cycle} --subject {record.subject}`."
        )
    if database.holds(reproduction_request_path(record.cycle, run)):
        raise InputError(f"somebody asked before that run {run} be made again.")
    return stated(ReproductionRequest, run=run, cycle=record.cycle, reason=reason, by=by, at=at, issue=issue)
