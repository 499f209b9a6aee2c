"""The index of a repository: its facts and what people decided, read from the database and proved to be those named."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date as Date

from argusic.database.database import Database
from argusic.database.paths import (
    addendum_path,
    index_results_path,
    ranking_inputs_path,
    reference_path,
)
from argusic.errors import InputError, Place
from argusic.leaderboards.index.derive import index_at
from argusic.leaderboards.index.facts import Facts
from argusic.leaderboards.index.reading.facts import read_facts
from argusic.leaderboards.index.reading.places import data_folder, own_folder
from argusic.leaderboards.index.standings import Index
from argusic.records.index import Addendum, RankingInputs, Reference, ResultFile


@dataclass(frozen=True)
class Inputs:
    """What a ranking is made from, apart from the facts.

    Attributes:
        ranking: What people decided.
        reference: The reference that it names, or None.
        addenda: The addenda that it names, the oldest first.
    """

    ranking: RankingInputs
    reference: Reference | None
    addenda: tuple[Addendum, ...]


def read_index(database: Database, date: Date | None = None) -> Index | None:
    """Return the index of a date, the newest where none is given; None where the repository has no ranking.

    It is derived from the facts as they lie there now. Of an older date this may differ from what was published then:
    that stands in the record of its ranking.

    Raises:
        InputError: There is no ranking of that date, or what it is made from cannot be used.
        CheckFailed: The fit came to no end.
    """
    inputs = read_inputs(database, date)
    if inputs is None:
        return None
    return index_at(facts_of(database), inputs.ranking, inputs.reference, inputs.addenda)


def read_inputs(database: Database, date: Date | None = None) -> Inputs | None:
    """Return what the ranking of a date, or the newest one, is made from; None where the repository has none.

    Raises:
        InputError: There is none of that date; what it names is not here, or is not what it names.
    """
    if date is not None:
        ranking = database.read(ranking_inputs_path(date.isoformat()), RankingInputs)
    else:
        rankings = database.ranking_inputs()
        if not rankings:
            return None
        ranking = max(rankings, key=lambda one: one.date)
    return proved(database, ranking)


def proved(database: Database, ranking: RankingInputs) -> Inputs:
    """Return a ranking's inputs with the reference and addenda that it names.

    Raises:
        InputError: One of its files is not here, or is not what it names.
    """
    place = ranking_inputs_path(ranking.date)
    for file in ranking.results:
        path = index_results_path(file.source)
        found = hashlib.sha256(database.read_bytes(path)).hexdigest()
        if found != file.sha256:
            raise InputError(
                f"pins another text of {path}: its sha256 is {found}.", place=Place(place, field="results")
            )
    used = ranking.reference
    if used is None:
        return Inputs(ranking, None, ())
    reference = database.read(reference_path(used.reference), Reference)
    if reference.sha256 != used.sha256:
        what = f"pins another text of {used.reference}: its sha256 is {reference.sha256}."
        raise InputError(what, place=Place(place, field="reference.sha256"))
    addenda = []
    for one in used.addenda:
        addendum = database.read(addendum_path(used.reference, one.date), Addendum)
        if addendum.sha256 != one.sha256:
            what = f"pins another text of the addendum of {one.date}: its sha256 is {addendum.sha256}."
            raise InputError(what, place=Place(place, field="reference.addenda"))
        addenda.append(addendum)
    return Inputs(ranking, reference, tuple(addenda))


def facts_of(database: Database, *, own: bool = False) -> Facts:
    """Return the facts of a repository, and with `own` what its checkout keeps for itself.

    Raises:
        InputError: A table or a file of results cannot be used.
    """
    return read_facts(data_folder(database.root), own_folder(database.root) if own else None)


def files_of(database: Database, sources: Iterable[str]) -> tuple[ResultFile, ...]:
    """Return the files of results of some sources, each with its digest, by source.

    Raises:
        InputError: One of them is not here.
    """
    return tuple(
        ResultFile(source=source, sha256=hashlib.sha256(database.read_bytes(index_results_path(source))).hexdigest())
        for source in sorted(sources)
    )


def used_at(facts: Facts, date: Date) -> frozenset[str]:
    """Return the sources that have a result which counts at a date: run by then, or copied by then without a day."""
    return frozenset(one.source for one in facts.results if (one.as_of or facts.sources[one.source].snapshot) <= date)


def own_files(database: Database) -> tuple[ResultFile, ...]:
    """Return the files of results that the checkout keeps for itself, each with its digest, by source."""
    folder = own_folder(database.root)
    found = sorted(folder.glob("*.csv")) if folder.is_dir() else []
    return tuple(
        ResultFile(source=path.stem, sha256=hashlib.sha256(path.read_bytes()).hexdigest())
        for path in sorted(found, key=lambda path: path.stem)
    )
