"""`argusic index fit`: the index over the repository's results at a date, or over a plain table."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console
from rich.table import Table

from argusic.cli.context import database
from argusic.cli.index_settings import day_of
from argusic.cli.output import console, emit, printable
from argusic.cli.progress import watching
from argusic.errors import InputError

if TYPE_CHECKING:
    from argusic.leaderboards.index.fitting import Fit
    from argusic.records.index_ranking import RankedModel, Ranking

#: What the two ranges of 90 % are, below a table of them.
_RANGES = "held: with the benchmarks' parameters as they are; joint: with these uncertain too."

#: From how many columns on the numbers of a table fit beside names; below, they are wrapped rather than cut.
_WIDE = 72


def fit_command(
    table: Annotated[
        Path | None,
        typer.Option(
            "--input",
            metavar="FILE.csv",
            help="Results: columns model, benchmark, score (0 to 1). Without it: the repository's.",
        ),
    ] = None,
    likelihood: Annotated[
        Literal["gaussian", "bernoulli"] | None,
        typer.Option(help="With --input: how a result scatters around what is expected of it; gaussian by default."),
    ] = None,
    sigma: Annotated[
        float | None,
        typer.Option(help="With --input: the standard deviation of that, on the scale from 0 to 1; 0.1 by default."),
    ] = None,
    day: Annotated[
        str | None,
        typer.Option("--date", metavar="DAY", help="The repository's ranking of this date; else the newest."),
    ] = None,
    own: Annotated[bool, typer.Option("--own", help="Also the results that this checkout keeps for itself.")] = False,
    open_only: Annotated[bool, typer.Option("--open", help="Show open models alone.")] = False,
    top: Annotated[int, typer.Option(min=1, help="How many models the table shows.")] = 30,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document, with every model.")] = False,
) -> None:
    """Fit the index and print where each model stands, with ranges of 90 %.

    Without --input, the newest ranking of the repository is derived again from the results that it pins.
    """
    if table is not None:
        if day is not None or own or open_only:
            raise InputError("--date, --own and --open go with the repository's results, and not with --input.")
        _of_table(table, likelihood or "gaussian", 0.1 if sigma is None else sigma, top, as_json)
        return
    if likelihood is not None or sigma is not None:
        raise InputError("--likelihood and --sigma go with --input: a ranking of the repository states its own.")
    ranking = _of_repository(day_of(day, "--date") if day is not None else None, own)
    emit(as_json, _plain(ranking), lambda out: _show_ranking(out, ranking, top, open_only))


def _of_table(table: Path, likelihood: Literal["gaussian", "bernoulli"], sigma: float, top: int, as_json: bool) -> None:
    # Numbers are loaded by the command that needs them alone: they take longer than most commands.
    from argusic.leaderboards.index.fitting import fit
    from argusic.leaderboards.index.options import Options
    from argusic.leaderboards.index.published import published
    from argusic.leaderboards.index.tables import read_table
    from argusic.leaderboards.index.warning import of_table

    if not 1e-4 <= sigma <= 10:
        raise InputError(f"--sigma {sigma:g} is not between 0.0001 and 10.")
    with watching() as watcher:
        watcher.now("Reading")
        responses = read_table(table)
        watcher.now("Fitting")
        fitted = fit(responses, Options(likelihood=likelihood, sigma=sigma))
    data = published(fitted)
    emit(as_json, data, lambda out: _show(out, fitted, data, top))
    for warning in of_table(fitted):
        # A program that reads the document is told as well, beside it.
        console(stderr=as_json).print(warning, style="yellow")


def _of_repository(day: date | None, own: bool) -> Ranking:
    from argusic.leaderboards.index.derive import index_at
    from argusic.leaderboards.index.opening import with_own
    from argusic.leaderboards.index.recorded import recorded
    from argusic.leaderboards.index.stored import facts_of, read_inputs

    base = database()
    with watching() as watcher:
        watcher.now("Reading")
        inputs = read_inputs(base, day)
        if inputs is None:
            raise InputError(
                "This repository has no ranking of the index.",
                advice="Open one with `argusic index rank DATE`, or give a table with --input.",
            )
        facts = facts_of(base, own=own)
        ranking = with_own(base, inputs.ranking, facts) if own else inputs.ranking
        watcher.now("Fitting")
        return recorded(index_at(facts, ranking, inputs.reference, inputs.addenda))


def _plain(ranking: Ranking) -> dict[str, Any]:
    """Return a ranking under the names that a fitted table has, with what a table cannot say beside them."""
    plain = ranking.model_dump(mode="json", by_alias=True, exclude={"schema_version", "models"})
    plain["models"] = [
        {
            "model": one.model,
            "theta": one.theta,
            "score": one.score,
            "low": one.conditional.low if one.conditional else None,
            "high": one.conditional.high if one.conditional else None,
            "low_joint": one.joint.low if one.joint else None,
            "high_joint": one.joint.high if one.joint else None,
            "benchmarks": len(one.results),
            "gated": one.refused is None,
            "refused": one.refused,
            "ranks": one.ranks.model_dump(mode="json") if one.ranks else None,
            "domains": [domain.model_dump(mode="json") for domain in one.domains],
        }
        for one in ranking.models
    ]
    return plain


def _show(out: Console, fitted: Fit, data: dict[str, Any], top: int) -> None:
    shown = Table(box=None, pad_edge=False)
    for heading in ("model", "score", "90 %, held", "90 %, joint", "results"):
        name = heading == "model"
        shown.add_column(
            heading, justify="left" if name else "right", overflow="fold", no_wrap=not name and out.width >= _WIDE
        )
    for model in data["models"][:top]:
        shown.add_row(
            model["model"] if model["gated"] else f"{model['model']} (too few)",
            f"{model['score']:.1f}",
            f"{model['low']:.1f} to {model['high']:.1f}",
            f"{model['low_joint']:.1f} to {model['high_joint']:.1f}",
            str(model["benchmarks"]),
        )
    out.print(shown)
    r = fitted.responses
    out.print(
        f"{len(r)} results of {len(r.models)} models on {len(r.benchmarks)} benchmarks, {fitted.steps} steps, "
        f"RMSE {fitted.rmse:.4f}. A score of 100 is the mean of the prior; 25 points are its standard deviation."
    )
    out.print(_RANGES)


def _show_ranking(out: Console, ranking: Ranking, top: int, open_only: bool) -> None:
    shown = Table(box=None, pad_edge=False)
    for heading in ("group", "ranks", "model", "score", "90 %, held", "90 %, joint", "results"):
        name = heading == "model"
        shown.add_column(
            heading, justify="left" if name else "right", overflow="fold", no_wrap=not name and out.width >= _WIDE
        )
    listed = [one for one in ranking.models if one.ranks and (one.ranks.open or not open_only)]
    for one in listed[:top]:
        shown.add_row(*_row(one, open_only))
    out.print(shown)
    held = f"held by {ranking.reference}" if ranking.reference else "of a fit of its own"
    out.print(
        f"{ranking.date}: {ranking.results} results on {len(ranking.benchmarks)} benchmarks, their parameters {held}; "
        f"{ranking.ranked} models are ranked, {ranking.open_ranked} of them open, "
        f"{len(ranking.models) - ranking.ranked} have too little evidence. RMSE {ranking.rmse:.4f}."
    )
    out.print(f"group: whom the data do not tell from its first. ranks: the places that a model may take. {_RANGES}")
    for warning in ranking.warnings:
        out.print(printable(warning), style="yellow")


def _row(one: RankedModel, open_only: bool) -> tuple[str, ...]:
    assert one.ranks is not None and one.score is not None and one.conditional and one.joint, "it has a place"
    rank = one.ranks.open if open_only and one.ranks.open else one.ranks.all
    return (
        str(rank.group),
        f"{rank.low} to {rank.high}",
        printable(one.model),
        f"{one.score:.1f}",
        f"{one.conditional.low:.1f} to {one.conditional.high:.1f}",
        f"{one.joint.low:.1f} to {one.joint.high:.1f}",
        str(len(one.results)),
    )
