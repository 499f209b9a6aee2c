"""Runs that are held: each screening of claims is of one of them, and no cycle is closed over one."""

from __future__ import annotations

from collections.abc import Iterator

from argusic.errors import Finding
from argusic.records.findings import ClaimScreening, Invalidation, Screening
from argusic.referee.checks.survey import Survey


def check_held(made: Survey) -> Iterator[Finding]:
    """Yield each screening of what holds nothing up, or of something else, and each held run of a closed cycle."""
    yield from _screenings(made)
    yield from _closed_over(made)


def _screenings(made: Survey) -> Iterator[Finding]:
    runs = {run.run: run for run in made.runs}
    for path, record in made.later:
        if not isinstance(record, ClaimScreening) or record.run not in runs:
            continue  # That there is no such run is said elsewhere.
        held_for = runs[record.run].held_for
        if held_for is None:
            yield made.found(path, f"is of {record.run}, which nothing holds.", at="run")
        elif held_for != record.fields:
            said = ", ".join(held_for) or "none"
            yield made.found(path, f"does not name the fields that the run says are contradicted: {said}.", at="fields")


def _closed_over(made: Survey) -> Iterator[Finding]:
    settled = set()
    for _, record in made.later:
        match record:
            case ClaimScreening() | Invalidation():
                settled.add(record.run)
            case Screening():
                settled.update(record.invalidates)
    for run in made.runs:
        if run.held_for is not None and run.cycle in made.closes and run.run not in settled:
            yield made.found(run.path, "is held until a person has looked, and its cycle is closed.", at="audit")
