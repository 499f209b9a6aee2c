"""The program `argusic`: its command groups, and the one place where errors become exit statuses."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Annotated

import typer

from argusic import __version__
from argusic.cli import context
from argusic.cli.output import console, printable
from argusic.errors import ArgusicError

#: The modules that register commands, in the order that the help shows them.
COMMANDS = (
    "quickstart",
    "try_target",
    "doctor",
    "cycle",
    "attempt",
    "run",
    "score",
    "recompute",
    "check",
    "verify",
    "pool",
    "screening",
    "site",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        console().print(f"argusic {__version__}")
        raise typer.Exit


def _options(
    repo: Annotated[
        Path | None,
        typer.Option("--repo", help="The referee repository; by default the one the current folder is in."),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    context.choose(repo)


def build() -> typer.Typer:
    """Return the whole program."""
    app = typer.Typer(
        name="argusic",
        help="A referee for software and for the AI that runs it, living whole in one git repository.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        callback=_options,
    )
    for name in COMMANDS:
        importlib.import_module(f"argusic.cli.{name}").register(app)
    return app


def run() -> None:
    """Run the program. Errors that a user can be told are printed without a traceback."""
    try:
        build()()
    except ArgusicError as error:
        console(stderr=True).print(f"argusic: {printable(str(error))}", style="bold red")
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.exit(141)
    except KeyboardInterrupt:
        sys.exit(130)
