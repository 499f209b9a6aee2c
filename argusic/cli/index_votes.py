"""`argusic index votes`: ratings from people's votes between two answers."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from argusic.cli.index_compare import rounded
from argusic.cli.output import emit
from argusic.cli.progress import watching
from argusic.errors import InputError, Place

if TYPE_CHECKING:
    from argusic.leaderboards.index.comparing.votes.rating import Rated, Ratings


def votes_command(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE.csv", help="Votes: columns model_a, model_b, winner (model_a, model_b, tie)."),
    ],
    style: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Hold a style constant: columns NAME_a, NAME_b of counts. May be repeated."),
    ] = None,
    level: Annotated[float, typer.Option(help="The probability that the ranges are made for.")] = 0.95,
    top: Annotated[int, typer.Option(min=1, help="How many models the table shows.")] = 30,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document, with every model.")] = False,
) -> None:
    """Rate models by votes, after Bradley and Terry: ties are half a win of each, and style may be held constant."""
    # Numbers are loaded by the command that needs them alone: they take longer than most commands.
    from argusic.leaderboards.index.comparing.votes.bradley_terry import NoFiniteAnswer
    from argusic.leaderboards.index.comparing.votes.rating import rate
    from argusic.leaderboards.index.comparing.votes.reading import read_votes

    if not 0.5 <= level <= 0.999:
        raise InputError(f"--level {level:g} is not between 0.5 and 0.999.")
    with watching() as watcher:
        watcher.now("Reading")
        ballot = read_votes(file, style or [])
        watcher.now("Rating")
        try:
            ratings = rate(ballot, level=level)
        except NoFiniteAnswer as error:
            raise InputError(
                f"{error}.", place=Place(file), advice="Leave that style out." if style else None
            ) from error
    data: dict[str, Any] = rounded(asdict(ratings))
    emit(as_json, data, lambda out: _show(out, ratings, top))


def _show(out: Console, ratings: Ratings, top: int) -> None:
    shown = Table(box=None, pad_edge=False)
    for heading in ("model", "rating", f"{100 * ratings.level:g} % range", "votes", "won", "lost", "tied"):
        shown.add_column(heading, justify="left" if heading == "model" else "right", overflow="fold")
    for one in ratings.models[:top]:
        shown.add_row(one.model, *_cells(one), str(one.votes), str(one.wins), str(one.losses), str(one.ties))
    out.print(shown)
    for effect in ratings.styles:
        out.print(
            f"{effect.feature}: an answer that has more of it by one root mean square of the differences gains "
            f"{effect.points:.1f} points ({effect.low:.1f} to {effect.high:.1f})."
        )
    for one in ratings.models:
        if one.why_not is not None:
            out.print(f"{one.model} has no rating. {one.why_not}")
    out.print(
        f"{ratings.used} of {ratings.votes} votes are between models that are rated, {ratings.ties} of them ties. "
        "Their mean is 1000; 400 points are odds of ten to one."
    )


def _cells(one: Rated) -> tuple[str, str]:
    if one.rating is None or one.low is None or one.high is None:
        return "none", ""
    return f"{one.rating:.1f}", f"{one.low:.1f} to {one.high:.1f}"
