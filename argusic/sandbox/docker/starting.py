"""Starts a container, step by step, so that whatever step fails nothing of the earlier ones is left."""

from __future__ import annotations

import os
import shutil
import socket
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from argusic.records.manifest import GpuFacts, SandboxFacts
from argusic.sandbox.calls import call_filter
from argusic.sandbox.disk import remove_folder
from argusic.sandbox.docker import entry
from argusic.sandbox.docker.container import CERTIFICATES, ENTRY, INTERPRETER, PROFILE, RESOLVER, Request
from argusic.sandbox.docker.engine import Engine, EngineError, EngineFacts, ImageFacts
from argusic.sandbox.docker.image import name_of
from argusic.sandbox.docker.life import ContainerLife
from argusic.sandbox.docker.refused import profile
from argusic.sandbox.docker.traces import line_folder
from argusic.sandbox.docker.usage import Hits, Layer
from argusic.sandbox.protocol import SandboxSpec
from argusic.sandbox.supervised.certificates import trusted_certificates
from argusic.sandbox.supervised.sandbox import Parts, SupervisedSandbox
from argusic.sandbox.supervised.service import open_display, open_service
from argusic.sandbox.supervised.starting import started
from argusic.sandbox.supervised.way_out import NO_RAW_NETWORK, open_way_out
from argusic.sandbox.watchdog import Watchdog, Watched, counter

_START_SECONDS = 60.0
_RESTART_SECONDS = 10.0
_LOOK_SECONDS = 0.25
_LACKS = (
    "There are no other users inside, so packages that add or need one cannot be installed.",
    "/usr is read-only but for /usr/local, so the system's package manager cannot install anything.",
)
#: What a sandbox lacks where only the engine may look at its files.
UNSEEN = (
    "Its files are measured by the engine alone: those without a name, without content, or in very deep folders count "
    "only when the disk is full."
)
#: What the first process says where it is not allowed to work, and what to tell the user.
_REASONS = {
    "user namespace": "this machine does not let an ordinary user make user namespaces: as root, run "
    "`sysctl -w user.max_user_namespaces=15000 kernel.apparmor_restrict_unprivileged_userns=0`",
    f"{INTERPRETER}": f"the image has no {INTERPRETER} that works, which the supervisor runs on",
}


@dataclass(frozen=True)
class Machine:
    """What there is to make containers with.

    Attributes:
        at: The engine's address.
        engine: What it says of itself.
        image: The image.
        ready: The id of the image made ready.
        runtime: The program to run containers with, where that is not the engine's usual one.
    """

    at: str
    engine: EngineFacts
    image: ImageFacts
    ready: str
    runtime: str | None


def start(machine: Machine, spec: SandboxSpec, gpus: tuple[GpuFacts, ...] = ()) -> SupervisedSandbox:
    """Start a sandbox.

    Args:
        machine: What to make it with.
        spec: What to start.
        gpus: The GPUs that it is given, where it asks for them.

    Raises:
        SandboxStartFailed: It could not be started; nothing is left behind.
    """
    return started(lambda undo: _start(machine, spec, gpus, undo), _explain)


def _start(machine: Machine, spec: SandboxSpec, gpus: tuple[GpuFacts, ...], undo: ExitStack) -> SupervisedSandbox:
    engine = undo.enter_context(Engine(machine.at))
    line = line_folder(spec.work)
    certificates = trusted_certificates(os.environ)
    line.mkdir(mode=0o755)
    undo.callback(remove_folder, line)
    listener = undo.enter_context(_lay_out(line, certificates))
    request = Request(
        spec,
        machine.ready,
        machine.image.variables,
        line,
        certificates is not None,
        profile=line / PROFILE if machine.engine.reads_profiles else None,
        runtime=machine.runtime,
    )
    container = engine.create(request.image, request.argv, name=request.name, host=request.host(), **request.details())
    undo.callback(_remove, engine, container)
    engine.start(container)
    channel = _accept(engine, container, listener)
    pid = _pid(engine, container)
    hits = Hits(pid)
    life = ContainerLife(engine, container, channel, hits.memory)
    undo.callback(life.kill)
    if not life.begin(_START_SECONDS):
        raise OSError(engine.said(container) or "its first process died at once")
    state = engine.state(container)
    if state is None or not state.running:
        raise OSError("its first process died at once")
    life.watch(pid)
    _clear(line)
    life.link.order("limit", each={"FSIZE": spec.limits.disk_mb * 1_000_000})
    layer = Layer(engine, container, state, machine.engine.folder, spec.work)
    watched = Watched(layer.folder, pid, True, layer.measure, layer.device)
    watchdog = Watchdog(spec.limits, watched, life.end)
    watchdog.start()
    undo.callback(watchdog.stop)
    if spec.network:
        undo.callback(open_way_out(life.link).stop)
    if spec.service is not None:
        undo.callback(open_service(life.link, spec.service).stop)
    if spec.display is not None:
        undo.callback(open_display(life.link, spec.display).stop)
    undo.callback(life.kill)  # Once more: what runs inside dies before anything else is waited for.
    facts = _facts(machine, spec, gpus, seen=layer.is_seen)
    counted = counter(watchdog, hits.memory, hits.processes)
    return SupervisedSandbox(
        Parts(life.link, INTERPRETER, facts, undo.pop_all(), counted, life.ending, life.end, life.kill)
    )


