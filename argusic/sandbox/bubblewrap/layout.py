"""What bubblewrap is told: namespaces, the files that exist inside, and the environment. Pure."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from argusic.sandbox.bubblewrap.interpreter import BORROWED_HOME
from argusic.sandbox.bubblewrap.skeleton import CA_BUNDLE, HOST_NAME, SYSTEM_FOLDERS
from argusic.sandbox.protocol import HOME_FOLDER, SandboxSpec
from argusic.sandbox.supervisor import CHANNEL_VARIABLE

#: The port of the way out, on the loopback inside: above those that the kernel hands out by itself.
PROXY_PORT = 61184
#: Size of the shared memory inside, in bytes: what container engines give by default.
SHARED_MEMORY = 64 * 1024 * 1024

_PATH = f"{HOME_FOLDER}/.local/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_READ_ONLY = ("sys", "sysrq-trigger", "irq", "bus", "fs")
_HIDDEN = ("kcore", "keys", "kmsg", "timer_list", "sched_debug", "latency_stats")
_CA_VARIABLES = (
    "AWS_CA_BUNDLE",
    "CARGO_HTTP_CAINFO",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "NODE_EXTRA_CA_CERTS",
    "PIP_CERT",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_FILE",
)


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
    inside = {**environment(spec, certificates), CHANNEL_VARIABLE: str(handed.channel)}
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


def environment(spec: SandboxSpec, certificates: bool) -> Mapping[str, str]:
    """Return the environment that every command inside starts with."""
    values = {
        "DEBIAN_FRONTEND": "noninteractive",
        "HOME": HOME_FOLDER,
        "LANG": "C.UTF-8",
        "LOGNAME": "root",
        "PATH": _PATH,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "SHELL": "/bin/bash",
        # Only one user exists inside, so unpacking must not ask for the owners that an archive names.
        "TAR_OPTIONS": "--no-same-owner",
        "TERM": "xterm-256color",
        "TZ": "UTC",
        "USER": "root",
        "npm_config_prefix": f"{HOME_FOLDER}/.local",
        "npm_config_update_notifier": "false",
    }
    if Path("/usr/include/node/node.h").exists():
        values["npm_config_nodedir"] = "/usr"
    if certificates:
        values |= dict.fromkeys(_CA_VARIABLES, CA_BUNDLE)
        values["npm_config_cafile"] = CA_BUNDLE
    if spec.network:
        proxy = f"http://127.0.0.1:{PROXY_PORT}"
        for name in ("http_proxy", "https_proxy"):
            values |= {name: proxy, name.upper(): proxy}
        around = "localhost,127.0.0.1,::1"
        values |= {"no_proxy": around, "NO_PROXY": around, "NODE_USE_ENV_PROXY": "1"}
        java = " ".join(
            f"-D{scheme}.proxyHost=127.0.0.1 -D{scheme}.proxyPort={PROXY_PORT}" for scheme in ("http", "https")
        )
        values |= {"GRADLE_OPTS": java, "MAVEN_OPTS": java}
    return {**values, **spec.environment}
