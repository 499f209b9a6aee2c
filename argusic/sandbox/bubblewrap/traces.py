"""What a sandbox leaves on the host while it lives, by its name, so that it can be found after a crash."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from argusic.sandbox.bubblewrap.account import Account
from argusic.sandbox.cgroups import Cgroup, find_hierarchies
from argusic.sandbox.disk import remove_folder

#: The host's place for folders that the account can reach where the attempt's own is out of its reach.
PUBLIC_PLACE = Path("/var/tmp")
_FOLDER = "disk"
_DEATH_SECONDS = 10.0


def title(name: str) -> str:
    """Return what the sandbox's process is called in the host's list of processes."""
    return f"argusic-sandbox:{name}"


def make_folder(name: str, work: Path, account: Account) -> Path:
    """Make the sandbox's folder on the host, which only `account` can enter.

    Raises:
        OSError: It exists already, or cannot be made.
    """
    if account.reaches(work):
        folder = work.resolve() / _FOLDER
        folder.mkdir(mode=0o700)
    else:
        folder = Path(tempfile.mkdtemp(prefix=f"argusic-{name}-", dir=PUBLIC_PLACE))
    account.take(folder)
    return folder


def remove_traces(name: str, work: Path) -> None:
    """Kill and remove whatever is left of the sandbox called `name`.

    Raises:
        OSError: Something could not be removed.
    """
    _kill_processes(title(name))
    hierarchies = find_hierarchies()
    if hierarchies is not None:
        Cgroup(hierarchies, name).remove()
    mine = {os.geteuid(), Account.choose().uid}
    for folder in (work / _FOLDER, *PUBLIC_PLACE.glob(f"argusic-{name}-*")):
        with suppress(FileNotFoundError):
            if folder.lstat().st_uid in mine:
                remove_folder(folder)


def _kill_processes(called: str) -> None:
    deadline = time.monotonic() + _DEATH_SECONDS
    while (left := _processes(called)) and time.monotonic() < deadline:
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def _processes(called: str) -> list[int]:
    """Return the host's processes of that title, and what they started: the sandbox's first process."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                if (folder / "cmdline").read_bytes().split(b"\0", 1)[0] == called.encode():
                    found.append(int(folder.name))
                    children = (folder / "task" / folder.name / "children").read_text()
                    found += map(int, children.split())
    return found
