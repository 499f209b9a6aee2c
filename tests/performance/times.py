"""How performance tests take times: as little as the machine's other work can add to them.

Works that are compared take turns. Each time is the processor time, children's included, and the least of several
rounds counts: whatever else the machine does only ever adds. Where that is not within the limit yet, further rounds
bring it nearer to what the work takes.
"""

from __future__ import annotations

import resource
from collections.abc import Callable
from typing import NamedTuple

import psutil


class Work(NamedTuple):
    """Something that is timed."""

    act: Callable[[], object]
    """What is timed."""
    before: Callable[[], object] = lambda: None
    """What is done before it each time, and is not."""


def processor_seconds() -> float:
    """Return the processor time of this process and of its children that have ended."""
    times = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(time.ru_utime + time.ru_stime for time in times)


def machines_seconds() -> float:
    """Return the processor time of everything on this machine: an engine's containers are no children of ours."""
    times = psutil.cpu_times()
    return float(times.user + times.nice + times.system + times.irq + times.softirq)


def compared(ours: Work, theirs: Work, limit: float, rounds: int, most_rounds: int) -> tuple[float, float]:
    """Return the least seconds that each took: after `rounds`, or as many more as it takes to be within `limit`.

    Args:
        ours: What may take at most `limit` times as long as
        theirs: this.
    """
    least = [float("inf"), float("inf")]
    for number in range(most_rounds):
        if number >= rounds and least[0] <= limit * least[1]:
            break
        for place, work in enumerate((ours, theirs)):
            work.before()
            begun = processor_seconds()
            work.act()
            least[place] = min(least[place], processor_seconds() - begun)
    return least[0], least[1]
