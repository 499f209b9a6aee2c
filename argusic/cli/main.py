"""The program `argusic`: its command groups, and the one place where errors become exit statuses."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Annotated

import typer

from argusic import __version__
from argusic.cli import context, faults, streams
from argusic.cli.output import console
from argusic.errors import ArgusicError, EnvironmentLack

#: The commands and the modules that register them, in the order that the help shows them.
COMMANDS = {
    "quickstart": "quickstart",
    "try": "try_target",
    "doctor": "doctor",
    "cycle": "cycle",
    "attempt": "attempt",
    "run": "run",
    "score": "score",
    "index": "index",
    "recompute": "recompute",
    "check": "check",
    "rules": "rules",
    "verify": "verify",
    "audit": "audit",
    "trace": "trace",
    "evidence": "evidence",
    "environment": "environment",
    "trust": "trust",
    "pool": "pool",
    "agent": "agent",
    "keys": "keys",
    "screening": "screening",
    "dispute": "dispute",
    "pull": "pull",
    "overdue": "overdue",
    "request": "request",
    "reproduce": "reproduce",
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
    streams.prepare()
    try:
        try:
            build(_wanted(sys.argv[1:]))()
        finally:
            sys.stdout.flush()
    except ArgusicError as error:
        console(stderr=True).print(f"argusic: {error}", style="bold red")
        sys.exit(error.exit_code)
    except BrokenPipeError:
        streams.give_up_output()
        sys.exit(141)
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        if (lack := faults.lack(error)) is None:
            faults.fault(error)
        streams.give_up_output()
        console(stderr=True).print(f"argusic: {lack}", style="bold red")
        sys.exit(EnvironmentLack.exit_code)
    except MemoryError:
        streams.give_up_output()
        console(stderr=True).print("argusic: the memory of this machine, or what is allowed of it, is too little.")
        sys.exit(EnvironmentLack.exit_code)
    except Exception as error:
        faults.fault(error)
