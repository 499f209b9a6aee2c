"""`argusic keys issue|wrapping`: keys for the attempts of a plan, sealed, and the pair that they are sealed to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from pyrage import x25519
from rich.console import Console

from argusic.cli.context import chosen, database
from argusic.cli.output import emit, printable
from argusic.errors import InputError, Place
from argusic.evidence.keys import refuse_inside_a_repository
from argusic.records.handing_over import Plan
from argusic.runs.jobs.files import read_json, write_json
from argusic.runs.jobs.handed_keys import WRAP_VARIABLE
from argusic.runs.jobs.issuing import WAIT_HOURS, issue_keys
from argusic.site.figures import counted

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def register(group: typer.Typer) -> None:
    """Add the commands to the group `keys`."""
    group.command("issue")(issue)
    group.command("wrapping")(wrapping)


def issue(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan, as `argusic cycle plan --jobs` wrote it.")],
    wrap_to: Annotated[str, typer.Option("--wrap-to", metavar="AGE", help="The public key that they are sealed to.")],
    to: Annotated[Path, typer.Option("--to", metavar="FILE", help="Where the sealed keys go. Made new.")],
    wait: Annotated[
        int, typer.Option("--wait", metavar="HOURS", min=1, max=72, help="How long a job may wait for its machine.")
    ] = WAIT_HOURS,
    as_json: _Json = False,
) -> None:
    """Issue a capped key for each attempt that a plan's jobs may make, sealed to the attempts' wrap key.

    The services' own keys come from the environment, as for `argusic keys sweep`, which deletes what was issued here.
    Half-way, where a service gives no more, what was issued is deleted again.
    """
    base = database()
    _must_be_new(to)
    keys = issue_keys(
        base,
        read_json(plan, Plan),
        wrap_to,
        os.environ,
        lambda made: write_json(to, made, replace=False),
        wait_hours=wait,
    )
    jobs = len({key.job for key in keys.keys})

    def show(out: Console) -> None:
        if not keys.keys:
            out.print("No agent of this plan needs a key that is issued.")
        out.print(printable(f"written: {to} ({counted(len(keys.keys), 'key')} for {counted(jobs, 'job')})"))

    emit(
        as_json,
        {"written": str(to), "keys": len(keys.keys), "jobs": jobs, "runs": [key.run for key in keys.keys]},
        show,
    )


def _must_be_new(to: Path) -> None:
    """Refuse a file that is there already, or that could not be made, before any key is issued."""
    if os.path.lexists(to):
        raise InputError("is there already, and keys are issued once.", place=Place(to))
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}.", place=Place(to)) from None


def wrapping(
    to: Annotated[
        Path, typer.Option("--to", metavar="FILE", help="Where the private key goes. Made new, for you alone.")
    ],
    as_json: _Json = False,
) -> None:
    """Make the key pair that attempts' keys are sealed to, and print its public half.

    What the file holds becomes the one secret of the jobs that make attempts, under the name ARGUSIC_WRAP_KEY.
    """
    try:
        refuse_inside_a_repository(to.parent, chosen())
    except InputError as error:
        raise InputError(error.what, place=error.place, advice="Name a file elsewhere with --to.") from None
    pair = x25519.Identity.generate()
    try:
        to.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise InputError("is there already, and a private key is never replaced.", place=Place(to)) from None
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(f"# public key: {pair.to_public()}\n{pair}\n")
        file.flush()
        os.fsync(file.fileno())
    public = str(pair.to_public())

    def show(out: Console) -> None:
        out.print(public)
        out.print(
            printable(f"The private key is in {to}, for the secret {WRAP_VARIABLE} of the jobs that make attempts.")
        )

    emit(as_json, {"public": public, "private": str(to)}, show)