def _remove(engine: Engine, container: str) -> None:
    """Remove the container, and wait for an engine that is just being restarted."""
    deadline = time.monotonic() + _RESTART_SECONDS
    while True:
        try:
            return engine.remove(container)
        except EngineError as error:
            if error.status is not None or time.monotonic() > deadline:
                raise
            time.sleep(_LOOK_SECONDS)


def _lay_out(line: Path, certificates: Path | None) -> socket.socket:
    """Fill the folder that the container is shown, and listen there for its first process."""
    own = files("argusic.sandbox")
    calls = call_filter(user_namespaces=False)
    if calls is None:
        raise OSError(f"the numbers of the system calls of {os.uname().machine} are not known here")
    for name, content in {
        ENTRY: (own / "docker" / "entry.py").read_bytes(),
        entry.SUPERVISOR: (own / "supervisor.py").read_bytes(),
        entry.CALLS: calls,
        PROFILE: profile().encode(),
        RESOLVER: b"",
    }.items():
        (line / name).write_bytes(content)
        (line / name).chmod(0o644)
    if certificates is not None:
        shutil.copyfile(certificates, line / CERTIFICATES)
        (line / CERTIFICATES).chmod(0o644)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    folder = os.open(line, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        listener.bind(f"/proc/self/fd/{folder}/{entry.LINE}")  # However long the folder's own path is.
        (line / entry.LINE).chmod(0o666)
        line.chmod(0o755)
        listener.listen(1)
        listener.settimeout(_LOOK_SECONDS)
    except BaseException:
        listener.close()
        raise
    finally:
        os.close(folder)
    return listener


def _accept(engine: Engine, container: str, listener: socket.socket) -> socket.socket:
    """Take the line from the container's first process: the only one there is."""
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            channel, _ = listener.accept()
        except TimeoutError:
            state = engine.state(container)
            if state is None or not state.running or time.monotonic() > deadline:
                raise OSError(engine.said(container) or "its first process died at once") from None
        else:
            channel.setblocking(True)
            return channel


def _pid(engine: Engine, container: str) -> int:
    state = engine.state(container)
    if state is None or not state.pid:
        raise OSError(engine.said(container) or "its first process died at once")
    if not Path("/proc", str(state.pid)).exists():
        raise OSError("the engine's processes are not those of this machine")
    return state.pid


def _clear(line: Path) -> None:
    """Leave nothing in the folder that is shown: what the container began with has been read."""
    for name in (entry.LINE, ENTRY, PROFILE, entry.SUPERVISOR, entry.CALLS):
        with suppress(FileNotFoundError):
            (line / name).unlink()


def _facts(machine: Machine, spec: SandboxSpec, gpus: tuple[GpuFacts, ...], *, seen: bool) -> SandboxFacts:
    return SandboxFacts(
        kind="docker",
        version=machine.engine.name + (f", {machine.runtime}" if machine.runtime else ""),
        image=name_of(machine.image),
        host_user="root" if os.geteuid() == 0 else "ordinary",
        memory_mb=spec.limits.memory_mb,
        cpus=spec.limits.cpus,
        processes=spec.limits.processes,
        disk_mb=spec.limits.disk_mb,
        limits_by="container",
        disk_by="watchdog",
        network="http_proxy" if spec.network else "none",
        lacks=(
            *_LACKS,
            *(f"The engine cannot limit {name}." for name in machine.engine.limits),
            *(() if seen else (UNSEEN,)),
            *((NO_RAW_NETWORK,) if spec.network else ()),
        ),
        gpus=gpus or None,
    )


def _explain(error: OSError) -> str:
    said = str(error)
    if isinstance(error, EngineError) and "seccomp" in said:
        return f"the engine does not take a list of refused system calls: {said}".removesuffix(".")
    last = said.strip().rpartition("\n")[2]
    return next((reason for sign, reason in _REASONS.items() if sign in last.lower()), last.removesuffix("."))
