"""Probes of what sandboxes are made from: user namespaces, bubblewrap, a Docker engine, control groups."""

from __future__ import annotations

import errno
import getpass
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from argusic.referee.probes.probe import Probe, as_root, ask, installing, last_line
from argusic.sandbox.cgroups import find_hierarchies
from argusic.sandbox.docker import Docker
from argusic.sandbox.docker.engine import Engine, EngineError, address
from argusic.sandbox.protocol import Provider

#: There where systemd is what started this machine; its programs can be installed without it.
SYSTEMD = Path("/run/systemd/system")

_ENGINE_SECONDS = 10.0
_OFFICIAL = "Attempts in a Docker sandbox: those of an official cycle."

#: An ordinary user whom nothing belongs to: bubblewrap runs as one even where Argusic runs as root.
NOBODY = 65534

#: A kernel setting that can forbid user namespaces, the value that forbids, and the command that allows.
FORBIDDING = (
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"),
    ("kernel/unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"),
    ("user/max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=15000"),
)


def user_namespaces(
    *, argv: Sequence[str] = ("unshare", "--user", "--map-root-user", "true"), settings: Path = Path("/proc/sys")
) -> Probe:
    """Try to make a user namespace as an ordinary user does, and where it fails name the setting that forbids it.

    Args:
        argv: The command that makes one.
        settings: Where the kernel's settings lie.
    """
    name, without = "user namespaces", "The bubblewrap sandbox, so any attempt."
    answer = ask(argv, user=NOBODY if os.geteuid() == 0 else None)
    if answer.ok:
        return Probe(name, True, "An ordinary user can make them.")
    for setting, forbids, command in FORBIDDING:
        try:
            value = (settings / setting).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if value == forbids:
            found = f"The kernel setting {setting.replace('/', '.')} is {value}, which forbids them."
            return Probe(name, False, found, mend=as_root(command), without=without)
    found = f"They are refused: {last_line(answer.words)}."
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        found += " This is a container: its engine forbids them."
        return Probe(name, False, found, mend="docker run --security-opt seccomp=unconfined ...", without=without)
    return Probe(name, False, found, mend=installing("util-linux"), without=without)


def sandbox(provider: Provider) -> Probe:
    """Ask a kind of sandbox to start for real."""
    lack = provider.lack()
    if lack is None:
        return Probe(f"{provider.name} sandbox", True, "It starts here.", needed=True)
    return Probe(f"{provider.name} sandbox", False, lack, without="Any attempt.", needed=True)


def docker(*, at: str | None = None, systemd: Path = SYSTEMD) -> Probe:
    """Ask for a container engine, as the Docker sandbox does: Docker itself, or another that speaks its language.

    Args:
        at: Its address; None for what `DOCKER_HOST` names, or its usual place.
        systemd: What is there where systemd runs.
    """
    name = "docker engine"
    try:
        with Engine(at, seconds=_ENGINE_SECONDS) as engine:
            facts = engine.facts()
    except EngineError as error:
        return Probe(name, False, *_docker_lack(error, at or address(), systemd), without=_OFFICIAL)
    missing = [f"It cannot limit {limit}." for limit in facts.limits]
    return Probe(name, True, " ".join([f"{facts.name} answers.", *missing]))


def _user() -> str:
    """Return this user's name, or a stand-in where the machine knows none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "USER"


def _docker_lack(error: EngineError, at: str, systemd: Path) -> tuple[str, str]:
    """Say why no engine answers, and what mends it."""
    if error.errno in (errno.EACCES, errno.EPERM):
        return "The engine does not let this user in.", as_root(f"usermod -aG docker {_user()}")
    if shutil.which("dockerd") is None and not os.environ.get("DOCKER_HOST"):
        return "Docker is not here.", installing("docker.io")
    start = as_root("systemctl start docker" if systemd.is_dir() else "service docker start")
    return f"No engine answers at {at}.", start


def docker_sandbox(provider: Docker) -> Probe:
    """Ask whether the image that Docker sandboxes are made from is with the engine. Fetches nothing.

    Args:
        provider: Makes them.
    """
    name = "docker sandbox"
    lack = provider.image_lack()
    if lack is None:
        return Probe(name, True, "The engine has the image.")
    return Probe(name, False, lack, mend="argusic environment build", without=_OFFICIAL)


def control_groups(*, mountinfo: Path = Path("/proc/self/mountinfo"), systemd: Path = SYSTEMD) -> Probe:
    """Look for control groups in which this user may limit memory, processors and processes.

    Args:
        mountinfo: What is mounted where.
        systemd: What is there where systemd runs, which alone can give a user groups of its own.
    """
    name = "control groups"
    without = "Limits held by the kernel. The weaker watchdog holds them instead, and the run says so."
    found = find_hierarchies(mountinfo)
    if found is not None:
        places = ", ".join(sorted({str(parent.parent) for parent in found.parents.values()}))
        return Probe(name, True, f"Groups can be made ({found.version}: {places}).")
    if " - cgroup" not in mountinfo.read_text(encoding="utf-8"):
        return Probe(name, False, "None are mounted.", without=without)
    reason = "This user may not make groups that limit memory, processors and processes."
    return Probe(name, False, reason, mend=_delegating() if systemd.is_dir() else None, without=without)


def _delegating() -> str:
    """Return the command that starts a program in control groups of its own."""
    scope = "systemd-run --user --scope --property=Delegate=yes make cycle"
    return scope if os.geteuid() else "systemd-run --scope --property=Delegate=yes make cycle"
