"""`argusic index import`: makes a file of results out of a copy of what a source publishes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from argusic.cli import context
from argusic.cli.output import emit, printable
from argusic.errors import InputError

if TYPE_CHECKING:
    from argusic.leaderboards.index.importing.imports import Imported

#: Sources by the form of their copies, where one is the usual one.
_USUAL = {
    "aider": "aider-2026",
    "epoch-eci": "epoch-eci-2026-08",
    "epoch-hub": "epoch-hub-2026-04",
    "evalplus": "evalplus-2024",
    "livebench": "livebench-2026-07",
}


def import_command(
    form: Annotated[
        str,
        typer.Argument(metavar="FORM", help="aider, arena, epoch-eci, epoch-hub, evalplus, livebench or plain."),
    ],
    copy: Annotated[Path, typer.Argument(metavar="PATH", help="Your copy: a folder or a file, as the source has it.")],
    source: Annotated[
        str | None, typer.Option(help="The source's id in sources.csv, where the form has several.")
    ] = None,
    known_only: Annotated[
        bool, typer.Option("--known-only", help="Leave out results of models that models.csv does not know.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Make a file of results out of your copy of a source.

    It lies with the index's tables where the source's licence lets a repository hold it. Elsewhere it lies among your
    own files, outside git, and counts where a command is told --own.
    """
    from argusic.leaderboards.index.importing.imports import FORMATS, imported
    from argusic.leaderboards.index.reading.places import data_folder, own_folder

    if form not in FORMATS:
        raise InputError(f"{form!r} is no form that is read: one of {', '.join(FORMATS)}.")
    if source is None and form not in _USUAL:
        raise InputError(f"The form {form!r} has several sources.", advice="Name one with --source.")
    top = context.database().root
    done = imported(form, copy, source or _USUAL[form], data_folder(top), own_folder(top), known_only=known_only)
    emit(as_json, _data(done), lambda out: _show(out, done))


def _data(done: Imported) -> dict[str, Any]:
    return {
        "source": done.source.source,
        "file": str(done.path),
        "written": done.written,
        "results": done.results,
        "models": done.models,
        "benchmarks": done.benchmarks,
        "repeated": done.repeated,
        "left_out": dict(done.left_out),
        "unknown": dict(done.unknown),
    }


def _show(out: Console, done: Imported) -> None:
    state = "Written" if done.written else "There already, with the same content"
    out.print(printable(f"{state}: {done.path}"))
    results, models, benchmarks = (
        f"{count} {one}{'' if count == 1 else 's'}"
        for count, one in ((done.results, "result"), (done.models, "model"), (done.benchmarks, "benchmark"))
    )
    out.print(f"{results} of {models} on {benchmarks}.")
    if done.repeated:
        out.print(f"{done.repeated} rows repeat another and were not taken.")
    for why, count in done.left_out.items():
        out.print(printable(f"{count} left out: {why}."))
    if done.unknown:
        out.print(printable(f"{sum(done.unknown.values())} left out of models not known: {', '.join(done.unknown)}."))
    if not done.source.redistributable:
        out.print(f"Its licence: {done.source.licence}. The file is yours alone, and git does not take it.")
