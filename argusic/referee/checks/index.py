"""What the composite index rests on is here, may be here, and is what its rankings say it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from argusic.database.database import Database
from argusic.database.paths import (
    INDEX_DATA,
    addendum_path,
    index_results_path,
    ranking_inputs_path,
    ranking_path,
    reference_path,
)
from argusic.errors import Finding, InputError, Place
from argusic.records.index import Addendum, RankingInputs, Reference
from argusic.referee.checks.survey import Survey


def check_index(database: Database, made: Survey) -> Iterator[Finding]:
    """Yield each name of the index that leads nowhere, each file that is not what another pins, and each source whose
    results no licence lets the repository hold."""
    yield from _facts(database, made)
    newest = max((ranking.date for ranking in made.ranking_inputs), default="")
    for ranking in made.ranking_inputs:
        yield from _ranking(made, ranking)
        if ranking.date < newest and made.lacks(ranking_path(ranking.date)):
            what = f"was never derived, or what was is gone, and a ranking of {newest} is open: that one must wait."
            yield made.found(ranking_inputs_path(ranking.date), what, at="date")
    for reference in made.references.values():
        yield from _frozen(made, reference)
    for addenda in made.addenda.values():
        for addendum in addenda.values():
            yield from _frozen(made, addendum)
    for path in made.rankings:
        if made.lacks(ranking_inputs_path(path.stem)):
            yield made.found(path, f"is of {path.stem}, for which no ranking was opened.", at="date")


def _facts(database: Database, made: Survey) -> Iterator[Finding]:
    """Read what the index is made from as every command does, which refuses what may not lie in the repository too."""
    if not any(path.endswith(".csv") and PurePosixPath(path).is_relative_to(INDEX_DATA) for path in made.listing.blobs):
        return
    from argusic.leaderboards.index.reading.facts import read_facts

    try:
        read_facts(database.root / INDEX_DATA)
    except InputError as error:
        place = error.place or Place(INDEX_DATA)
        file = Path(place.file)
        if file.is_relative_to(database.root):
            file = file.relative_to(database.root)
        yield Finding(Place(file, place.line, place.field), error.what)


def _ranking(made: Survey, ranking: RankingInputs) -> Iterator[Finding]:
    path = ranking_inputs_path(ranking.date)
    yield from _files(made, path, {file.source: file.sha256 for file in ranking.results}, "results")
    used = ranking.reference
    if used is None:
        return
    reference = made.references.get(used.reference)
    if reference is None:
        if made.lacks(reference_path(used.reference)):
            yield made.found(path, f"names the reference {used.reference}, which does not exist.", at="reference")
        return
    if reference.sha256 != used.sha256:
        what = f"pins another text of {used.reference}: its digest is {reference.sha256}."
        yield made.found(path, what, at="reference.sha256")
    if reference.options != ranking.options:
        what = f"states other settings of the fit than {used.reference}, whose parameters it holds."
        yield made.found(path, what, at="options")
    if reference.date > ranking.date:
        what = f"names {used.reference}, which was frozen at {reference.date}, after it."
        yield made.found(path, what, at="reference")
    addenda = made.addenda.get(used.reference, {})
    for one in used.addenda:
        addendum = addenda.get(one.date)
        if addendum is None:
            if made.lacks(addendum_path(used.reference, one.date)):
                what = f"names the addendum of {one.date} to {used.reference}, which does not exist."
                yield made.found(path, what, at="reference.addenda")
        elif addendum.sha256 != one.sha256:
            what = f"pins another text of the addendum of {one.date}: its digest is {addendum.sha256}."
            yield made.found(path, what, at="reference.addenda")
    named = {one.date for one in used.addenda}
    for day in sorted(set(addenda) - named):
        if day <= ranking.date:
            what = f"does not name the addendum of {day} to {used.reference}, which holds by then."
            yield made.found(path, what, at="reference.addenda")


def _frozen(made: Survey, frozen: Reference | Addendum) -> Iterator[Finding]:
    if isinstance(frozen, Reference):
        path = reference_path(frozen.reference)
    else:
        path = addendum_path(frozen.reference, frozen.date)
        reference = made.references.get(frozen.reference)
        if reference is None and made.lacks(reference_path(frozen.reference)):
            yield made.found(path, f"adds to {frozen.reference}, which does not exist.", at="reference")
        elif reference is not None and reference.sha256 != frozen.held:
            what = f"adds to another text of {frozen.reference}: its digest is {reference.sha256}."
            yield made.found(path, what, at="held")
        if made.lacks(ranking_inputs_path(frozen.date)):
            yield made.found(path, f"is of {frozen.date}, for which no ranking was opened.", at="date")
    yield from _files(made, path, {file.source: file.sha256 for file in frozen.files}, "files")


def _files(made: Survey, path: PurePosixPath, pinned: dict[str, str], at: str) -> Iterator[Finding]:
    for number, (source, digest) in enumerate(pinned.items()):
        file = index_results_path(source)
        found = made.digests.get(str(file))
        if found is None:
            if made.lacks(file):
                yield made.found(path, f"names {file}, which does not exist.", at=f"{at}[{number}]")
        elif found != digest:
            yield made.found(path, f"pins another text of {file}: its sha256 is {found}.", at=f"{at}[{number}].sha256")
