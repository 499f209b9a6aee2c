"""Questions to a person at a terminal. They go to standard error, so that standard output holds results alone."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from argusic.cli.output import console, printable


def ask(what: str) -> str:
    """Return what a person answers; nothing where Enter is all that is pressed."""
    return str(typer.prompt(printable(what), default="", show_default=False, err=True)).strip()


def choose(what: str, options: Sequence[str], usual: str | None = None) -> str:
    """Return which of some options a person chooses.

    Args:
        what: The question.
        options: What may be answered.
        usual: What Enter alone chooses.
    """
    question = printable(f"{what} ({', '.join(options)})")
    while (answer := str(typer.prompt(question, default=usual, err=True)).strip()) not in options:
        console(stderr=True).print(printable(f"{answer!r} is none of them."))
    return answer
