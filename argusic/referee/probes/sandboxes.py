"""Probes of what sandboxes are made from: user namespaces, bubblewrap, a Docker engine, control groups."""

from __future__ import annotations

import getpass
import os
from collections.abc import Sequence
from pathlib import Path

from argusic.referee.probes.probe import Answer, Probe, as_root, ask, installing, last_line
from argusic.sandbox.cgroups import find_hierarchies
from argusic.sandbox.protocol import Provider

#: There where systemd is what started this machine; its programs can be installed without it.
SYSTEMD = Path("/run/systemd/system")

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


def docker(*, systemd: Path = SYSTEMD) -> Probe:
    """Ask for a Docker engine.

    Args:
        systemd: What is there where systemd runs.
    """
    name, without = "docker engine", "Attempts in a Docker sandbox, which this version does not have yet."
    answer = ask(["docker", "version", "--format", "{{.Server.Version}}"])
    if answer.ok:
        return Probe(name, True, f"Docker {last_line(answer.words)} answers.")
    return Probe(name, False, *_docker_lack(answer, systemd), without=without)


def _docker_lack(answer: Answer, systemd: Path) -> tuple[str, str]:
    """Say why no engine answers, and what mends it."""
    if answer.status is None:
        return "Docker is not here.", installing("docker.io")
    if "permission denied" in answer.words.lower():
        return "The engine does not let this user in.", as_root(f"usermod -aG docker {getpass.getuser()}")
    return "No engine answers.", as_root("systemctl start docker" if systemd.is_dir() else "service docker start")


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
