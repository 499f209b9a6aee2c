"""Starts a sandbox, step by step, so that whatever step fails nothing of the earlier ones is left."""

from __future__ import annotations

import math
import os
import platform
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path

from argusic.records.manifest import SandboxFacts
from argusic.sandbox.bubblewrap.account import Account
from argusic.sandbox.bubblewrap.interpreter import Interpreter
from argusic.sandbox.bubblewrap.layout import Folders, arguments
from argusic.sandbox.bubblewrap.life import BubblewrapLife
from argusic.sandbox.bubblewrap.measuring import measure_all
from argusic.sandbox.bubblewrap.program import Program
from argusic.sandbox.bubblewrap.skeleton import build_local, build_skeleton, shown_folders
from argusic.sandbox.bubblewrap.traces import make_folder, title
from argusic.sandbox.cgroups import Cgroup, Hierarchies
from argusic.sandbox.disk import remove_folder
from argusic.sandbox.protocol import Limits, SandboxSpec
from argusic.sandbox.supervised.certificates import trusted_certificates
from argusic.sandbox.supervised.link import Link
from argusic.sandbox.supervised.sandbox import Parts, SupervisedSandbox
from argusic.sandbox.supervised.service import open_display, open_service
from argusic.sandbox.supervised.starting import started
from argusic.sandbox.supervised.way_out import NO_RAW_NETWORK, open_way_out
from argusic.sandbox.watchdog import Watchdog, Watched, counter

_SOURCE = (files("argusic.sandbox") / "supervisor.py").read_bytes()
_LACKS = (
    "Ports below 1024 cannot be listened on.",
    "There are no other users inside, so packages that add or need one cannot be installed.",
    "/usr is read-only but for /usr/local, so the system's package manager cannot install anything.",
)
_HEADROOM = 2_000_000_000
_NO_LAYERS = "/usr/local is read-only."
#: What bubblewrap says where it is not allowed to work, and what to tell the user.
_REASONS = {
    "Can't mount proc": "this machine hides parts of /proc, as unprivileged containers do: "
    "run outside that container, or start it with an unmasked /proc",
    "amespace": "this machine does not let this user make user namespaces: as root, run "
    "`sysctl -w user.max_user_namespaces=15000 kernel.apparmor_restrict_unprivileged_userns=0`",
    "uid map": "this machine does not let this user make user namespaces: as root, run "
    "`sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`",
}


@dataclass(frozen=True)
class Machine:
    """What this machine offers.

    Attributes:
        program: Its bubblewrap.
        interpreter: The Python for the supervisor.
        account: As whom sandboxes run.
        hierarchies: Where control groups can be made, if anywhere.
        layers: Whether the kernel lets an ordinary user lay one folder over another.
    """

    program: Program
    interpreter: Interpreter
    account: Account
    hierarchies: Hierarchies | None
    layers: bool


def start(machine: Machine, spec: SandboxSpec) -> SupervisedSandbox:
    """Start a sandbox.

    Raises:
        SandboxStartFailed: It could not be started; nothing is left behind.
    """
    return started(lambda undo: _start(machine, spec, undo), _explain)


def _start(machine: Machine, spec: SandboxSpec, undo: ExitStack) -> SupervisedSandbox:
    folder = make_folder(spec.name, spec.work, machine.account)
    undo.callback(remove_folder, folder)
    certificates = trusted_certificates(os.environ)
    build_skeleton(folder / "root", machine.account, certificates)
    group = _make_group(machine, spec, undo)

    errors = undo.enter_context(os.fdopen(os.memfd_create("errors"), "wb+"))
    life = BubblewrapLife(machine.program, machine.account, errors, group.memory_hits if group else lambda: 0)
    undo.callback(life.kill)
    local = (folder / "local", folder / "local-work") if machine.layers else None
    if local is not None:
        build_local(*local, machine.account)
    folders = Folders(folder / "root", shown_folders(), local, machine.interpreter.borrowed)
    link = life.start(
        title(spec.name),
        _SOURCE,
        lambda handed: arguments(
            spec, folders, machine.interpreter.path, handed, certificates=certificates is not None
        ),
    )
    _limit(life, link, spec.limits, group)
    if local is not None:
        _open_work(local[1])
    measure = partial(measure_all, machine.program, folder, spec.limits.disk_mb * 1_000_000)
    watchdog = Watchdog(spec.limits, Watched(folder, life.pid, group is not None, measure), life.end)
    watchdog.start()
    undo.callback(watchdog.stop)
    if spec.network:
        undo.callback(open_way_out(link).stop)
    if spec.service is not None:
        undo.callback(open_service(link, spec.service).stop)
    if spec.display is not None:
        undo.callback(open_display(link, spec.display).stop)
    undo.callback(life.kill)  # Once more: what runs inside dies before anything else is waited for.
    hits = counter(watchdog, *((group.memory_hits, group.process_hits) if group else ()))
    facts = _facts(machine, spec)
    return SupervisedSandbox(
        Parts(link, machine.interpreter.path, facts, undo.pop_all(), hits, life.ending, life.end, life.kill)
    )


def _make_group(machine: Machine, spec: SandboxSpec, undo: ExitStack) -> Cgroup | None:
    if machine.hierarchies is None:
        return None
    group = Cgroup(machine.hierarchies, spec.name)
    group.create(spec.limits)
    undo.callback(group.remove)
    return group


def _open_work(folder: Path) -> None:
    """Let the owner look into what the kernel has made for itself: only what code inside closes shall be closed."""
    with suppress(PermissionError):  # It belongs to another user, and this one may look everywhere.
        for made in folder.iterdir():
            made.chmod(0o700)


def _limit(life: BubblewrapLife, link: Link, limits: Limits, group: Cgroup | None) -> None:
    """Hold the first process, and so everything it will start, to the limits."""
    each = {"FSIZE": limits.disk_mb * 1_000_000}
    if group is not None:
        group.join(life.pid)
    else:
        # Stops what is faster than the watchdog, but not before that could see and name it.
        each["DATA"] = limits.memory_mb * 1_000_000 + _HEADROOM
        if _kernel() >= (5, 14):  # Older kernels count the user's processes outside as well.
            each["NPROC"] = limits.processes + 1
        usable = sorted(os.sched_getaffinity(life.pid))
        os.sched_setaffinity(life.pid, usable[: max(1, math.ceil(limits.cpus))])
    link.order("limit", each=each)


def _kernel() -> tuple[int, int]:
    major, minor = platform.release().split(".")[:2]
    return int(major), int("".join(filter(str.isdigit, minor)) or 0)


def _facts(machine: Machine, spec: SandboxSpec) -> SandboxFacts:
    return SandboxFacts(
        kind="bubblewrap",
        version=machine.program.version,
        host_user="root" if os.geteuid() == 0 else "ordinary",
        memory_mb=spec.limits.memory_mb,
        cpus=spec.limits.cpus,
        processes=spec.limits.processes,
        disk_mb=spec.limits.disk_mb,
        limits_by=machine.hierarchies.version if machine.hierarchies else "watchdog",
        disk_by="watchdog",
        network="http_proxy" if spec.network else "none",
        lacks=(
            *_LACKS,
            *((_NO_LAYERS,) if not machine.layers else ()),
            *((NO_RAW_NETWORK,) if spec.network else ()),
        ),
    )


def _explain(error: OSError) -> str:
    said = str(error)
    return next((reason for sign, reason in _REASONS.items() if sign in said), said.removesuffix("."))
