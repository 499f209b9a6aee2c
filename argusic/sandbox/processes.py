"""What the host sees of a sandbox's processes: who they are, what they take, and what was done to the first of them.

What has ended meanwhile, or cannot be read, counts nothing.
"""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

#: What a file in memory without a name is called where a process holds it open.
_MEMORY_FILE = "/memfd:"


def inside(first: int) -> list[int]:
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


def kill(pid: int) -> None:
    """Kill a process."""
    with suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def standing(first: int) -> tuple[str, ...]:
    """Return what a sandbox's first process may use and how the kernel treats it; empty where it is gone.

    From inside, the kernel lets whoever has the same user id take it away, and so kill or starve that process.
    """
    try:
        return (
            Path(f"/proc/{first}/limits").read_text(),
            Path(f"/proc/{first}/oom_score_adj").read_text(),
            _text(Path(f"/proc/{first}/autogroup")).rpartition(" ")[2],
            f"{os.sched_getscheduler(first)} {os.getpriority(os.PRIO_PROCESS, first)}",
        )
    except OSError:
        return ()


def memory(processes: Iterable[int]) -> dict[int, int]:
    """Return the memory that processes do not share with files on a disk, in bytes.

    What several hold together counts for one of them.
    """
    seen: set[tuple[int, int]] = set()
    return {pid: _own_bytes(pid) + max(_shared_bytes(pid), _memory_files(pid, seen)) for pid in processes}


def unlinked_bytes(first: int, device: int) -> int:
    """Return what files without a name that a sandbox's processes hold, open or mapped, take on a device in bytes."""
    sizes: dict[int, int] = {}
    for pid in inside(first):
        for place in ("fd", "map_files"):
            for facts in _held(pid, place):
                if facts.st_nlink == 0 and facts.st_dev == device and stat.S_ISREG(facts.st_mode):
                    sizes[facts.st_ino] = facts.st_blocks * 512
    return sum(sizes.values())


def _held(pid: int, place: str) -> Iterator[os.stat_result]:
    with suppress(OSError), os.scandir(f"/proc/{pid}/{place}") as entries:
        for entry in entries:
            with suppress(OSError):
                yield entry.stat()


def _own_bytes(pid: int) -> int:
    return _status_bytes(pid, "RssAnon:")


def _shared_bytes(pid: int) -> int:
    return _status_bytes(pid, "RssShmem:")


def _status_bytes(pid: int, name: str) -> int:
    lines = _text(Path(f"/proc/{pid}/status")).splitlines()
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith(name))


def _memory_files(pid: int, seen: set[tuple[int, int]]) -> int:
    """Return what files in memory that a process holds open take, but for those seen already."""
    total = 0
    with suppress(OSError), os.scandir(f"/proc/{pid}/fd") as entries:
        for entry in entries:
            with suppress(OSError):
                if str(Path(entry.path).readlink()).startswith(_MEMORY_FILE):
                    facts = entry.stat()
                    if (facts.st_dev, facts.st_ino) not in seen:
                        seen.add((facts.st_dev, facts.st_ino))
                        total += facts.st_blocks * 512
    return total


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
