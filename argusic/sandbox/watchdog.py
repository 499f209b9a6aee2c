"""Looks at a sandbox from outside and acts where a limit is passed: the disk always, the rest where no group holds it.

Weaker than the kernel's own limits: what happens between two looks is seen only afterwards.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from argusic.records.run import Ending, LimitHit
from argusic.sandbox.disk import Enough
from argusic.sandbox.processes import inside, kill, memory, standing, unlinked_bytes
from argusic.sandbox.protocol import Limits

_LOOK_SECONDS = 0.2
#: Memory can be taken fast: where no group holds it, looks follow each other as the effort allows.
_QUICK_LOOK_SECONDS = 0.03
#: The share of the time that looking may take.
_SHARE = 0.1
#: What must stay free on the host's disk, in bytes and in entries.
_FREE_BYTES = 500_000_000
_FREE_ENTRIES = 10_000
#: How long what a dead sandbox held may take to become free.
_FREED_SECONDS = 3.0

#: Says how a sandbox ended, once it is dead.
Cause = Callable[[], Ending]
#: Measures what a sandbox's folder takes in bytes, until a total is enough.
Measure = Callable[[Enough], int]


@dataclass
class Seen:
    """How often each limit was seen to hold."""

    memory: int = 0
    processes: int = 0
    disk: int = 0


@dataclass(frozen=True)
class Watched:
    """A sandbox as the watchdog sees it.

    Attributes:
        folder: Its folder on the host's disk.
        first: The host's number of its first process.
        grouped: Whether a control group holds memory and processes.
        measure: Measures the folder.
        device: The number of the device that its files lie on for the sandbox itself, where that is another.
    """

    folder: Path
    first: int
    grouped: bool
    measure: Measure
    device: int | None = None


class Watchdog:
    """Watches one sandbox from threads of its own.

    Args:
        limits: What it may use.
        watched: The sandbox.
        end: Called with how the sandbox has to end; kills it.
    """

    def __init__(self, limits: Limits, watched: Watched, end: Callable[[Cause], None]) -> None:
        self._limits = limits
        self._watched = watched
        self._end = end
        self._stop = threading.Event()
        self._free_at_last_look = 0
        self._disk_due = 0.0
        self.seen = Seen()
        # Measuring a large folder takes long, and nothing else waits for that: each in a thread of its own.
        looks = [self._look_at_first, self._look_at_host, self._look_at_disk]
        looks += [] if watched.grouped else [self._look_at_processes]
        self._threads = [threading.Thread(target=self._watch, args=(look,), daemon=True) for look in looks]

    def start(self) -> None:
        """Begin to watch."""
        self._untouched = standing(self._watched.first)
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop watching; returns when nothing is looked at any more."""
        self._stop.set()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join()

    def _watch(self, look: Callable[[], tuple[float, Cause | None]]) -> None:
        pause = _LOOK_SECONDS
        while not self._stop.wait(pause):
            try:
                pause, cause = look()
            except FileNotFoundError:
                return  # The folder is gone: it is being removed, or somebody else has removed it.
            if cause is not None and not self._stop.is_set():
                self._end(cause)
                return

    def _look_at_first(self) -> tuple[float, Cause | None]:
        """See whether the first process was tampered with: the kernel may kill it for that, as if from outside."""
        if standing(self._watched.first) in (self._untouched, ()):
            return _LOOK_SECONDS, None
        what = "The limits or the rank of the sandbox's first process were changed from inside."
        return 0, lambda: Ending(how="sandbox_destroyed", detail=what)

    def _look_at_host(self) -> tuple[float, Cause | None]:
        facts = os.statvfs(self._watched.folder)
        free = facts.f_bavail * facts.f_frsize
        if free >= _FREE_BYTES and (facts.f_files == 0 or facts.f_favail >= _FREE_ENTRIES):
            return _LOOK_SECONDS, None
        return 0, lambda: self._who_filled(free)

    def _who_filled(self, free: int) -> Ending:
        """Tell, once the sandbox is dead, whether it was what filled the host's disk.

        Files without a name can be held in ways that nobody outside sees. They go with whoever held them.
        """
        limit = self._limits.disk_mb * 1_000_000
        with suppress(OSError):
            named = self._watched.measure(lambda total: total > limit)
            deadline = time.monotonic() + _FREED_SECONDS
            while (used := named + _free(self._watched.folder) - free) <= limit and time.monotonic() < deadline:
                time.sleep(_LOOK_SECONDS)
            if used > limit:
                return self._too_much(used)
        return Ending(how="host_disk_full", detail=f"The host's disk has {free // 1_000_000} MB left.")

    def _look_at_disk(self) -> tuple[float, Cause | None]:
        free = _free(self._watched.folder)
        now = time.monotonic()
        grown = self._free_at_last_look - free
        # Much faster growth than usual is looked at once; else as often as the effort allows.
        if now < self._disk_due and grown < self._limits.disk_mb * 100_000:
            return _LOOK_SECONDS, None
        limit = self._limits.disk_mb * 1_000_000
        used = self._watched.measure(lambda total: total > limit or self._stop.is_set())
        device = self._watched.folder.stat().st_dev if self._watched.device is None else self._watched.device
        used += unlinked_bytes(self._watched.first, device)
        self._free_at_last_look = free
        self._disk_due = time.monotonic() + max(1.0, (time.monotonic() - now) / _SHARE)
        if used <= limit:
            return _LOOK_SECONDS, None
        ending = self._too_much(used)
        return 0, lambda: ending

    def _too_much(self, used: int) -> Ending:
        self.seen.disk += 1
        what = f"The sandbox's files took {used // 1_000_000} MB, more than the limit of {self._limits.disk_mb} MB."
        return Ending(how="disk_limit", detail=what)

    def _look_at_processes(self) -> tuple[float, None]:
        began = time.monotonic()
        self._hold_processes()
        return max(_QUICK_LOOK_SECONDS, (time.monotonic() - began) / _SHARE), None

    def _hold_processes(self) -> None:
        processes = inside(self._watched.first)
        if len(processes) >= self._limits.processes:
            self.seen.processes += 1
            for pid in processes:
                kill(pid)
            return
        sizes = memory(processes)
        total = sum(sizes.values())
        limit = self._limits.memory_mb * 1_000_000
        if total > limit:
            self.seen.memory += 1
        for pid in sorted(sizes, key=lambda one: sizes[one], reverse=True):
            if total <= limit:
                break
            kill(pid)
            total -= sizes[pid]


def counter(
    watchdog: Watchdog, memory: Callable[[], int] = lambda: 0, processes: Callable[[], int] = lambda: 0
) -> Callable[[], tuple[LimitHit, ...]]:
    """Return what counts the limits of a sandbox that have held, as seen here and as others have counted.

    Args:
        watchdog: What watches it.
        memory: Counts the processes killed for want of memory.
        processes: Counts how often a process could not be started.
    """

    def hits() -> tuple[LimitHit, ...]:
        seen = watchdog.seen
        counts = {"memory": seen.memory + memory(), "processes": seen.processes + processes(), "disk": seen.disk}
        return tuple(LimitHit.model_validate({"limit": name, "count": n}) for name, n in counts.items() if n)

    return hits


def _free(folder: Path) -> int:
    facts = os.statvfs(folder)
    return facts.f_bavail * facts.f_frsize
