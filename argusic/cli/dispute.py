"""`argusic dispute open|resolve|list|show`: a contested result, from an issue to its resolution."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.console import Console

from argusic.cli import dispute_desk
from argusic.cli.context import database
from argusic.cli.dispute_desk import RemoteOption, resolve_at_desk
from argusic.cli.dispute_issue import given_issue
from argusic.cli.output import emit, indented, printable
from argusic.database.atomic import write_file
from argusic.database.database import Database
from argusic.database.paths import dispute_path, invalidation_path
from argusic.errors import InputError
from argusic.github.answers import refusal
from argusic.github.desk.case import answer_to as answer_of
from argusic.github.disputes import understand
from argusic.records.findings import Dispute, DisputeRevision, Moment
from argusic.referee.disputes import all_disputes, find_dispute, resolution, write_dispute, write_resolution
from argusic.referee.findings import stated

#: Between two places of a recording that are given at once: a semicolon with a number behind it.
_SEVERAL = re.compile(r"\s*;\s*(?=[0-9])")
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
_Issue = Annotated[int, typer.Argument(metavar="ISSUE", help="The number of its issue.", min=1)]


class Resolved(StrEnum):
    """What a dispute can come to."""

    corrected = "corrected"
    evidence_stands = "evidence_stands"


def register(app: typer.Typer) -> None:
    """Add the commands of `dispute`."""
    group = typer.Typer(help="Contested results: from an issue to its resolution.", no_args_is_help=True)
    dispute_desk.register(group)
    group.command("open")(open_command)
    group.command("resolve")(resolve_command)
    group.command("list")(list_command)
    group.command("show")(show_command)
    app.add_typer(group, name="dispute")


def open_command(
    event: Annotated[
        Path | None, typer.Option("--event", metavar="FILE", help="An `issues` event of GitHub, as JSON.")
    ] = None,
    issue: Annotated[int | None, typer.Option("--issue", help="Instead of an event: the issue's number.")] = None,
    body: Annotated[Path | None, typer.Option("--body", metavar="FILE", help="The issue's text.")] = None,
    author: Annotated[str | None, typer.Option("--author", help="Who opened the issue.")] = None,
    opened: Annotated[str | None, typer.Option("--opened", help="When, such as 2026-11-30T01:45:00Z.")] = None,
    answer_to: Annotated[
        Path | None, typer.Option("--answer", metavar="FILE", help="Write the answer there, as Markdown.")
    ] = None,
    by: Annotated[str | None, typer.Option("--by", help="Who has it written down.")] = None,
    only_answer: Annotated[
        bool, typer.Option("--only-answer", help="Answer, and write no dispute down: a person decides on that.")
    ] = False,
    as_json: _Json = False,
) -> None:
    """Read a dispute from an issue, answer with what is recorded of the run, and write the dispute down."""
    base = database()
    try:
        _, dispute = understand(base, given_issue(event, issue, body, author, opened))
        said = answer_of(base, dispute)
        if by is not None:
            at = datetime.now(UTC).replace(microsecond=0)
            facts = {**dispute.model_dump(by_alias=True, exclude_none=True), "accepted": {"by": by, "at": at}}
            dispute = stated(Dispute, **facts)
        if not only_answer:
            write_dispute(base, dispute)
    except InputError as error:
        if answer_to is not None:
            write_file(answer_to.absolute(), refusal(error).encode(), replace=True)
        raise
    if answer_to is not None:
        write_file(answer_to.absolute(), said.encode(), replace=True)
    written = [] if only_answer else [str(dispute_path(dispute.cycle, dispute.issue))]

    def render(out: Console) -> None:
        for path in written:
            out.print(f"written: {path}")
        if answer_to is None:
            out.print(said)

    emit(as_json, {"written": written, "dispute": _plain(dispute), "answer": said}, render)


def resolve_command(
    issue: _Issue,
    result: Annotated[
        Resolved,
        typer.Option(
            "--resolution",
            help="corrected: the run counts nowhere and is made again. evidence_stands: the recording shows why.",
        ),
    ],
    reason: Annotated[str, typer.Option("--reason", help="Why, as readers see it.")],
    by: Annotated[str, typer.Option("--by", help="Who resolves it.")],
    seconds: Annotated[
        list[str] | None,
        typer.Option(
            "--seconds",
            metavar="'SECONDS WHAT'",
            help="A place in the recording and what it shows, such as '12.5 the tests fail'; repeatable, or several "
            "with semicolons between them.",
        ),
    ] = None,
    pull: Annotated[
        bool,
        typer.Option(
            "--pull",
            help="Write nothing here: put it on a branch of the remote, with a pull request, and say so at the issue. "
            "GitHub is asked whether --by, a name there, may write to the repository.",
        ),
    ] = False,
    remote: RemoteOption = "origin",
    as_json: _Json = False,
) -> None:
    """Write down how a dispute ended. The disputed run's evidence stays as it is.

    With --pull it needs GITHUB_REPOSITORY and GITHUB_TOKEN (or GH_TOKEN) in the environment; the token's permissions
    are issues: write, contents: write, pull-requests: write. In a workflow --by is whoever started it.
    """
    base = database()
    now = datetime.now(UTC).replace(microsecond=0)
    moments = [_moment(one) for many in seconds or () for one in _SEVERAL.split(many)]
    number = None
    if pull:
        ended, number = resolve_at_desk(
            base, remote, issue, result.value, explanation=reason, by=by, at=now, moments=moments
        )
    else:
        ended = resolution(base, issue, result.value, explanation=reason, by=by, at=now, moments=moments)
        write_resolution(base, ended)
    made, invalidated = ended.dispute, ended.invalidation is not None
    paths = [str(dispute_path(made.cycle, issue))]
    if invalidated:
        paths.append(str(invalidation_path(made.cycle, made.run)))

    def render(out: Console) -> None:
        for path in paths:
            out.print(f"written: {path}" if number is None else f"in pull request {number}: {path}")
        if invalidated and number is None:
            out.print("The attempt is owed again. `argusic recompute` brings boards and verdicts up to date.")
        elif result is Resolved.corrected and base.close(made.cycle) is not None:
            out.print(f"Cycle {made.cycle} is closed: what it came to stands, with this note beside it.")

    emit(as_json, {"written": paths, "invalidated": invalidated, "pull": number, "dispute": _plain(made)}, render)


def list_command(
    cycle: Annotated[str | None, typer.Option("--cycle", help="Those of one cycle.")] = None,
    unresolved: Annotated[bool, typer.Option("--open", help="Those that are not resolved.")] = False,
    as_json: _Json = False,
) -> None:
    """List the disputes."""
    found = [one for one in all_disputes(database(), cycle) if not (unresolved and one.resolution)]

    def render(out: Console) -> None:
        for one in found:
            state = one.resolution.result.replace("_", " ") if one.resolution else "open"
            out.print(f"{one.issue:>6}  {state:<16}{one.cycle}  {one.run}  {printable(one.by)}")
        if not found:
            out.print("There is none.")

    emit(as_json, {"disputes": [_plain(one) for one in found]}, render)


def show_command(issue: _Issue, as_json: _Json = False) -> None:
    """Print a dispute and how it ended."""
    base = database()
    found = find_dispute(base, issue)
    emit(as_json, _plain(found), lambda out: _show(out, base, found))


def _show(out: Console, base: Database, found: Dispute) -> None:
    out.print(f"Dispute of issue {found.issue}", style="bold")
    facts = {
        "run": found.run,
        "cycle": found.cycle,
        "by": found.by,
        "opened": f"{found.opened:%Y-%m-%d %H:%M:%S} UTC",
        "accepted": f"{found.accepted.at:%Y-%m-%d %H:%M:%S} UTC by {found.accepted.by}" if found.accepted else "",
        "address": found.url or "",
        "file": str(dispute_path(found.cycle, found.issue)),
    }
    for label, value in facts.items():
        if value:
            out.print(f"  {label:<10}{printable(value)}")
    _show_words(out, found)
    for revision in base.dispute_revisions(found.cycle).get(found.issue, ()):
        out.print(f"Changed on {revision.edited:%Y-%m-%d %H:%M:%S} UTC by {printable(revision.by)} to:", style="bold")
        _show_words(out, revision)
    if found.resolution is None:
        out.print("It is not resolved.", style="yellow")
        return
    end = found.resolution
    how = "Corrected" if end.result == "corrected" else "The evidence stands"
    out.print(f"{how}, by {end.by} on {end.at:%Y-%m-%d}: {indented(end.explanation)}")
    for moment in end.moments:
        out.print(f"  at {moment.seconds:g} s: {indented(moment.shows)}")


def _show_words(out: Console, said: Dispute | DisputeRevision) -> None:
    for heading, text in (
        ("What is wrong", said.claim),
        ("What should be different", said.expected),
        ("Evidence", said.evidence),
    ):
        if text:
            out.print(f"{heading}: {indented(text)}")


def _moment(text: str) -> Moment:
    number, _, shows = text.strip().partition(" ")
    try:
        return Moment(seconds=float(number.removesuffix("s")), shows=shows.strip())
    except (ValueError, ValidationError):
        raise InputError(
            "--seconds is a number of seconds and what they show, such as '12.5 the tests fail'."
        ) from None


def _plain(dispute: Dispute) -> dict[str, Any]:
    data: dict[str, Any] = dispute.model_dump(mode="json", by_alias=True, exclude_none=True)
    return data
