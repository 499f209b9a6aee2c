"""Opening a ranking: what it is made from is written down, each file with its digest, before anything is derived."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date as Date
from typing import Literal

from argusic.database.database import Database
from argusic.errors import InputError
from argusic.leaderboards.index.derive import prepared_for
from argusic.leaderboards.index.facts import Facts
from argusic.leaderboards.index.freezing import addendum, frozen
from argusic.leaderboards.index.stored import facts_of, files_of, own_files, used_at
from argusic.records.index import (
    Addendum,
    AddendumUsed,
    Draws,
    FitOptions,
    Panel,
    RankingInputs,
    Reference,
    ReferenceUsed,
    ResultFile,
)


@dataclass(frozen=True)
class Choices:
    """What a person decides of a ranking.

    Attributes:
        date: Its date.
        panel: Which benchmarks count.
        options: The settings of the fit.
        published: Which range stands beside a score.
        draws: How ranks are told apart.
        note: What a reader should know.
    """

    date: Date
    panel: Panel
    options: FitOptions
    published: Literal["conditional", "joint"]
    draws: Draws
    note: str | None = None


def inputs(choices: Choices, files: tuple[ResultFile, ...], reference: ReferenceUsed | None = None) -> RankingInputs:
    """Return what a ranking is made from as a record.

    Raises:
        InputError: There is no file of results.
    """
    if not files:
        raise InputError(f"No file of results may be used for {choices.date}: see `argusic index import`.")
    return RankingInputs.model_validate(
        {
            "date": choices.date.isoformat(),
            "panel": choices.panel,
            "options": choices.options,
            "published": choices.published,
            "draws": choices.draws,
            "reference": reference,
            "results": files,
            "note": choices.note,
        }
    )


def usable_files(database: Database, facts: Facts, date: Date) -> tuple[ResultFile, ...]:
    """Return the files of results that a ranking of a date may use: of its day or before, and free to be passed on.

    Raises:
        InputError: A file is not here any more.
    """
    return files_of(database, [name for name in used_at(facts, date) if facts.sources[name].redistributable])


def opened(database: Database, choices: Choices, reference: str | None) -> tuple[RankingInputs, Addendum | None]:
    """Return what a ranking is made from, and the addendum with which the benchmarks enter that nothing holds yet.

    Args:
        database: The repository.
        choices: What a person decides.
        reference: The reference that it holds to, or None.

    Raises:
        InputError: A file cannot be used, no result counts at that date, or there is no such reference.
        CheckFailed: A fit came to no end.
    """
    facts = facts_of(database)
    files = usable_files(database, facts, choices.date)
    if reference is None:
        made = inputs(choices, files)
        prepared_for(facts, made)  # What nothing could be derived from is not opened.
        return made, None
    held = database.references().get(reference)
    if held is None:
        known = ", ".join(sorted(database.references())) or "none"
        raise InputError(f"There is no reference {reference}; there is {known}.")
    if held.date > choices.date.isoformat():
        raise InputError(f"{reference} was frozen at {held.date}, after {choices.date}.")
    addenda = tuple(one for one in database.addenda(reference) if one.date <= choices.date.isoformat())
    made = inputs(choices, files, _used(held, addenda))
    entering = addendum(facts, made, held, addenda)
    if entering is None:
        return made, None
    if any(one.date == entering.date for one in addenda):
        raise InputError(f"{reference} has an addendum of {entering.date} already, and this ranking needs another.")
    return inputs(choices, files, _used(held, (*addenda, entering))), entering


def reference_of(database: Database, choices: Choices, reference: str) -> Reference:
    """Return the reference that the repository's results give at a date.

    Raises:
        InputError: A file cannot be used, or no result counts at that date.
        CheckFailed: The fit came to no end.
    """
    facts = facts_of(database)
    return frozen(facts, inputs(choices, usable_files(database, facts, choices.date)), reference)


def with_own(database: Database, made: RankingInputs, facts: Facts) -> RankingInputs:
    """Return a ranking's inputs with what the checkout keeps for itself, as far as it had results by its date."""
    used = used_at(facts, Date.fromisoformat(made.date))
    own = [file for file in own_files(database) if file.source in used]
    return made.model_copy(update={"results": tuple(sorted((*made.results, *own), key=lambda file: file.source))})


def _used(reference: Reference, addenda: tuple[Addendum, ...]) -> ReferenceUsed:
    return ReferenceUsed(
        reference=reference.reference,
        sha256=reference.sha256,
        addenda=tuple(AddendumUsed(date=one.date, sha256=one.sha256) for one in addenda),
    )
