"""A request is of what can be given: a stronger agent that its cycle names, a sealed agent's run that is there."""

from __future__ import annotations

from collections.abc import Iterator

from argusic.database.paths import cycle_path, reproduction_request_path, request_path
from argusic.errors import Finding
from argusic.referee.checks.survey import Survey


def check_requests(made: Survey) -> Iterator[Finding]:
    """Yield each request that nothing can be owed by."""
    for request in made.requests:
        path = request_path(request.cycle, request.subject)
        cycle = made.cycles.get(request.cycle)
        if made.lacks(cycle_path(request.cycle)):
            yield made.found(path, f"names the cycle {request.cycle}, which does not exist.", at="cycle")
        elif cycle is not None and cycle.entry(request.subject) is None:
            yield made.found(path, f"names {request.subject}, which its cycle does not test.", at="subject")
        elif cycle is not None and cycle.stronger_agent is None:
            yield made.found(path, "asks for a stronger agent, and its cycle names none.", at="cycle")
    if made.reproduction_requests:
        yield from _reproductions(made)


def _reproductions(made: Survey) -> Iterator[Finding]:
    runs = {run.run: run for run in made.runs}
    for wanted in made.reproduction_requests:
        path = reproduction_request_path(wanted.cycle, wanted.run)
        run = runs.get(wanted.run)
        agent = made.agents.get(run.agent) if run is not None else None
        if run is None or run.cycle != wanted.cycle:
            yield made.found(path, f"names {wanted.run}, which is no run of the cycle {wanted.cycle}.", at="run")
        elif agent is not None and agent.identity != "sealed":
            yield made.found(path, f"names a run of {run.agent}, whose configuration is no secret.", at="run")
