"""Stopping what runs: every attempt in progress is ended and becomes an invalid run, `cancelled`."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress

from argusic.database.database import Database
from argusic.records.run import Ending
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
    stopped = running(database.work)
    processes = sorted({process for _, process in stopped})
    if not emergency:
        _send(processes, signal.SIGTERM)
        deadline = time.monotonic() + GRACE
        while running(database.work) and time.monotonic() < deadline:
            time.sleep(0.1)
    _send(sorted({process for _, process in running(database.work)}), signal.SIGKILL)
    deadline = time.monotonic() + 5
    while running(database.work) and time.monotonic() < deadline:
        time.sleep(0.05)
    how = "an emergency stop" if emergency else "a stop"
    recover(database, providers, Ending(how="cancelled", detail=f"Ended by {how}."))
    return [run for run, _ in stopped]


def _send(processes: list[int], number: signal.Signals) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, number)
