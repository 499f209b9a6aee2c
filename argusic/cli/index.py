"""`argusic index`: one number per model from sparse benchmarks, with how sure it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console
from rich.table import Table

from argusic.cli.index_compare import compare_command
from argusic.cli.index_import import import_command
from argusic.cli.index_votes import votes_command
from argusic.cli.output import emit
from argusic.errors import CheckFailed, InputError

if TYPE_CHECKING:
    from argusic.leaderboards.index.fitting import Fit


def register(app: typer.Typer) -> None:
    """Add the command group `index`."""
    group = typer.Typer(help="The composite index: models and benchmarks on one scale.", no_args_is_help=True)
    group.command("fit")(fit_command)
    group.command("import")(import_command)
    group.command("compare")(compare_command)
    group.command("votes")(votes_command)
    # A callback keeps `fit` a command of the group while it is the only one.
    group.callback()(_group)
    app.add_typer(group, name="index")


def _group() -> None:
    """The composite index: models and benchmarks on one scale."""


def fit_command(
    table: Annotated[
        Path, typer.Option("--input", metavar="FILE.csv", help="Results: columns model, benchmark, score (0 to 1).")
    ],
    likelihood: Annotated[
        Literal["gaussian", "bernoulli"], typer.Option(help="How a result scatters around what is expected of it.")
    ] = "gaussian",
    sigma: Annotated[float, typer.Option(help="The standard deviation of that, on the scale from 0 to 1.")] = 0.1,
    top: Annotated[int, typer.Option(min=1, help="How many models the table shows.")] = 30,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document, with every model.")] = False,
) -> None:
    """Fit the index to a table of results and print abilities with their ranges of 90 %."""
    # Numbers are loaded by the command that needs them alone: they take longer than most commands.
    from argusic.leaderboards.index.fitting import fit
    from argusic.leaderboards.index.options import Options
    from argusic.leaderboards.index.published import published
    from argusic.leaderboards.index.solving import NotConverged
    from argusic.leaderboards.index.tables import read_table

    if not 1e-4 <= sigma <= 10:
        raise InputError(f"--sigma {sigma:g} is not between 0.0001 and 10.")
    responses = read_table(table)
    try:
        fitted = fit(responses, Options(likelihood=likelihood, sigma=sigma))
    except NotConverged as error:
        raise CheckFailed(f"The fit came to no end: {error}.") from error
    data = published(fitted)
    emit(as_json, data, lambda out: _show(out, fitted, data, top))


def _show(out: Console, fitted: Fit, data: dict[str, Any], top: int) -> None:
    shown = Table(box=None, pad_edge=False)
    for heading in ("model", "score", "90 %, benchmarks as fitted", "90 %, benchmarks uncertain too", "benchmarks"):
        shown.add_column(heading, justify="left" if heading == "model" else "right", overflow="fold")
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
