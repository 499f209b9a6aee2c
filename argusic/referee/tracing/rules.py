"""The figures of the rules: what an edition states, since when it is in force, and what its points add up to."""

from __future__ import annotations

from pathlib import PurePosixPath

from argusic.records.base import format_time
from argusic.records.edition import Edition
from argusic.referee.tracing import stated
from argusic.referee.tracing.address import figure_at
from argusic.referee.tracing.ground import Ground
from argusic.referee.tracing.link import Figures, Link
from argusic.referee.tracing.runs import figures as figures_of_run
from argusic.rules.editions import in_force_from

_LINES = (("install",), ("launch",), ("error_recovery",), ("verification_depth", "tier1_real"))


def figures(ground: Ground, path: PurePosixPath) -> Figures:
    """Return every figure of an edition."""
    name = ground.record(path, Edition).edition

    def rest(place: tuple[str | int, ...]) -> tuple[tuple[str, ...], tuple[Link, ...]]:
        ground.edition(name)
        pinned = any(cycle.edition == name for cycle in ground.cycles)
        return (("is the file that every cycle under it pinned",) if pinned else ()), ()

    found = stated.figures(ground, path, ground.record(path, Edition), rest)

    def points() -> Link:
        parts = tuple(found["/".join(("weights", *line))]() for line in _LINES)
        value = sum(part.value for part in parts if isinstance(part.value, int))
        address, line = figure_at(path, "weights", "total"), ground.line(path, "weights")
        what = "points that a run can earn"
        return Link(what, value, str(path), ground.sha256(path), address, line, None, "their sum", below=parts)

    def in_force() -> Link:
        first = in_force_from(name, (stored.run for stored in ground.stored))
        address = figure_at(path, "in_force")
        what, rule = "in force from", "the start of the first complete run under it, controls aside"
        if first is None:
            return Link(
                what, None, str(path), ground.sha256(path), address, None, None, "no run has been measured under it"
            )
        place = next(stored.path for stored in ground.stored if stored.run.run == first.run)
        below = (figures_of_run(ground, place)["started"](),)
        value = format_time(first.started)
        return Link(what, value, str(path), ground.sha256(path), address, None, None, rule, below=below)

    return {**found, "weights/total": points, "in_force": in_force}
