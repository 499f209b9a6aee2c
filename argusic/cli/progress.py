"""How long work shows itself: a line that says what runs now on a terminal, plain lines where nobody watches."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from argusic.cli.output import console, printable
from argusic.records.run import Run
from argusic.rules.figures import shown
from argusic.rules.rubric import Score

_SHOWN = 60


class Lines:
    """Plain lines on standard error: one when an attempt begins, one when it ends."""

    def __init__(self, out: Console) -> None:
        self._out = out
        self._began = time.monotonic()
        self._name = ""

    def begin(self, subject: str, agent: str, purpose: str, number: int, of: int) -> None:
        """Say which attempt begins."""
        self._began = time.monotonic()
        self._name = f"[{number}/{of}] {subject} by {agent}"
        self._out.print(f"{self._name}: begins ({purpose})")

    def now(self, what: str) -> None:
        """Say nothing: a log does not need every command."""

    def end(self, run: Run, score: Score) -> None:
        """Say how it ended."""
        self._out.print(f"{self._name}: {ending_line(run, score)} ({time.monotonic() - self._began:.0f} s)")

    def say(self, text: str) -> None:
        """Say it."""
        self._out.print(printable(text))

    def beside(self) -> Lines:
        """Return another on the same stream."""
        return Lines(self._out)


class Live(Lines):
    """The same on a terminal, with a bar and what runs now under it."""

    def __init__(self, out: Console, bar: Progress) -> None:
        super().__init__(out)
        self._bar = bar
        self._task = bar.add_task("", total=None, now="")

    def begin(self, subject: str, agent: str, purpose: str, number: int, of: int) -> None:
        """Show which attempt runs."""
        self._began = time.monotonic()
        self._name = f"[{number}/{of}] {subject} by {agent}"
        self._bar.update(self._task, description=f"{subject} by {agent}", completed=number - 1, total=of, now="")

    def now(self, what: str) -> None:
        """Show what runs now."""
        text = printable(what.replace("\n", " "))
        self._bar.update(self._task, now=text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")

    def beside(self) -> Live:
        """Return another with a bar of its own."""
        return Live(self._out, self._bar)


def ending_line(run: Run, score: Score) -> str:
    """Return in a few words how a run ended and what it scored."""
    if score.outcome == "held":
        return "held: a person has to look at what its report claims"
    if score.total is None:
        return f"invalid: {run.ending.how}" + (f" ({printable(run.ending.detail)})" if run.ending.detail else "")
    return f"{score.outcome}, {shown(score.total):g} of 100"


@contextmanager
def watching(quiet: bool = False) -> Iterator[Lines]:
    """Give the watcher that suits standard error."""
    out = console(stderr=True, quiet=quiet)
    if quiet or not out.is_terminal:
        yield Lines(out)
        return
    columns = (
        SpinnerColumn(),
        MofNCompleteColumn(),
        BarColumn(bar_width=20),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        TextColumn("{task.fields[now]}", style="dim", markup=False),
    )
    with Progress(*columns, console=out, transient=True) as bar:
        yield Live(bar.console, bar)
