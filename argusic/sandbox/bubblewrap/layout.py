"""What bubblewrap is told: namespaces, and the files that exist inside. Pure."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from argusic.sandbox.bubblewrap.interpreter import BORROWED_HOME
from argusic.sandbox.bubblewrap.skeleton import HOST_NAME, SYSTEM_FOLDERS
from argusic.sandbox.protocol import SandboxSpec
from argusic.sandbox.supervised.environment import environment
from argusic.sandbox.supervisor import CHANNEL_VARIABLE

#: Size of the shared memory inside, in bytes: what container engines give by default.
SHARED_MEMORY = 64 * 1024 * 1024

_READ_ONLY = ("sys", "sysrq-trigger", "irq", "bus", "fs")
_HIDDEN = ("kcore", "keys", "kmsg", "timer_list", "sched_debug", "latency_stats")


@dataclass(frozen=True)
class Folders:
    """Where a sandbox's files lie on the host.

    Attributes:
        root: The root folder inside.
        shown: Names of folders of the host's `/etc` to show.
        local: The layer for what is installed below `/usr/local`, and the kernel's work folder for it; None where
            the kernel has no such layers.
        borrowed: The installation of the supervisor's Python, where it is not the system's.
    """

    root: Path
    shown: Sequence[str]
    local: tuple[Path, Path] | None
    borrowed: Path | None


class Handed(NamedTuple):
    """The descriptors that bubblewrap is handed."""

    channel: int
    """The supervisor's end of its line to the host."""
    calls: int | None
    """The filter of system calls, where there is one."""


def arguments(
    spec: SandboxSpec, folders: Folders, interpreter: Path, handed: Handed, *, certificates: bool
) -> list[str]:
    """Return bubblewrap's arguments, from the first option to the end of the command it starts.

    Bubblewrap's own `--die-with-parent` is not among them: killed between its two halves, it leaves the inner one
    waiting for ever. The supervisor ends by itself when its line to the host does.
    """
    options = [
        *("--unshare-all", "--unshare-user", "--disable-userns", "--uid", "0", "--gid", "0", "--cap-drop", "ALL"),
        *("--new-session", "--as-pid-1", "--hostname", HOST_NAME),
        *_files(folders),
        "--clearenv",
    ]
    if handed.calls is not None:
        options += ["--seccomp", str(handed.calls)]
    node = Path("/usr/include/node/node.h").exists()
    inside = {**environment(spec, certificates=certificates, node=node), CHANNEL_VARIABLE: str(handed.channel)}
    for name, value in sorted(inside.items()):
        options += ["--setenv", name, value]
    return [*options, "--chdir", "/", "--", str(interpreter), "-I", "-S", "-B", "-"]


def _files(folders: Folders) -> list[str]:
    options = ["--bind", str(folders.root), "/", "--ro-bind", "/usr", "/usr"]
    if folders.borrowed is not None:
        options += ["--ro-bind", str(folders.borrowed), str(BORROWED_HOME)]
    if folders.local is not None:
        options += ["--overlay-src", "/usr/local", "--overlay", *map(str, folders.local), "/usr/local"]
    for name in SYSTEM_FOLDERS:
        if Path(f"/{name}").is_dir() and not Path(f"/{name}").is_symlink():
            options += ["--ro-bind", f"/{name}", f"/{name}"]
    for name in folders.shown:
        options += ["--ro-bind", f"/etc/{name}", f"/etc/{name}"]
    options += ["--dev", "/dev", "--perms", "1777", "--size", str(SHARED_MEMORY), "--tmpfs", "/dev/shm"]
    # Otherwise `/dev` is memory that anyone inside may fill, and whose terminal device they may replace.
    options += ["--remount-ro", "/dev", "--proc", "/proc"]
    for name in _READ_ONLY:
        options += ["--ro-bind-try", f"/proc/{name}", f"/proc/{name}"]
    for name in _HIDDEN:
        if os.path.lexists(f"/proc/{name}"):
            options += ["--ro-bind", "/dev/null", f"/proc/{name}"]
    return options
