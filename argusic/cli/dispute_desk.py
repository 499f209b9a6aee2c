"""`argusic dispute answer|accept|revise`: the steps of the workflow for issues, each of one event of GitHub."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from argusic.cli.context import database
from argusic.cli.output import emit, printable
from argusic.database.database import Database
from argusic.errors import InputError
from argusic.github.desk.desk import Desk, Done
from argusic.github.desk.resolving import resolve_by_pull
from argusic.github.desk.steps import accept_issue, answer_issue, revise_issue
from argusic.github.events import Happening, read_happening
from argusic.referee.disputes import Resolved, Result

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
_Event = Annotated[
    Path,
    typer.Option(
        "--event", metavar="FILE", help="An `issues` event of GitHub, as JSON: in a workflow, $GITHUB_EVENT_PATH."
    ),
]
RemoteOption = Annotated[
    str, typer.Option("--remote", metavar="NAME", help="The remote of this checkout that branches are put on.")
]

_NEEDS = "Needs GITHUB_REPOSITORY and GITHUB_TOKEN (or GH_TOKEN) in the environment; the token's permissions are"


def register(group: typer.Typer) -> None:
    """Add the commands to the group `dispute`."""
    group.command("answer", epilog=f"{_NEEDS} issues: write, contents: read.")(answer_command)
    group.command("accept", epilog=f"{_NEEDS} issues: write, contents: write, pull-requests: write.")(accept_command)
    group.command("revise", epilog=f"{_NEEDS} issues: write, contents: write, pull-requests: write.")(revise_command)


def answer_command(event: _Event, remote: RemoteOption = "origin", as_json: _Json = False) -> None:
    """Answer an issue that was opened or edited with either form; nothing is written down.

    One comment says what is recorded of what the issue names, or why it cannot be understood; an edit renews that
    comment. An issue that is neither a dispute nor a request is left alone.
    """
    _step(answer_issue, event, remote, as_json)


def accept_command(event: _Event, remote: RemoteOption = "origin", as_json: _Json = False) -> None:
    """Act on a label that was put on an issue: with `accepted`, the issue is written down by a pull request.

    GitHub is asked whether whoever put it on may write to the repository; anybody else's label is taken off again, and
    that is said. So are `corrected` and `evidence-stands`, which `argusic dispute resolve --pull` sets. Every other
    label is left alone. A second label, or a second try, does nothing new.
    """
    _step(accept_issue, event, remote, as_json)


def revise_command(event: _Event, remote: RemoteOption = "origin", as_json: _Json = False) -> None:
    """Keep what an accepted dispute's text was edited to, as a file beside what was accepted, by a pull request.

    What was accepted stays as it was. An issue that nobody accepted is left alone, and so is an edit of its title.
    """
    _step(revise_issue, event, remote, as_json)


def resolve_at_desk(base: Database, remote: str, issue: int, result: Result, **facts: Any) -> tuple[Resolved, int]:
    """Put on a branch how a dispute ended, and return it and the number of the pull request.

    Raises:
        InputError: As `resolve_by_pull` says, or somebody else started the workflow.
    """
    started = os.environ.get("GITHUB_TRIGGERING_ACTOR")
    if started and started != facts["by"]:
        raise InputError(f"{started} started this workflow, and so resolves nothing in the name of {facts['by']}.")
    return resolve_by_pull(open_desk(base, remote, os.environ), issue, result, **facts)


def open_desk(base: Database, remote: str, environment: Mapping[str, str]) -> Desk:
    """Return the desk of a checkout. What speaks to GitHub is loaded for those who speak to it alone."""
    from argusic.github.desk.opening import open_desk

    return open_desk(base, remote, environment)


def _step(step: Callable[[Desk, Happening], Done], event: Path, remote: str, as_json: bool) -> None:
    happening = read_happening(event, os.environ.get("GITHUB_REPOSITORY"))
    done = step(open_desk(database(), remote, os.environ), happening)
    data = {
        "came": done.came,
        "says": done.says,
        "path": str(done.path) if done.path is not None else None,
        "pull": done.pull,
    }

    def render(out: Console) -> None:
        out.print(printable(done.says))

    emit(as_json, data, render)
