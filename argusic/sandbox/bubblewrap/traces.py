"""What a sandbox leaves on the host while it lives, by its name, so that it can be found after a crash."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from argusic.sandbox.bubblewrap.account import Account
from argusic.sandbox.cgroups import Cgroup, find_hierarchies
from argusic.sandbox.disk import remove_folder

#: The host's place for folders that the account can reach where the attempt's own is out of its reach.
PUBLIC_PLACE = Path("/var/tmp")
_FOLDER = "disk"
_TRIAL = "argusic-trial"
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
    for folder in (work / _FOLDER, *_public_folders(name)):
        with suppress(FileNotFoundError):
            if folder.lstat().st_uid in mine:
                remove_folder(folder)


def _public_folders(name: str) -> list[Path]:
    # Only the random tail may differ: another sandbox's name may begin with this one's.
    return [path for path in PUBLIC_PLACE.glob(f"argusic-{name}-*") if "-" not in path.name[len(f"argusic-{name}-") :]]


@contextmanager
def trial_folder() -> Iterator[tuple[str, Path]]:
    """Offer a name and a folder for a trial sandbox, having removed what trials of dead processes have left."""
    for left in PUBLIC_PLACE.glob(f"{_TRIAL}-*"):
        pid = left.name.split("-")[2]
        if not Path("/proc", pid).exists() and left.lstat().st_uid == os.geteuid():
            with suppress(OSError):  # Another process is removing it as well.
                remove_traces(f"trial-{pid}", left)
                remove_folder(left)
    work = Path(tempfile.mkdtemp(prefix=f"{_TRIAL}-{os.getpid()}-", dir=PUBLIC_PLACE))
    try:
        work.chmod(0o711)
        yield f"trial-{os.getpid()}", work
    finally:
        remove_folder(work)


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
