"""`argusic index rank`: a ranking is opened, which says what it is made from before anything is derived."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from argusic.cli.context import database
from argusic.cli.index_settings import Everything, LeastRecent, PanelDays, RunDatesOnly, day_of, panel_of
from argusic.cli.output import emit
from argusic.cli.progress import watching
from argusic.errors import InputError

if TYPE_CHECKING:
    from argusic.records.index import Addendum, RankingInputs


def rank_command(
    day: Annotated[str, typer.Argument(metavar="DATE", help="The ranking's date.")],
    reference: Annotated[
        str | None, typer.Option(help="The reference that holds the scale. Without one: a fit of its own.")
    ] = None,
    days: PanelDays = 365,
    run_dates_only: RunDatesOnly = False,
    least_recent: LeastRecent = 0,
    everything: Everything = False,
    published: Annotated[
        Literal["conditional", "joint"], typer.Option(help="Which range stands beside a score.")
    ] = "joint",
    draws: Annotated[int, typer.Option(min=1, max=100_000, help="How often benchmarks are drawn anew.")] = 500,
    seed: Annotated[int, typer.Option(min=0, help="Which draws.")] = 0,
    note: Annotated[str | None, typer.Option(help="What a reader of the ranking should know.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Write down what the ranking of a date is made from: the rule, the settings, and each file with its digest.

    A benchmark that counts and that the reference does not hold is fitted once, with all others held, and frozen in an
    addendum of that date. `argusic recompute` derives the ranking. Rankings are opened in the order of their dates.
    """
    from argusic.database.paths import addendum_path, ranking_inputs_path, ranking_path
    from argusic.leaderboards.index.opening import Choices, opened
    from argusic.records.index import Draws, FitOptions, Panel

    if note is not None and not (note.strip() and note.isprintable()):
        raise InputError("--note says nothing, or has characters that cannot be shown.")
    date = day_of(day, "DATE")
    base = database()
    path = ranking_inputs_path(date.isoformat())
    newest = max((one.date for one in base.ranking_inputs()), default="")
    if newest >= date.isoformat():
        raise InputError(f"A ranking of {newest} is open already; the next has a later date.")
    if newest and not base.holds(ranking_path(newest)):
        raise InputError(
            f"The ranking of {newest} is not derived yet, and cannot be once a later one is open.",
            advice="Let `argusic recompute` derive it first.",
        )
    held = base.references().get(reference) if reference is not None else None
    choices = Choices(
        date,
        Panel(**panel_of(days, run_dates_only, least_recent, everything)),
        held.options if held is not None else FitOptions(),
        published,
        Draws(count=draws, seed=seed),
        note,
    )
    with watching() as watcher:
        watcher.now("Fitting")
        made, addendum = opened(base, choices, reference)
    if addendum is not None:
        base.write(addendum_path(addendum.reference, addendum.date), addendum)
    base.write(path, made)
    data = {
        "ranking": str(path),
        "inputs": made.model_dump(mode="json", by_alias=True),
        "entered": [item.model_dump(mode="json") for item in addendum.benchmarks] if addendum is not None else [],
    }
    emit(as_json, data, lambda out: _show(out, str(path), made, addendum))


def _show(out: Console, path: str, made: RankingInputs, addendum: Addendum | None) -> None:
    out.print(f"Opened: {path}, over {len(made.results)} files of results. `argusic recompute` derives it.")
    if addendum is None:
        return
    for item in addendum.benchmarks:
        out.print(
            f"{item.benchmark} enters {addendum.reference} with b {item.difficulty:.3f} and a "
            f"{item.discrimination:.3f}, fitted to {item.results} results."
        )
