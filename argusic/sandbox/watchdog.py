"""Looks at a sandbox from outside and acts where a limit is passed: the disk always, the rest where no group holds it.

Weaker than the kernel's own limits: what happens between two looks is seen only afterwards.
"""

from __future__ import annotations

import os
import signal
import stat
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from argusic.records.run import Ending
from argusic.sandbox.disk import used_bytes
from argusic.sandbox.protocol import Limits

_LOOK_SECONDS = 0.2
#: Memory can be taken fast: where no group holds it, looks follow each other as the effort allows.
_QUICK_LOOK_SECONDS = 0.03
#: The share of the time that looking may take.
_SHARE = 0.1
#: What must stay free on the host's disk, in bytes and in entries.
_FREE_BYTES = 500_000_000
_FREE_ENTRIES = 10_000


@dataclass
class Seen:
    """How often each limit was seen to hold."""

    memory: int = 0
    processes: int = 0
    disk: int = 0


class Watchdog:
    """Watches one sandbox from threads of its own.

    Args:
        limits: What it may use.
        folder: Its folder on the host's disk.
        first: The host's number of its first process.
        grouped: Whether a control group holds memory and processes.
        end: Called with how the sandbox has to end; kills it.
    """

    def __init__(self, limits: Limits, folder: Path, first: int, grouped: bool, end: Callable[[Ending], None]) -> None:
        self._limits = limits
        self._folder = folder
        self._first = first
        self._end = end
        self._stop = threading.Event()
        self._disk_due = 0.0
        self._free_at_last_look = 0
        self.seen = Seen()
        # Measuring a large folder takes seconds, which memory does not wait for: each in a thread of its own.
        looks = [self._look_at_folder] if grouped else [self._look_at_folder, self._look_at_processes]
        self._threads = [threading.Thread(target=self._watch, args=(look,), daemon=True) for look in looks]

    def start(self) -> None:
        """Begin to watch."""
        self._untouched = _time_limit(self._first)
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop watching; returns when nothing is looked at any more."""
        self._stop.set()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join()

    def _watch(self, look: Callable[[], tuple[float, Ending | None]]) -> None:
        pause = _LOOK_SECONDS
        while not self._stop.wait(pause):
            pause, ending = look()
            if ending is not None and not self._stop.is_set():
                self._end(ending)
                return

    def _look_at_folder(self) -> tuple[float, Ending | None]:
        # The one way from inside to have the first process killed by the kernel, which would look like our own doing.
        if _time_limit(self._first) not in (self._untouched, None):
            what = "The sandbox's first process was given a time limit."
            return 0, Ending(how="sandbox_destroyed", detail=what)
        return _LOOK_SECONDS, self._look_at_disk()

    def _look_at_processes(self) -> tuple[float, None]:
        began = time.monotonic()
        self._hold_processes()
        return max(_QUICK_LOOK_SECONDS, (time.monotonic() - began) / _SHARE), None

    def _hold_processes(self) -> None:
        processes = _inside(self._first)
        if len(processes) >= self._limits.processes:
            self.seen.processes += 1
            for pid in processes:
                _kill(pid)
            return
        sizes = {pid: _private_bytes(pid) for pid in processes}
        total = sum(sizes.values())
        limit = self._limits.memory_mb * 1_000_000
        if total > limit:
            self.seen.memory += 1
        for pid in sorted(sizes, key=lambda one: sizes[one], reverse=True):
            if total <= limit:
                break
            _kill(pid)
            total -= sizes[pid]

    def _look_at_disk(self) -> Ending | None:
        facts = os.statvfs(self._folder)
        free = facts.f_bavail * facts.f_frsize
        if free < _FREE_BYTES or (facts.f_files > 0 and facts.f_favail < _FREE_ENTRIES):
            return Ending(how="host_disk_full", detail=f"The host's disk has {free // 1_000_000} MB left.")
        now = time.monotonic()
        grown = self._free_at_last_look - free
        # Much faster growth than usual is looked at once; else as often as the effort allows.
        if now < self._disk_due and grown < self._limits.disk_mb * 100_000:
            return None
        used = used_bytes(self._folder) + _unlinked_bytes(self._first, self._folder.stat().st_dev)
        self._free_at_last_look = free
        self._disk_due = time.monotonic() + max(1.0, (time.monotonic() - now) / _SHARE)
        if used <= self._limits.disk_mb * 1_000_000:
            return None
        self.seen.disk += 1
        what = f"The sandbox's files took {used // 1_000_000} MB, more than the limit of {self._limits.disk_mb} MB."
        return Ending(how="disk_limit", detail=what)


def _inside(first: int) -> list[int]:
    """Return every process that descends from a sandbox's first one."""
    found: list[int] = []
    waiting = [first]
    while waiting:
        pid = waiting.pop()
        with suppress(OSError):
            for thread in os.scandir(f"/proc/{pid}/task"):
                with suppress(OSError):
                    waiting += map(int, Path(thread.path, "children").read_text().split())
        found.append(pid)
    return found[1:]


def _kill(pid: int) -> None:
    with suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def _time_limit(pid: int) -> str | None:
    """Return the limit on a process's own time, as the kernel words it; None where the process is gone."""
    with suppress(OSError):
        lines = Path(f"/proc/{pid}/limits").read_text().splitlines()
        return next((line for line in lines if line.startswith("Max cpu time")), None)
    return None


def _private_bytes(pid: int) -> int:
    """Return the memory that a process does not share with a file, in bytes."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith(("RssAnon:", "RssShmem:")))


def _unlinked_bytes(first: int, device: int) -> int:
    """Return what files without a name, held open by a sandbox's processes on a device, take in bytes."""
    sizes: dict[int, int] = {}
    for pid in _inside(first):
        with suppress(OSError), os.scandir(f"/proc/{pid}/fd") as entries:
            for entry in entries:
                with suppress(OSError):
                    facts = entry.stat()
                    if facts.st_nlink == 0 and facts.st_dev == device and stat.S_ISREG(facts.st_mode):
                        sizes[facts.st_ino] = facts.st_blocks * 512
    return sum(sizes.values())
