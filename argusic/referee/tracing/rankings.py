"""Figures of the composite index: those of a ranking, the rows of results that they follow from, and those rows.

Numbers are loaded only where a ranking is traced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from argusic.database.paths import INDEX_DATA, index_results_path, ranking_inputs_path, reference_path
from argusic.errors import Place
from argusic.records.index import RankingInputs
from argusic.records.index_ranking import Ranking
from argusic.referee.differing import differences
from argusic.referee.ranking import derived_ranking, rankings
from argusic.referee.tracing import stated
from argusic.referee.tracing.address import figure_at
from argusic.referee.tracing.ground import Ground
from argusic.referee.tracing.link import Broken, Figures, Link

if TYPE_CHECKING:
    from argusic.leaderboards.index.facts import Result

_SOURCES: Final = INDEX_DATA / "sources.csv"
_DERIVED: Final = "is what the results give, derived again (argusic recompute --check)"
_FITTED: Final = "fitted together with every other result that counts"
_PUBLISHED: Final = "as it was published at its date; what followed later changed no published ranking"


def figures(ground: Ground, path: PurePosixPath) -> Figures:
    """Return the figures of a ranking. Those of a model or a benchmark follow from its rows; all from the inputs."""
    record = ground.record(path, Ranking)

    @cache
    def follows() -> bool:
        return must_follow(ground, path)

    @cache
    def rows() -> Mapping[str, tuple[Result, ...]]:
        return _rows(ground, record)

    def rest(place: tuple[str | int, ...]) -> tuple[tuple[str, ...], tuple[Link, ...]]:
        checked = (_DERIVED if follows() else _PUBLISHED,)
        return checked, (_inputs(ground, record), *_of_rows(ground, rows().get(_whose(record, place), ())))

    return {name: _named(record, name, make) for name, make in stated.figures(ground, path, record, rest).items()}


def _named(record: Ranking, figure: str, make: Callable[[], Link]) -> Callable[[], Link]:
    """Return what makes a link that calls a model by its name, where its address has a number."""
    steps = figure.split("/")
    if steps[0] != "models" or len(steps) < 3:
        return make
    name = record.models[int(steps[1]) - 1].model

    def named() -> Link:
        return replace(make(), what=f"{name}: {' '.join(steps[2:]).replace('_', ' ')}")

    return named


def must_follow(ground: Ground, path: PurePosixPath) -> bool:
    """Check that the newest ranking is what its inputs give; return whether this is the newest.

    Raises:
        Broken: It is not what they give.
    """
    found = rankings(ground.database)
    if found is None or found.path != path:
        return False
    differing = differences(path, ground.data(path), derived_ranking(ground.database, found))
    if differing:
        raise Broken(differing[0].place, differing[0].what)
    return True


def figures_of_results(ground: Ground, path: PurePosixPath) -> Figures:
    """Return the figures of a file of results: how many it has, and the score of each row by its line."""
    from argusic.leaderboards.index.stored import facts_of

    results = [one for one in facts_of(ground.database).results if index_results_path(one.source) == path]

    def count() -> Link:
        address = figure_at(path, "results")
        return Link(
            "results of the source", len(results), str(path), ground.sha256(path), address, below=(_source(ground),)
        )

    made = {f"{one.row}/score": lambda one=one: _row(ground, one, below=(_source(ground),)) for one in results}
    return {"results": count, **made}


def _whose(record: Ranking, place: tuple[str | int, ...]) -> str:
    """Return the model or benchmark that a figure is of; nothing where it is of the whole."""
    if len(place) < 2 or not isinstance(place[1], int):
        return ""
    match place[0]:
        case "models":
            return f"model {record.models[place[1]].model}"
        case "benchmarks":
            return f"benchmark {record.benchmarks[place[1]].benchmark}"
        case "left_out":
            return f"benchmark {record.left_out[place[1]].benchmark}"
    return ""


def _rows(ground: Ground, record: Ranking) -> Mapping[str, tuple[Result, ...]]:
    """Return the published results behind each model and benchmark, the best variant of each pair."""
    from argusic.leaderboards.index.derive import prepared_for
    from argusic.leaderboards.index.stored import facts_of

    inputs = ground.record(ranking_inputs_path(record.date), RankingInputs)
    found: dict[str, list[Result]] = {}
    for one in prepared_for(facts_of(ground.database), inputs).chosen:
        if one.counts:
            found.setdefault(f"model {one.result.model}", []).append(one.result)
        found.setdefault(f"benchmark {one.result.benchmark}", []).append(one.result)
    return {name: tuple(results) for name, results in found.items()}


def _of_rows(ground: Ground, results: Iterable[Result]) -> Iterable[Link]:
    return (_row(ground, one) for one in results)


def _row(ground: Ground, result: Result, below: tuple[Link, ...] = ()) -> Link:
    path = index_results_path(result.source)
    return Link(
        what=f"published result of {result.model} on {result.benchmark}",
        value=result.score,
        file=str(path),
        sha256=ground.sha256(path),
        address=figure_at(path, result.row, "score"),
        line=result.row,
        below=below,
    )


def _inputs(ground: Ground, record: Ranking) -> Link:
    path = ranking_inputs_path(record.date)
    inputs = ground.record(path, RankingInputs)
    used = [(index_results_path(one.source), one.sha256) for one in inputs.results]
    for file, sha256 in used:
        if ground.sha256(file) != sha256:
            what = f"it is not the file that {path} pins, whose sha256 is {sha256}"
            raise Broken(Place(file), what)
    if inputs.reference is not None:
        used.append(
            (reference_path(inputs.reference.reference), ground.sha256(reference_path(inputs.reference.reference)))
        )
    return Link(
        what="what the ranking is made from",
        value=len(inputs.results),
        file=str(path),
        sha256=ground.sha256(path),
        address=figure_at(path, "results"),
        rule=_FITTED,
        checked=("names the very files that lie here, by their sha256",),
        against=tuple((str(file), sha256) for file, sha256 in used),
    )


def _source(ground: Ground) -> Link:
    what = "where the file comes from, with its licence and the sha256 of what was imported"
    return Link(what=what, value=None, file=str(_SOURCES), sha256=ground.sha256(_SOURCES))
