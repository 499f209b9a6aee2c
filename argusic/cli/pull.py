"""`argusic pull`: what a workflow does with a pull request: checks it, comments on it, states what came of it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from argusic.cli.context import database
from argusic.cli.output import emit, printable
from argusic.errors import CheckFailed, Finding, InputError
from argusic.github.annotations import commands, notice, summary, warning
from argusic.github.checking import Checked, check_commit
from argusic.github.commenting import say_what_changes
from argusic.github.proposal import table
from argusic.github.step import summarise
from argusic.records.difference import Proposal

_PASSED = "Nothing wrong was found with what this changes."


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(no_args_is_help=True, help="Check pull requests as data, and say below them what would change.")
    app.add_typer(group, name="pull")
    group.command("check")(check)
    group.command("comment")(comment)


def check(
    revision: Annotated[
        str,
        typer.Argument(metavar="REV", help="The merge that GitHub makes of a pull request, or a branch."),
    ],
    base: Annotated[
        str | None,
        typer.Option("--base", metavar="REV", help="Compare with this. Default: what REV is merged into."),
    ] = None,
    number: Annotated[int | None, typer.Option("--number", help="The pull request's number.", min=1)] = None,
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="FOLDER", help="Also write what `argusic pull comment` reads."),
    ] = None,
    status: Annotated[
        str | None, typer.Option("--status", metavar="CONTEXT", help="Also state on the commit what came of it.")
    ] = None,
    annotate: Annotated[bool, typer.Option("--annotate", help="Print commands that mark file and line.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Check a commit of this clone by this program, as data: it need not be checked out, and none of it is run.

    The files are laid out in a folder of their own, as the commit holds them; no attribute, filter, link or cache that
    it brings is obeyed. Besides what `argusic check --base` checks, it says what would be derived otherwise.
    """
    if to is not None and number is None:
        raise InputError("--to is for a pull request: name it with --number.")
    checked = check_commit(database().root, revision, base)
    if to is not None and number is not None:
        _write(to, number, checked)
    summarise(os.environ, _summary(checked))
    if annotate:
        _annotate(checked)
    else:
        emit(as_json, _plain(checked), lambda console: _render(console, checked))
    if status is not None:
        _state(checked, status)
    if checked.findings:
        raise typer.Exit(CheckFailed.exit_code)


def _write(folder: Path, number: int, checked: Checked) -> None:
    made = Proposal(
        number=number,
        head=checked.head,
        base=checked.base,
        findings=len(checked.findings),
        difference=checked.difference,
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "proposal.json").write_text(made.model_dump_json(by_alias=True, exclude_none=True), encoding="utf-8")


def _summary(checked: Checked) -> str:
    parts = ["### Check", "", summary(checked.findings, passed=_PASSED)]
    if checked.by_this_program:
        parts += ["#### By the program as it is without this change, which another program may see otherwise", ""]
        parts += [summary(checked.by_this_program, passed="")]
    parts += ["### What would be derived otherwise", ""]
    parts += [table(checked.difference) if checked.difference is not None else "Nothing could be derived.\n"]
    return "\n".join(parts)


def _annotate(checked: Checked) -> None:
    for line in commands(checked.findings):
        typer.echo(line)
    for finding in checked.by_this_program[:10]:
        typer.echo(warning(f"{finding} The program as it is without this change says so; its own checks decide."))
    typer.echo(notice(_PASSED if not checked.findings else f"{len(checked.findings)} found."))


def _plain(checked: Checked) -> dict[str, Any]:
    return {
        "ok": not checked.findings,
        "head": checked.head,
        "base": checked.base,
        "findings": [plain_finding(finding) for finding in checked.findings],
        "by_this_program": [plain_finding(finding) for finding in checked.by_this_program],
        "difference": None if checked.difference is None else checked.difference.model_dump(by_alias=True),
    }


def plain_finding(finding: Finding) -> dict[str, str | int | None]:
    """Return a finding as plain data."""
    place = finding.place
    return {"file": str(place.file), "line": place.line, "field": place.field, "what": finding.what}


def _render(console: Console, checked: Checked) -> None:
    for finding in (*checked.findings, *checked.by_this_program):
        console.print(printable(str(finding)))
    console.print(_PASSED if not checked.findings else f"{len(checked.findings)} found.")
    if checked.difference is not None:
        console.print(table(checked.difference))


def _state(checked: Checked, context: str) -> None:
    from argusic.github.pygithub_forge import GitHubForge

    said = f"{len(checked.findings)} found." if checked.findings else "Nothing wrong was found."
    forge = GitHubForge.of_environment(os.environ)
    forge.status(checked.head, context, "failure" if checked.findings else "success", said)


def comment(
    event: Annotated[
        Path, typer.Option("--event", metavar="FILE", envvar="GITHUB_EVENT_PATH", help="The workflow_run event.")
    ],
) -> None:
    """Say below a pull request what its own checks found that it would change. One comment, renewed.

    Run after the pull request's checks, by a workflow of the main branch: it takes figures from what they left, and no
    text.
    """
    from argusic.github.pygithub_forge import GitHubForge

    with tempfile.TemporaryDirectory(prefix="argusic-") as folder:
        said = say_what_changes(event, GitHubForge.of_environment(os.environ), Path(folder))
    summarise(os.environ, said)
    typer.echo(said)
