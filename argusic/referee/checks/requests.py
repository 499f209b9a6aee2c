"""A request for the stronger agent is of a subject that its cycle tests, and of a cycle that names such an agent."""

from __future__ import annotations

from collections.abc import Iterator

from argusic.database.paths import cycle_path, request_path
from argusic.errors import Finding
from argusic.referee.checks.survey import Survey


def check_requests(made: Survey) -> Iterator[Finding]:
    """Yield each request that no cycle can owe anything by."""
    for request in made.requests:
        path = request_path(request.cycle, request.subject)
        cycle = made.cycles.get(request.cycle)
        if made.lacks(cycle_path(request.cycle)):
            yield made.found(path, f"names the cycle {request.cycle}, which does not exist.", at="cycle")
        elif cycle is not None and cycle.entry(request.subject) is None:
            yield made.found(path, f"names {request.subject}, which its cycle does not test.", at="subject")
        elif cycle is not None and cycle.stronger_agent is None:
            yield made.found(path, "asks for a stronger agent, and its cycle names none.", at="cycle")
