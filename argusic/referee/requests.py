"""Writing down that somebody asked for the stronger agent on a subject; what a cycle owes follows from it."""

from __future__ import annotations

from datetime import datetime

from argusic.database.database import Database
from argusic.database.paths import request_path
from argusic.errors import InputError, Place
from argusic.records.request import StrongerRequest
from argusic.referee.findings import must_be_open, stated
from argusic.rules.scored import scored
from argusic.rules.verdict import Chain, verdict
from argusic.runs.held import learnt_later


def request_stronger(
    database: Database, cycle_id: str, subject: str, *, reason: str, by: str, at: datetime, issue: int | None = None
) -> StrongerRequest:
    """Write down a request for a run of the stronger agent. It runs once the standard agent's attempts are made.

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
    path = request_path(cycle_id, subject)
    if database.holds(path):
        raise InputError("is there already: somebody asked before.", place=Place(path))
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
    made = stated(StrongerRequest, cycle=cycle_id, subject=subject, reason=reason, by=by, at=at, issue=issue)
    database.write(path, made)
    return made
