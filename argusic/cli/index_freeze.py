"""`argusic index freeze`: benchmarks' parameters, held from now on; and the table from an old reference to a new."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console
from rich.table import Table

from argusic.cli.context import database
from argusic.cli.index_settings import Everything, LeastRecent, PanelDays, RunDatesOnly, day_of, panel_of
from argusic.cli.output import emit, printable
from argusic.cli.progress import watching
from argusic.errors import InputError

if TYPE_CHECKING:
    from argusic.leaderboards.index.renewing import OldToNew
    from argusic.records.index import Reference


def freeze_command(
    reference: Annotated[
        str | None, typer.Argument(metavar="REFERENCE", help="Its id: a quarter such as 2026-Q4.")
    ] = None,
    day: Annotated[
        str | None,
        typer.Option("--date", metavar="DAY", help="The day whose results and panel it is fitted to."),
    ] = None,
    days: PanelDays = 365,
    run_dates_only: RunDatesOnly = False,
    least_recent: LeastRecent = 0,
    everything: Everything = False,
    likelihood: Annotated[
        Literal["gaussian", "bernoulli"], typer.Option(help="How a result scatters around what is expected of it.")
    ] = "gaussian",
    sigma: Annotated[
        float, typer.Option(min=1e-4, max=10, help="The standard deviation of that, on the scale from 0 to 1.")
    ] = 0.1,
    compare: Annotated[
        tuple[str, str] | None,
        typer.Option("--compare", metavar="OLD NEW", help="Freeze nothing; print the table from one to another."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Fit difficulties and discriminations to the results of a day and freeze them, with their hash, as a reference.

    Rankings that hold to it move a model only when results of its own change. What is frozen is never edited: another
    scale is another reference, and --compare is the table between the two.
    """
    if compare is not None:
        if reference is not None or day is not None:
            raise InputError("--compare freezes nothing: it goes without a reference and without --date.")
        found = _compared(*compare)
        emit(as_json, asdict(found), lambda out: _show_compared(out, found, *compare))
        return
    if reference is None or day is None:
        raise InputError("Name the reference and its day: argusic index freeze 2026-Q4 --date 2026-10-22.")
    panel = panel_of(days, run_dates_only, least_recent, everything)
    made, new = _frozen(reference, day_of(day, "--date"), panel, {"likelihood": likelihood, "sigma": sigma})
    data = {
        "reference": made.reference,
        "sha256": made.sha256,
        "new": new,
        "models": made.models,
        "benchmarks": [item.model_dump(mode="json") for item in made.benchmarks],
    }
    emit(as_json, data, lambda out: _show(out, made, new))


def _frozen(reference: str, day: date, panel: dict[str, Any], options: dict[str, Any]) -> tuple[Reference, bool]:
    """Return the reference, and whether it was not there yet."""
    from pydantic import TypeAdapter, ValidationError

    from argusic.database.paths import reference_path
    from argusic.leaderboards.index.opening import Choices, reference_of
    from argusic.records.base import ReferenceId
    from argusic.records.index import Draws, FitOptions, Panel
    from argusic.records.index import Reference as Record

    try:
        TypeAdapter(ReferenceId).validate_python(reference)
    except ValidationError as error:
        raise InputError(f"{reference!r} {error.errors()[0]['msg'].removeprefix('Value error, ')}.") from error
    base = database()
    path = reference_path(reference)
    choices = Choices(day, Panel(**panel), FitOptions(**options), "joint", Draws(), None)
    with watching() as watcher:
        watcher.now("Fitting")
        made = reference_of(base, choices, reference)
    if base.holds(path):
        held = base.read(path, Record)
        if held.sha256 == made.sha256:
            return held, False
        raise InputError(
            f"{path} is frozen with another content, {held.sha256[:12]}; this would be {made.sha256[:12]}.",
            advice="A reference is never edited: freeze another, such as the next of this quarter.",
        )
    base.write(path, made)
    return made, True


def _compared(old: str, new: str) -> OldToNew:
    from argusic.leaderboards.index.renewing import old_to_new
    from argusic.leaderboards.index.stored import facts_of, read_inputs

    base = database()
    references = base.references()
    for name in (old, new):
        if name not in references:
            raise InputError(f"There is no reference {name}; there is {', '.join(sorted(references)) or 'none'}.")
    inputs = read_inputs(base)
    if inputs is None:
        raise InputError("This repository has no ranking whose results could be placed by both.")
    with watching() as watcher:
        watcher.now("Fitting")
        return old_to_new(facts_of(base), inputs.ranking, references[old], references[new], base.addenda(old))


def _show(out: Console, made: Reference, new: bool) -> None:
    out.print(f"{'Frozen' if new else 'Frozen already, as it would be now'}: {made.reference}, {made.sha256}")
    shown = Table(box=None, pad_edge=False)
    for heading in ("benchmark", "difficulty b", "discrimination a", "results"):
        shown.add_column(heading, justify="left" if heading == "benchmark" else "right")
    for item in made.benchmarks:
        shown.add_row(item.benchmark, f"{item.difficulty:.3f}", f"{item.discrimination:.3f}", str(item.results))
    out.print(shown)
    out.print(
        f"{len(made.benchmarks)} benchmarks, fitted to {made.models} models at {made.date}; RMSE {made.rmse:.4f}."
    )


def _show_compared(out: Console, found: OldToNew, old: str, new: str) -> None:
    shown = Table(box=None, pad_edge=False)
    for heading in ("model", old, new, "difference"):
        shown.add_column(heading, justify="left" if heading == "model" else "right", overflow="fold")
    for one in found.models:
        shown.add_row(printable(one.model), f"{one.old:.1f}", f"{one.new:.1f}", f"{one.new - one.old:+.1f}")
    out.print(shown)
    out.print(
        f"{new} = {found.slope:.4f} times {old} {found.offset:+.2f}, within {found.off:.1f} points for every model. "
        f"Both hold {len(found.benchmarks)} benchmarks; {old} alone {len(found.only_old)}, {new} alone "
        f"{len(found.only_new)}."
    )
