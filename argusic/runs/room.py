"""How many attempts a machine holds at once."""

from __future__ import annotations

import os
from typing import Final

import psutil

from argusic.records.cycle import Conditions

#: The most attempts that one process orders at once.
MOST_AT_ONCE: Final = 64


def room(conditions: Conditions) -> int:
    """Return how many attempts with these limits this machine holds at once; at least one."""
    memory_mb = psutil.virtual_memory().total // 2**20
    fits = min(int((os.cpu_count() or 1) // conditions.cpus), memory_mb // conditions.memory_mb)
    return max(1, min(fits, MOST_AT_ONCE))
