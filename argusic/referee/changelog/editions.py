"""What a new edition must say: the next number, an entry of its own, and a start that comes after what was measured."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from argusic.errors import Finding
from argusic.records.cycle import Cycle
from argusic.records.edition import Edition
from argusic.referee.changelog.comparing import Begun, Comparison

#: What an edition that leaves scoring unchanged has as the edition before it has it.
_SCORING = ("weights", "board")
#: What an edition that corrects a description has as the edition before it has it: what runs are given or judged by. It
#: may say for the first time what keys are given, as v1.5 did.
_RULES = ("budgets_minutes", "heavy_above_mb", *_SCORING, "pool", "verdict", "key", "report", "instructions")


def wrong_editions(made: Comparison) -> Iterator[Finding]:
    """Yield what is wrong with the editions that a change adds, and with cycles that pin one before its start."""
    for edition in made.new_editions[1:]:
        first = made.new_editions[0].edition
        yield made.in_edition(edition, f"is a second edition in one change, after {first}.", "edition")
    if made.new_editions and made.editions_before:
        new, last = made.new_editions[0], made.editions_before[-1]
        yield from _follows(made, new, last)
        yield from _starts(made, new)
        yield from _agrees(made, new, last)
    yield from _pinned_early(made)


def _follows(made: Comparison, new: Edition, last: Edition) -> Iterator[Finding]:
    major, minor = last.order[0], last.order[1]
    following = (f"v{major}.{minor + 1}", f"v{major + 1}.0")
    if new.edition not in following:
        what = f"does not follow {last.edition}: the next is {following[0]}, or {following[1]}."
        yield made.in_edition(new, what, "edition")
    if new.changelog.split() == last.changelog.split():
        what = f"is the entry of {last.edition}: say what this edition changes, and why."
        yield made.in_edition(new, what, "changelog")
    if new.written < last.written:
        yield made.in_edition(new, f"is before {last.edition} was written ({last.written}).", "written")
    if new.earlier_runs is not None:
        what = "names runs before there were any: in force from is read from the runs that will be here."
        yield made.in_edition(new, what, "earlier_runs")


def _starts(made: Comparison, new: Edition) -> Iterator[Finding]:
    if new.planned is None:
        yield made.in_edition(new, "names no day: an edition is planned for the next cycle.", "planned")
        return
    planned = date.fromisoformat(new.planned)
    latest = max(made.begun, key=lambda begun: begun.over)
    if planned < latest.over:
        yield made.in_edition(new, f"is before the next cycle: {_until(latest)}.", "planned")


def _until(begun: Begun) -> str:
    verb = "runs until" if begun.close is None else "was closed on"
    return f"cycle {begun.cycle.cycle} {verb} {begun.over}"


def _agrees(made: Comparison, new: Edition, last: Edition) -> Iterator[Finding]:
    if new.corrects_description and new.scoring_changed:
        what = "says that scoring changed, which a correction of a description never does."
        yield made.in_edition(new, what, "scoring_changed")
    fixed = _RULES if new.corrects_description else () if new.scoring_changed else _SCORING
    why = "corrects a description alone" if new.corrects_description else "says that scoring is unchanged"
    for field in fixed:
        first = field == "key" and last.key is None
        if getattr(new, field) != getattr(last, field) and not first:
            yield made.in_edition(new, f"is not what {last.edition} says, and this edition {why}.", field)


def _pinned_early(made: Comparison) -> Iterator[Finding]:
    planned = {edition.edition: edition.planned for edition in (*made.editions_before, *made.new_editions)}
    for path, cycle in made.added(Cycle, "AM"):
        start = planned.get(cycle.edition)
        if start is not None and cycle.opens.date() < date.fromisoformat(start):
            what = f"is before edition {cycle.edition} is planned to start ({start})."
            yield made.found(path, what, "opens")
