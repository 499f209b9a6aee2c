"""What commands that make attempts have in common: a sandbox that works here, a watcher, and signals heard."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from argusic.cli.progress import watching
from argusic.database.database import Database
from argusic.errors import EnvironmentLack, InputError
from argusic.github.sizes import GitHubSizes
from argusic.records.cycle import Conditions
from argusic.runs.attempt import Equipment
from argusic.runs.room import MOST_AT_ONCE, room
from argusic.runs.watching import Cancellation
from argusic.sandbox.docker.provider import IMAGE_VARIABLE
from argusic.sandbox.registry import provider

#: The option that names another sandbox than the cycle's own.
SandboxOption = Annotated[str | None, typer.Option("--sandbox", help="Another sandbox than the cycle asks for.")]
#: The option that names another image than the published one.
ImageOption = Annotated[
    str | None,
    typer.Option("--image", envvar=IMAGE_VARIABLE, help="The image, by digest, for sandboxes made from one."),
]
#: The option that says how many attempts run at the same time.
ParallelOption = Annotated[
    str,
    typer.Option(
        "--parallel", metavar="N|auto", help="Attempts at once; `auto`: as many as the cycle's limits fit here."
    ),
]


def at_once(parallel: str, limits: Conditions) -> int:
    """Return how many attempts run at the same time.

    Args:
        parallel: What the user typed: a number, or `auto`.
        limits: The limits of each attempt.

    Raises:
        InputError: It is neither.
    """
    if parallel == "auto":
        return room(limits)
    if not parallel.isascii() or not parallel.isdigit() or not 1 <= int(parallel[:4]) <= MOST_AT_ONCE:
        raise InputError(f"--parallel is a number from 1 to {MOST_AT_ONCE}, or auto, not {parallel!r}.")
    return int(parallel)


@contextmanager
def equipped(database: Database, sandbox: str, *, quiet: bool, image: str | None = None) -> Iterator[Equipment]:
    """Give what attempts are made with.

    Args:
        sandbox: The name of the sandbox that the cycle asks for.
        quiet: Whether progress is left out.
        image: The image that sandboxes are made from, in place of the published one, where they are made from one.

    Raises:
        EnvironmentLack: This machine cannot run that sandbox.
    """
    if image is not None:
        os.environ[IMAGE_VARIABLE] = image  # Attempts that run in processes of their own find it there as well.
    chosen = provider(sandbox, database)
    lack = chosen.lack()
    if lack is not None:
        raise EnvironmentLack(lack, advice="`argusic doctor` says what else this machine can and cannot run.")
    cancellation = Cancellation()
    with watching(quiet) as watcher, cancellation.listening():
        yield Equipment(database, chosen, watcher, cancellation, host=GitHubSizes(os.environ))
