"""What was asked for and written down, and whether it was given: nothing that is asked for is forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from argusic.database.database import Database
from argusic.records.cycle import Cycle
from argusic.records.request import ReproductionRequest, StrongerRequest
from argusic.referee.findings import find_run
from argusic.runs.cycle import still_owed
from argusic.runs.held import learnt_later

#: How a request stands. `open`: something can be done now. `waits`: the standard agent's attempts come first. `given`:
#: it was done. `lapsed`: the cycle was closed before, or its subject was shown to run.
State = Literal["open", "waits", "given", "lapsed"]


@dataclass(frozen=True)
class Requested:
    """A request and how it stands.

    Attributes:
        request: It.
        subject: The subject.
        agent: The agent that is to run.
        state: How it stands.
        command: What gives it, while it is open.
    """

    request: StrongerRequest | ReproductionRequest
    subject: str
    agent: str
    state: State
    command: str | None


def all_requests(database: Database, cycle: str | None = None) -> tuple[Requested, ...]:
    """Return the requests of one cycle, or of all, by time.

    Raises:
        InputError: There is no such cycle.
    """
    cycles = database.cycles() if cycle is None else (database.cycle(cycle),)
    found: list[Requested] = []
    for one in cycles:
        found += _stronger(database, one)
        found += [_reproduction(database, wanted) for wanted in database.reproduction_requests(one.cycle).values()]
    return tuple(sorted(found, key=lambda item: (item.request.at, item.subject, item.agent)))


def _stronger(database: Database, cycle: Cycle) -> list[Requested]:
    requests = database.requests(cycle.cycle)
    if not requests:
        return []
    agent = cycle.stronger_agent or ""
    later = learnt_later(database, cycle.cycle)
    ran = {
        stored.run.subject
        for stored in database.runs(cycle.cycle)
        if stored.run.agent == agent
        and later.score(stored.run, database.edition(stored.run.edition)[0]).outcome != "invalid"
    }
    closed = database.close(cycle.cycle) is not None
    owed = {} if closed else {(cell.subject, cell.agent): cell for cell in still_owed(database, cycle)}
    made = []
    for subject, request in requests.items():
        state: State
        if subject in ran:
            state = "given"
        elif (subject, agent) in owed:
            state = "open"
        elif cycle.standard_agent is not None and (subject, cycle.standard_agent) in owed:
            state = "waits"
        else:
            state = "lapsed"
        command = f"argusic cycle run {cycle.cycle} --subject {subject} --agent {agent}" if state == "open" else None
        made.append(Requested(request, subject, agent, state, command))
    return made


def _reproduction(database: Database, wanted: ReproductionRequest) -> Requested:
    run = find_run(database, wanted.run).run
    given = any(
        wanted.run in cell.original
        for made in database.reproductions(wanted.cycle)
        for cell in made.cells
        if made.recorded > wanted.at
    )
    command = f"argusic reproduce {wanted.cycle} --subject {run.subject} --agent {run.agent} --record --by NAME"
    return Requested(wanted, run.subject, run.agent, "given" if given else "open", None if given else command)
