"""`argusic request list|reproduction`: what was asked for, whether it was given, and what gives it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from rich.console import Console

from argusic.cli.context import database
from argusic.cli.output import emit, indented, printable
from argusic.database.paths import reproduction_request_path
from argusic.records.request import ReproductionRequest
from argusic.referee.requested import Requested, all_requests
from argusic.referee.requests import request_reproduction

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def register(app: typer.Typer) -> None:
    """Add the commands of `request`."""
    group = typer.Typer(help="What was asked for: the stronger agent, or a sealed run again.", no_args_is_help=True)
    group.command("list")(list_command)
    group.command("reproduction")(reproduction_command)
    app.add_typer(group, name="request")


def list_command(
    cycle: Annotated[str | None, typer.Option("--cycle", help="Those of one cycle.")] = None,
    unanswered: Annotated[bool, typer.Option("--open", help="Those that are not given yet.")] = False,
    as_json: _Json = False,
) -> None:
    """List what was asked for, and the command that gives what can be given now."""
    found = [one for one in all_requests(database(), cycle) if not (unanswered and one.state in ("given", "lapsed"))]

    def render(out: Console) -> None:
        for one in found:
            issue = f"issue {one.request.issue}" if one.request.issue is not None else "no issue"
            out.print(f"{one.state:<7}{_of(one)}, by {printable(one.request.by)}, {issue}: {_first(one)}")
            if one.command is not None:
                out.print(f"       {one.command}")
        if not found:
            out.print("There is none.")

    emit(as_json, {"requests": [_plain(one) for one in found]}, render)


def reproduction_command(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The run's id.")],
    reason: Annotated[str, typer.Option("--reason", help="Why, as readers see it.")],
    by: Annotated[str, typer.Option("--by", help="Who asks.")],
    issue: Annotated[int | None, typer.Option("--issue", help="The number of the issue, where it was one.")] = None,
    as_json: _Json = False,
) -> None:
    """Write down that a run of a sealed agent is to be made again, which only those can who hold its configuration."""
    base = database()
    now = datetime.now(UTC).replace(microsecond=0)
    made = request_reproduction(base, run, reason=reason, by=by, at=now, issue=issue)
    path = str(reproduction_request_path(made.cycle, made.run))
    command = next(one.command for one in all_requests(base, made.cycle) if one.request == made)

    def render(out: Console) -> None:
        out.print(f"written: {path}")
        out.print(f"Those who hold the configuration answer it with `{command}`.")

    emit(as_json, {"written": path, "command": command}, render)


def _of(one: Requested) -> str:
    if isinstance(one.request, ReproductionRequest):
        return f"run {one.request.run} again"
    return f"{one.agent} on {one.subject} in {one.request.cycle}"


def _first(one: Requested) -> str:
    return indented(printable(one.request.reason))


def _plain(one: Requested) -> dict[str, Any]:
    wanted = "reproduction" if isinstance(one.request, ReproductionRequest) else "stronger"
    request = one.request.model_dump(mode="json", by_alias=True, exclude_none=True)
    return {
        "wanted": wanted,
        "subject": one.subject,
        "agent": one.agent,
        "state": one.state,
        "command": one.command,
        "request": request,
    }
