"""`argusic cycle commit`: collected and signed runs, brought to review as one commit and one pull request."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from argusic.cli.context import database
from argusic.cli.output import emit
from argusic.errors import EnvironmentLack, InputError
from argusic.site.figures import counted

if TYPE_CHECKING:
    from argusic.github.ladder.bringing import Brought


def register(group: typer.Typer) -> None:
    """Add the command to the group `cycle`."""
    group.command("commit")(commit)


def commit(
    cycle: Annotated[str, typer.Argument(metavar="CYCLE", help="The cycle's id.")],
    collected: Annotated[
        Path, typer.Option("--collected", metavar="FOLDER", help="What `argusic cycle collect` wrote.")
    ],
    signatures: Annotated[
        Path, typer.Option("--signatures", metavar="FOLDER", help="What `argusic evidence sign --digests` wrote.")
    ],
    branch: Annotated[
        str | None, typer.Option("--branch", help="The branch of the remote that it goes to. Default: results/CYCLE.")
    ] = None,
    remote: Annotated[str, typer.Option("--remote", help="The remote.")] = "origin",
    no_pull: Annotated[bool, typer.Option("--no-pull", help="Push alone; open no pull request.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Prove everything and print what a reviewer would read; change nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Prove collected runs and their signatures, push them as one commit, and open or renew one pull request.

    A run that is there already is passed over, so it can be repeated, and completes what was cut off. Nothing is ever
    pushed by force.
    """
    from argusic.github.fetching import branch_of
    from argusic.github.ladder.bringing import MAIN, bring
    from argusic.github.ladder.committing import Preparing
    from argusic.github.ladder.review import text_of
    from argusic.github.pushing import push_files
    from argusic.github.pygithub_forge import GitHubForge

    base = database()
    base.cycle(cycle)
    named = branch or branch_of(cycle)
    if named == MAIN:
        raise InputError(f"results are proposed for {MAIN}, and are never pushed to it.")
    try:
        forge = None if no_pull or dry_run else GitHubForge.of_environment(os.environ)
    except EnvironmentLack as error:
        also = "Or push alone with --no-pull."
        raise EnvironmentLack(error.what, advice=f"{error.advice} {also}" if error.advice else also) from None

    def push(files: Mapping[PurePosixPath, Path | bytes], message: str) -> str | None:
        return push_files(base.root, named, files, message, onto=MAIN, remote=remote, environment=os.environ)

    with tempfile.TemporaryDirectory(prefix="argusic-committing-") as name:
        preparing = Preparing(base, cycle, Path(name).resolve(), remote, os.environ, named)
        results = preparing.prepare(collected, signatures, send=not dry_run)
        made = bring(preparing, results, named, None if dry_run else push, forge)
    text = text_of(made.review)
    emit(as_json, _plain(made, named, text), partial(_show, made=made, branch=named, text=text, dry_run=dry_run))


def _plain(made: Brought, branch: str, text: str) -> dict[str, Any]:
    return {
        "branch": branch,
        "commit": made.commit,
        "pull": made.pull,
        "runs": [path.name for path in made.results.new],
        "waiting": [run.run for run in made.review.waiting],
        "files": [str(path) for path in sorted(made.results.files)],
        "unsigned": [str(path) for path in made.results.unsigned],
        "text": text,
    }


def _show(out: Console, *, made: Brought, branch: str, text: str, dry_run: bool) -> None:
    runs, files = counted(len(made.results.new), "run"), counted(len(made.results.files), "file")
    if dry_run:
        out.print(f"{runs} in {files} would go to {branch}. The pull request would say:\n")
        out.print(text)
        return
    if made.commit is not None:
        out.print(f"Pushed {runs} in {files} to {branch}: {made.commit}")
    else:
        out.print(f"Everything is on {branch}, or merged, already; nothing was pushed.")
    if made.results.unsigned:
        out.print(f"Nobody vouches for {counted(len(made.results.unsigned), 'run')} of them.", style="yellow")
    if made.pull is not None:
        out.print(f"Pull request {made.pull} proposes {counted(len(made.review.waiting), 'run')}.")
    else:
        out.print("No pull request was opened." if made.review.waiting else "Nothing waits for review.")
