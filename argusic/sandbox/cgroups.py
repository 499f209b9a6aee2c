"""Limits on memory, processors and processes by the kernel's control groups, of either version.

A group is called `argusic/<run>` in every hierarchy it needs, so that a later start finds what a dead one left.
Where no hierarchy can be written there is no group, and a watchdog has to do.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from argusic.sandbox.protocol import Limits

_PARENT = "argusic"
_CONTROLLERS = ("memory", "cpu", "pids")
_PERIOD_MICROSECONDS = 100_000
_REMOVE_SECONDS = 5.0


@dataclass(frozen=True)
class Hierarchies:
    """Where groups can be made on this machine.

    Attributes:
        version: Of the control groups.
        parents: The folder for each controller, below which groups are made; the same one in version 2.
    """

    version: Literal["cgroup-v1", "cgroup-v2"]
    parents: dict[str, Path]


def find_hierarchies(mountinfo: Path = Path("/proc/self/mountinfo")) -> Hierarchies | None:
    """Return where groups with all three controllers can be made by this user, or None."""
    try:
        unified, split = _places(mountinfo)
    except OSError:
        return None
    if set(split) == set(_CONTROLLERS) and all(_can_make_groups(path) for path in split.values()):
        return Hierarchies("cgroup-v1", {name: path / _PARENT for name, path in split.items()})
    if unified is not None:
        for place in _unified_places(unified):
            if _delegate(place):
                return Hierarchies("cgroup-v2", dict.fromkeys(_CONTROLLERS, place / _PARENT))
    return None


def _places(mountinfo: Path) -> tuple[Path | None, dict[str, Path]]:
    """Return where version 2 is mounted, and where each controller of version 1 is."""
    unified: Path | None = None
    split: dict[str, Path] = {}
    for fields in [line.split() for line in mountinfo.read_text().splitlines()]:
        kind, options = fields[fields.index("-") + 1], fields[-1].split(",")
        if kind == "cgroup2":
            unified = Path(fields[4])
        elif kind == "cgroup":
            split |= {name: Path(fields[4]) for name in _CONTROLLERS if name in options}
    return unified, split


def _mounted(
    mountinfo: Path = Path("/proc/self/mountinfo"),
) -> tuple[Literal["cgroup-v1", "cgroup-v2"], dict[str, Path]]:
    unified, split = _places(mountinfo)
    if set(split) == set(_CONTROLLERS) or unified is None:
        return "cgroup-v1", split
    return "cgroup-v2", dict.fromkeys(_CONTROLLERS, unified)


def _can_make_groups(folder: Path) -> bool:
    try:
        (folder / _PARENT).mkdir(exist_ok=True)
    except OSError:
        return False
    return os.access(folder / _PARENT, os.W_OK)


def _unified_places(mount: Path) -> list[Path]:
    """Return the groups from the top of what can be seen down to this process's own."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
        own = next(line.partition("::")[2] for line in lines if line.startswith("0::"))
    except (OSError, StopIteration):
        return [mount]
    place = mount / own.strip("/")
    way = [place, *place.parents]
    return [step for step in reversed(way) if step.is_relative_to(mount)]


def _delegate(place: Path) -> bool:
    """Make the parent group below `place`, with the controllers switched on for its children."""
    try:
        available = (place / "cgroup.controllers").read_text().split()
        if not set(_CONTROLLERS) <= set(available) or not _can_make_groups(place):
            return False
        switch = " ".join(f"+{name}" for name in _CONTROLLERS)
        (place / "cgroup.subtree_control").write_text(switch)
        (place / _PARENT / "cgroup.subtree_control").write_text(switch)
    except OSError:
        with suppress(OSError):
            (place / _PARENT).rmdir()
        return False
    return True


class Cgroup:
    """The control group of one sandbox."""

    def __init__(self, hierarchies: Hierarchies, run: str) -> None:
        self.version = hierarchies.version
        self._folders = {name: parent / run for name, parent in hierarchies.parents.items()}

    @classmethod
    def of_process(cls, pid: int) -> Cgroup | None:
        """Return the group that somebody else has put a process into, or None where it cannot be seen."""
        try:
            lines = [line.split(":", 2) for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines()]
            version, mounts = _mounted()
        except OSError:
            return None
        places = {name: place for _, names, place in lines for name in names.split(",")}
        group = cls(Hierarchies(version, {}), "")
        group._folders = {
            name: mount / places.get(name if version == "cgroup-v1" else "", "/").strip("/")
            for name, mount in mounts.items()
        }
        seen = all(folder.is_dir() and ".." not in folder.parts for folder in group._folders.values())
        return group if seen and group._folders else None

    def create(self, limits: Limits) -> None:
        """Make the group and set its limits.

        Raises:
            OSError: It exists already, or the kernel refuses; what was made is removed again.
        """
        with ExitStack() as undo:
            for folder in self._distinct():
                folder.mkdir()
                undo.callback(folder.rmdir)
            self._set_limits(limits)
            undo.pop_all()

    def _set_limits(self, limits: Limits) -> None:
        memory = limits.memory_mb * 1_000_000
        quota = int(limits.cpus * _PERIOD_MICROSECONDS)
        if self.version == "cgroup-v1":
            self._set("memory", "memory.limit_in_bytes", memory)
            with suppress(OSError):  # Only where the kernel accounts for swap.
                self._set("memory", "memory.memsw.limit_in_bytes", memory)
            self._set("cpu", "cpu.cfs_period_us", _PERIOD_MICROSECONDS)
            self._set("cpu", "cpu.cfs_quota_us", quota)
        else:
            self._set("memory", "memory.max", memory)
            with suppress(OSError):
                self._set("memory", "memory.swap.max", 0)
            self._set("cpu", "cpu.max", f"{quota} {_PERIOD_MICROSECONDS}")
        # The supervisor is the referee's, not the agent's.
        self._set("pids", "pids.max", limits.processes + 1)

    def join(self, pid: int) -> None:
        """Put a process into the group; its children follow."""
        for folder in self._distinct():
            (folder / "cgroup.procs").write_text(str(pid))

    def memory_hits(self) -> int:
        """Return how many processes were killed for want of memory."""
        if self.version == "cgroup-v1":
            return self._count("memory", "memory.oom_control", "oom_kill")
        return self._count("memory", "memory.events", "oom_kill")

    def process_hits(self) -> int:
        """Return how often a process could not be started."""
        return self._count("pids", "pids.events", "max")

    def members(self) -> list[int]:
        """Return the processes in the group, sorted."""
        found: set[int] = set()
        for folder in self._distinct():
            with suppress(OSError):
                found.update(map(int, (folder / "cgroup.procs").read_text().split()))
        return sorted(found)

    def remove(self) -> None:
        """Kill what is in the group, if anything, and remove it."""
        deadline = time.monotonic() + _REMOVE_SECONDS
        while any(folder.exists() for folder in self._distinct()):
            for pid in self.members():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            for folder in self._distinct():
                try:
                    folder.rmdir()
                except FileNotFoundError:
                    continue
                except OSError:
                    if time.monotonic() > deadline:
                        raise
            time.sleep(0.002)

    def _distinct(self) -> Sequence[Path]:
        return sorted(set(self._folders.values()))

    def _set(self, controller: str, name: str, value: int | str) -> None:
        (self._folders[controller] / name).write_text(str(value))

    def _count(self, controller: str, name: str, key: str) -> int:
        try:
            text = (self._folders[controller] / name).read_text()
        except OSError:
            return 0
        return next((int(line.split()[1]) for line in text.splitlines() if line.split()[0] == key), 0)
