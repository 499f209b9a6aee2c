"""`argusic index compare`: the index beside the other ways to one number, and why each ranks as it does."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from argusic.cli.context import database
from argusic.cli.index_settings import day_of
from argusic.cli.output import emit
from argusic.cli.progress import watching
from argusic.errors import InputError, Place

if TYPE_CHECKING:
    from argusic.leaderboards.index.comparing.comparison import Comparison, Ranking
    from argusic.leaderboards.index.comparing.way import Given, Way

_DIGITS = 4


def compare_command(
    table: Annotated[
        Path | None,
        typer.Option(
            "--input",
            metavar="FILE.csv",
            help="Results: columns model, benchmark, score (0 to 1). Without it: the repository's.",
        ),
    ] = None,
    benchmarks: Annotated[
        Path | None,
        typer.Option(metavar="FILE.csv", help="With --input: columns benchmark, category, and active if not all are."),
    ] = None,
    models: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="With --input: columns model, open_weights (true, false).")
    ] = None,
    ratings: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Ratings to compare with: columns model, rating.")
    ] = None,
    weights: Annotated[
        Path | None,
        typer.Option(metavar="FILE.csv", help="Of the weighted average: columns category or benchmark, and weight."),
    ] = None,
    model: Annotated[str | None, typer.Option(metavar="NAME", help="Whose place is told throughout.")] = None,
    day: Annotated[
        str | None,
        typer.Option("--date", metavar="DAY", help="Of which ranking; the newest where none is given."),
    ] = None,
    own: Annotated[
        bool, typer.Option("--own", help="Count the results that this checkout keeps for itself too.")
    ] = False,
    top: Annotated[int, typer.Option(min=3, help="Among how many of the first the agreement is taken again.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document, with every model.")] = False,
) -> None:
    """Compare the index with averages, standard scores, other forms of it, and ratings, on the same results."""
    # Numbers are loaded by the command that needs them alone: they take longer than most commands.
    from argusic.leaderboards.index.comparing.compare import WAYS, NotComparable, compare
    from argusic.leaderboards.index.comparing.given_ratings import GivenRatings
    from argusic.leaderboards.index.comparing.tables import read_ratings, read_weights

    if table is None and (benchmarks or models):
        raise InputError("--benchmarks and --models go with --input.")
    if table is not None and (own or day is not None):
        raise InputError("--own and --date go without --input.")
    with watching() as watcher:
        watcher.now("Reading")
        given, more = (
            _of_table(table, benchmarks, models)
            if table is not None
            else _of_repository(day_of(day, "--date") if day is not None else None, own)
        )
        ways: list[Way] = [*WAYS]
        if weights is not None:
            stated = read_weights(weights, given.responses.benchmarks)
            ways = [stated if way.name == stated.name else way for way in ways]
        if ratings is not None:
            rated = read_ratings(ratings)
            if not rated.keys() & set(given.responses.models):
                raise InputError(
                    "names no model that has a result; names are held against each other to the letter.",
                    place=Place(ratings),
                )
            more = [*more, GivenRatings(rated)]
        watcher.now("Fitting")
        try:
            compared = compare(given, [*ways, *more], follow=model, top=top)
        except NotComparable as error:
            raise InputError(f"Nothing is compared: {error}.") from error
    emit(as_json, rounded(asdict(compared)), lambda out: _show(out, compared))


def rounded(value: Any) -> Any:
    """Return plain data with its numbers rounded, so that another processor gives the same text."""
    if isinstance(value, float):
        # Without a sign on nought, which depends on the last bit.
        return round(value, _DIGITS) + 0.0
    if isinstance(value, dict):
        return {name: rounded(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(part) for part in value]
    return value


def _of_table(table: Path, benchmarks: Path | None, models: Path | None) -> tuple[Given, list[Way]]:
    from argusic.leaderboards.index.comparing.tables import read_benchmarks, read_open_weights
    from argusic.leaderboards.index.comparing.way import Given
    from argusic.leaderboards.index.tables import read_table

    responses = read_table(table)
    known, active = read_benchmarks(benchmarks, responses.benchmarks) if benchmarks is not None else ({}, frozenset())
    openly = read_open_weights(models) if models is not None else {}
    # Without a table of benchmarks there is no panel but all of them.
    return Given(responses, known, active if benchmarks is not None else frozenset(responses.benchmarks), openly), []


def _of_repository(day: date | None, own: bool) -> tuple[Given, list[Way]]:
    from argusic.leaderboards.index.comparing.repository import given_of, relative_ratings
    from argusic.leaderboards.index.derive import index_at, prepared_for
    from argusic.leaderboards.index.opening import with_own
    from argusic.leaderboards.index.stored import facts_of, read_inputs

    base = database()
    inputs = read_inputs(base, day)
    if inputs is None:
        raise InputError(
            "This repository has no ranking of the index.",
            advice="Open one with `argusic index rank DATE`, or give a table with --input.",
        )
    facts = facts_of(base, own=own)
    ranking = with_own(base, inputs.ranking, facts) if own else inputs.ranking
    prepared, index = prepared_for(facts, ranking), index_at(facts, ranking, inputs.reference, inputs.addenda)
    return given_of(facts, prepared, index), [*relative_ratings(facts, prepared)]


def _show(out: Console, compared: Comparison) -> None:
    out.print(
        f"{compared.results} results of {compared.models} models on {compared.benchmarks} benchmarks, "
        f"{compared.active} of them in the panel. Followed: {compared.followed}."
    )
    shown = Table(box=None, pad_edge=False)
    index = compared.rankings[0]
    first = max((one.top for one in compared.agreements if one.one == index.name), default=0)
    headings = ("way", "ranked", "first", compared.followed, "rho", f"top {first}", "upheld")
    for number, heading in enumerate(headings):
        shown.add_column(heading, justify="left" if number in (0, 2) else "right", overflow="fold", no_wrap=number == 0)
    for ranking in compared.rankings:
        agreed = None if ranking is index else compared.agreement(index.name, ranking.name)
        shown.add_row(
            ranking.name,
            str(ranking.ranked),
            *[one.model for one in ranking.first(1)] or [""],
            _place(ranking),
            _number(agreed.spearman if agreed else None),
            _number(agreed.spearman_top if agreed else None),
            "" if ranking.upheld is None else f"{ranking.upheld:.0%}",
        )
    out.print(shown)
    out.print(
        "rho: Spearman's rank correlation with the index over the models that both rank; top: among those that the "
        "index ranks first. upheld: in which share of pairs the order is that of the benchmarks that both models have."
    )
    for ranking in compared.rankings:
        out.print(f"\n{ranking.title} ({ranking.name}). {ranking.says}")
        for sentence in ranking.why:
            out.print(f"  {sentence}")
    if any(one.first is not None for one in compared.minimums):
        out.print(
            "\nThe category average with a minimum number of benchmarks: who is first, of the open ones if any are."
        )
    before = None
    for one in compared.minimums:
        if one.first is not None and (one.first, one.followed) != before:
            place = f"number {one.followed}" if one.followed else "left out"
            on = f"{one.first_benchmarks} benchmark{'' if one.first_benchmarks == 1 else 's'}"
            out.print(f"  from {one.least}: {one.first} ({on}); {compared.followed} is {place} of {one.among}.")
        before = (one.first, one.followed)


def _place(ranking: Ranking) -> str:
    mine = ranking.followed
    if mine is None or mine.place is None:
        return "none"
    return f"{mine.place}" + (f" ({mine.place_open} open)" if mine.place_open else "")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
