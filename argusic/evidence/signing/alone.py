"""One signer of a cycle at a time: two that start together would each sign what neither has signed yet."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from argusic.database.database import Database
from argusic.errors import CheckFailed

#: Seconds that a signer waits for another one: to read ten thousand runs takes some, an answer from afar a few more.
_PATIENCE: Final = 120.0
_PAUSE: Final = 0.1


@contextmanager
def signing_alone(database: Database, cycle: str, patience: float = _PATIENCE) -> Iterator[None]:
    """Hold the signing of a cycle for this process. The kernel lets go of it when the process dies.

    Args:
        database: The database.
        cycle: The cycle's id.
        patience: How many seconds to wait for another signer.

    Raises:
        CheckFailed: Another process went on signing for longer than that.
    """
    database.work.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(database.work / f".signing-{cycle}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        until = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise CheckFailed(f"cycle {cycle} is being signed by another process.") from None
                time.sleep(_PAUSE)
        yield
    finally:
        os.close(descriptor)
