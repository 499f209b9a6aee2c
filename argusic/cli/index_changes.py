"""`argusic index changes`: what moved between two published rankings, and why."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from argusic.cli.context import database
from argusic.cli.output import emit, printable
from argusic.errors import InputError

if TYPE_CHECKING:
    from argusic.leaderboards.index.changes import Changes, Moved


def changes_command(
    before: Annotated[
        str | None, typer.Argument(metavar="[BEFORE]", help="The older date; else the last but one.")
    ] = None,
    after: Annotated[str | None, typer.Argument(metavar="[AFTER]", help="The newer date; else the newest.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Say which models moved between two rankings and why: results of their own, or benchmarks that entered or left."""
    from argusic.leaderboards.index.changes import changes

    rankings = database().rankings()
    dates = sorted(rankings)
    for name in (before, after):
        if name is not None and name not in rankings:
            raise InputError(f"There is no ranking of {name!r}; there is {', '.join(dates) or 'none'}.")
    newer = after or (dates[-1] if dates else None)
    earlier = [one for one in dates if newer is not None and one < newer]
    older = before or (earlier[-1] if earlier else None)
    if newer is None or older is None:
        raise InputError("There are no two rankings to compare yet.")
    if older >= newer:
        raise InputError(f"{older} is not before {newer}.")
    found = changes(rankings[older], rankings[newer])
    emit(as_json, asdict(found), lambda out: _show(out, found))


def _show(out: Console, found: Changes) -> None:
    out.print(
        f"From {found.before} to {found.after}: {len(found.moved)} models stand otherwise, {found.still} as before."
    )
    if found.references[0] != found.references[1]:
        out.print(f"Another reference: {found.references[0] or 'none'}, then {found.references[1] or 'none'}.")
    for name in found.entered:
        out.print(f"Entered: {name}")
    for name, reason in found.left:
        out.print(f"Left: {name}. {printable(reason)}")
    for one in found.moved:
        out.print(printable(f"{one.model}: {_scores(one)}. {_why(one)}".rstrip()))


def _scores(one: Moved) -> str:
    before, after = (f"{score:.1f}" if score is not None else "no score" for score in (one.before, one.after))
    if before == after and one.before is not None and one.after is not None:
        # It moved, by less than a table shows.
        before, after = f"{one.before:.3f}", f"{one.after:.3f}"
    return f"{before} to {after}"


def _why(one: Moved) -> str:
    said = "; ".join(f"{reason.cause} ({reason.benchmark})" if reason.benchmark else reason.cause for reason in one.why)
    return " ".join(filter(None, [f"{said[0].upper()}{said[1:]}." if said else "", one.refused]))
