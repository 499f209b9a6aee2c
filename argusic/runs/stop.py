"""Stopping what runs: every attempt in progress is ended and becomes an invalid run, `cancelled`, and no runner of a
cycle goes on to another."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress

from argusic.database.database import Database
from argusic.records.run import Ending
from argusic.runs.cycle import runners
from argusic.runs.recover import recover
from argusic.runs.work import running
from argusic.sandbox.protocol import Provider

#: How long a process gets to end its attempt by itself, in seconds.
GRACE = 30.0


def stop(database: Database, providers: Mapping[str, Provider], *, emergency: bool) -> list[str]:
    """End every attempt of this database that runs on this machine; return their run ids.

    Args:
        emergency: Kill at once, instead of asking first and waiting up to `GRACE` seconds.
    """
    stopped = {run for run, _ in running(database.work)}
    if not emergency:
        _send(_processes(database), signal.SIGTERM)
        _wait(database, GRACE)
    stopped |= {run for run, _ in running(database.work)}
    _send(_processes(database), signal.SIGKILL)
    _wait(database, 5)
    how = "an emergency stop" if emergency else "a stop"
    recover(database, providers, Ending(how="cancelled", detail=f"Ended by {how}."))
    return sorted(stopped)


def _processes(database: Database) -> set[int]:
    return {process for _, process in running(database.work)} | set(runners(database))


def _wait(database: Database, seconds: float) -> None:
    """Wait until nothing runs here any more, but not longer than that."""
    deadline = time.monotonic() + seconds
    while _processes(database) and time.monotonic() < deadline:
        time.sleep(0.1)


def _send(processes: set[int], number: signal.Signals) -> None:
    for process in sorted(processes):
        with suppress(ProcessLookupError):
            os.kill(process, number)
