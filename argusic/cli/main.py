"""The program `argusic`: its command groups, and the one place where errors become exit statuses."""

from __future__ import annotations

import importlib
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Annotated

import typer

from argusic import __version__
from argusic.cli import context
from argusic.cli.output import console, printable
from argusic.errors import ArgusicError

#: The commands and the modules that register them, in the order that the help shows them.
COMMANDS = {
    "quickstart": "quickstart",
    "try": "try_target",
    "doctor": "doctor",
    "cycle": "cycle",
    "attempt": "attempt",
    "run": "run",
    "score": "score",
    "recompute": "recompute",
    "check": "check",
    "verify": "verify",
    "pool": "pool",
    "screening": "screening",
    "site": "site",
}


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


def build(wanted: str | None = None) -> typer.Typer:
    """Return the program with one command, or with all of them.

    Args:
        wanted: The command; only its module is loaded, because loading all of them takes longer than most commands.
    """
    app = typer.Typer(
        name="argusic",
        help="A referee for software and for the AI that runs it, living whole in one git repository.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        callback=_options,
    )
    for name, module in COMMANDS.items():
        if wanted in (None, name):
            importlib.import_module(f"argusic.cli.{module}").register(app)
    return app


def _wanted(arguments: list[str]) -> str | None:
    """Return the command that the arguments name, or None where all are needed (help, a mistyped command)."""
    skip = False
    for argument in arguments:
        if skip or argument.startswith("-"):
            skip = argument == "--repo"
            continue
        return argument if argument in COMMANDS else None
    return None


def run() -> None:
    """Run the program. Errors that a user can be told are printed without a traceback."""
    try:
        build(_wanted(sys.argv[1:]))()
    except ArgusicError as error:
        console(stderr=True).print(f"argusic: {printable(str(error))}", style="bold red")
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.exit(141)
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        kept = _keep_traceback()
        words = printable(
            f"argusic: a fault of its own, {type(error).__name__}: {error}. The particulars are in {kept}."
        )
        console(stderr=True).print(words, style="bold red")
        sys.exit(70)


def _keep_traceback() -> Path:
    """Write the traceback of the fault at hand to a file for whoever mends it."""
    with tempfile.NamedTemporaryFile("w", prefix="argusic-", suffix=".txt", delete=False) as file:
        traceback.print_exc(file=file)
    return Path(file.name)
