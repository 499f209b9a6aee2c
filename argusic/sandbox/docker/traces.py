"""What a sandbox leaves with the engine and on the host while it lives, so that it can be found after a crash.

Every container says by a label whose it is. Only those with our labels are ever looked at, and of them only those whose
owner is certainly dead are removed: a process of this machine, since its last start, in the same process namespace.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

from argusic.sandbox.disk import remove_folder
from argusic.sandbox.docker.engine import Engine, EngineError

RUN_LABEL = "argusic.run"
OWNER_LABEL = "argusic.owner"
_FOLDER = "line"
_LATE_SECONDS = 3.0
_LOOK_SECONDS = 0.1


def title(name: str) -> str:
    """Return a word in the command line of the sandbox's first process, by which people find it."""
    return f"argusic-sandbox:{name}"


def line_folder(work: Path) -> Path:
    """Return the folder of an attempt that its container is shown while it starts."""
    return work.resolve() / _FOLDER


def owner_labels(name: str) -> dict[str, str]:
    """Return the labels of a container that this process makes for a sandbox."""
    return {RUN_LABEL: name, OWNER_LABEL: _identity(os.getpid()) or ""}


def _identity(pid: int) -> str | None:
    """Return what tells a process from every other, at any time; None where there is no such process."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        space = Path("/proc/self/ns/pid").readlink()
        begun = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[19]
    except OSError:
        return None
    return f"{pid} {begun} {boot} {space}"


def is_dead(owner: str) -> bool:
    """Whether the process that an owner label names is certainly dead."""
    try:
        pid, _, boot, space = owner.split(" ")
        here = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except (OSError, ValueError):
        return False
    if boot != here:
        return True
    return space == str(Path("/proc/self/ns/pid").readlink()) and _identity(int(pid)) != owner


def sweep(engine: Engine) -> None:
    """Remove every container of ours whose owner is dead."""
    for container, labels in engine.containers(OWNER_LABEL).items():
        if is_dead(labels.get(OWNER_LABEL, "")):
            with suppress(EngineError):  # Another process removes it at this moment.
                engine.remove(container)


def remove_traces(engine: Engine | None, name: str, work: Path, *, starting: bool = False) -> None:
    """Remove whatever is left of the sandbox called `name`, whose owner is dead.

    Args:
        engine: The engine; None where none answers. A container that it still keeps is removed by a later sweep.
        name: The sandbox's name.
        work: The folder of its attempt.
        starting: Whether its owner died while it started. The engine may come only now to what it was asked for last,
            so a container that is not there is waited for a little.
    """
    if engine is not None:
        deadline = time.monotonic() + (_LATE_SECONDS if starting else 0)
        while not (found := engine.containers(f"{RUN_LABEL}={name}")) and time.monotonic() < deadline:
            time.sleep(_LOOK_SECONDS)
        for container in found:
            engine.remove(container)
    remove_folder(line_folder(work))
