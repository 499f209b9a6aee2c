"""What was derived stays derived as it was: a change of the rubric, or a correction of a description, is recomputed."""

from __future__ import annotations

from collections.abc import Iterator

from argusic.database.database import Database
from argusic.database.paths import what_is
from argusic.errors import Finding, InputError, Place
from argusic.leaderboards.gather import Gathered
from argusic.records.edition import Edition
from argusic.referee.changelog.bearing import RUBRIC
from argusic.referee.changelog.comparing import Comparison
from argusic.referee.recompute import check_derived, derive


def derived_otherwise(made: Comparison) -> Iterator[Finding]:
    """Yield what was derived before and comes out otherwise now, where the change is one that must not do so."""
    corrections = [edition for edition in made.new_editions if edition.corrects_description]
    rubric = any(RUBRIC in borne for borne in made.bearings.values())
    if not corrections and not rubric:
        return
    why = "a correction of a description" if corrections else "a change of the rubric's code"
    for change in made.changes:
        holding = what_is(change.path)
        if holding is not None and holding.row.nature == "derived" and change.status != "A":
            yield Finding(Place(change.path), f"changed with {why}, which leaves every derivation as it was.")
    try:
        yield from check_derived(made.database)
        if made.editions_before:
            for correction in corrections:
                yield from _under(made, made.editions_before[-1], correction)
    except InputError as error:
        yield Finding(error.place or Place("."), error.what)


def _under(made: Comparison, last: Edition, correction: Edition) -> Iterator[Finding]:
    """Derive what was measured under the edition before once more, as if it had been measured under the correction."""
    for path in _differing(made.database, last, correction):
        what = f"is not so: under this edition {path} would come out otherwise."
        yield made.in_edition(correction, what, "corrects_description")


def _differing(database: Database, last: Edition, correction: Edition) -> Iterator[str]:
    gathered = Gathered(database)
    gathered.editions = {**gathered.editions, last.edition: correction.model_copy(update={"edition": last.edition})}
    for group in sorted(gathered.runs):
        if gathered.cycle(group[0]).edition != last.edition:
            continue
        for path, data in derive(gathered, group, gathered.score_runs(group, {})).items():
            if database.holds(path) and database.read_bytes(path) != data:
                yield str(path)
