"""How much of its limits a container uses: as the kernel counts, and as its layer on the disk shows."""

from __future__ import annotations

import os
from pathlib import Path

from argusic.sandbox.cgroups import Cgroup
from argusic.sandbox.disk import Enough, measure
from argusic.sandbox.docker.engine import ContainerState, Engine, EngineError


class Hits:
    """Counts how often the kernel held a container to a limit. The last counts stay when the container is gone.

    Args:
        pid: Its first process.
    """

    def __init__(self, pid: int) -> None:
        self._group = Cgroup.of_process(pid)
        self._memory = self._processes = 0

    def memory(self) -> int:
        """Return how many processes were killed for want of memory."""
        self._memory = max(self._memory, self._group.memory_hits() if self._group else 0)
        return self._memory

    def processes(self) -> int:
        """Return how often a process could not be started."""
        self._processes = max(self._processes, self._group.process_hits() if self._group else 0)
        return self._processes


class Layer:
    """What was written in a container.

    Args:
        engine: The engine.
        container: The container's id.
        state: The container as it runs.
        folder: Where the engine keeps containers.
        work: A folder of this machine that can be looked at in any case.
    """

    def __init__(self, engine: Engine, container: str, state: ContainerState, folder: Path, work: Path) -> None:
        self._engine = engine
        self._container = container
        self._layer = state.layer if state.layer is not None and os.access(state.layer, os.R_OK | os.X_OK) else None
        self.folder = self._layer or (folder if folder.exists() else work)
        """A folder on the disk that it lies on."""
        self.device = _device(state.pid)
        """The number of its device as its own processes see it, if that can be told."""

    @property
    def is_seen(self) -> bool:
        """Whether this user can look at the files themselves, so that nothing written stays unseen."""
        return self._layer is not None and self.device is not None

    def measure(self, enough: Enough) -> int:
        """Return what it takes in bytes, until a total is enough."""
        if self._layer is not None:
            return measure(self._layer, enough).total
        try:
            return self._engine.written(self._container)
        except EngineError:
            return 0


def _device(pid: int) -> int | None:
    try:
        return Path(f"/proc/{pid}/root").stat().st_dev
    except OSError:
        return None
