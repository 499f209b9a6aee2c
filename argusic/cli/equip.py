"""What commands that make attempts have in common: a sandbox that works here, a watcher, and signals heard."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from argusic.cli.progress import watching
from argusic.database.database import Database
from argusic.errors import EnvironmentLack
from argusic.runs.attempt import Equipment
from argusic.runs.watching import Cancellation
from argusic.sandbox.registry import provider


@contextmanager
def equipped(database: Database, sandbox: str, *, quiet: bool) -> Iterator[Equipment]:
    """Give what attempts are made with.

    Args:
        sandbox: The name of the sandbox that the cycle asks for.
        quiet: Whether progress is left out.

    Raises:
        EnvironmentLack: This machine cannot run that sandbox.
    """
    chosen = provider(sandbox)
    lack = chosen.lack()
    if lack is not None:
        raise EnvironmentLack(lack, advice="`argusic doctor` says what else this machine can and cannot run.")
    cancellation = Cancellation()
    with watching(quiet) as watcher, cancellation.listening():
        yield Equipment(database, chosen, watcher, cancellation)
