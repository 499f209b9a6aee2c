"""What a sandbox is to the rest of Argusic. Every implementation passes the same conformance suite.

A sandbox is a machine used once: started for one attempt, destroyed at its end with everything in it. Its only
way out is the network that the specification asks for; nothing comes in. The agent's home is `HOME_FOLDER`.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, Protocol

from argusic.records.manifest import EnvironmentFacts, SandboxFacts
from argusic.records.run import Ending, LimitHit

#: The agent's home folder inside, writable, and where commands start.
HOME_FOLDER = "/root"
#: Where the subject lies inside.
SUBJECT_FOLDER = f"{HOME_FOLDER}/subject"
#: Where, inside, the service that a sandbox was given answers: a port above those that the kernel hands out by itself.
SERVICE_PORT = 61185
SERVICE_URL = f"http://127.0.0.1:{SERVICE_PORT}"
#: The display that a sandbox may be given, as X programs name it, and the port that this means: it is below those that
#: the kernel hands out by itself.
DISPLAY = "127.0.0.1:10"
DISPLAY_PORT = 6010

#: What some subjects need of the machine that a sandbox is on.
Need = Literal["display", "gpu"]


class TerminalSize(NamedTuple):
    """Columns and rows of a terminal."""

    columns: int = 120
    rows: int = 40


@dataclass(frozen=True)
class Limits:
    """What a sandbox may use. Memory and disk in MB of 1,000,000 bytes."""

    memory_mb: int = 4096
    cpus: float = 2
    processes: int = 1024
    disk_mb: int = 10240


@dataclass(frozen=True)
class SandboxSpec:
    """What to start.

    Attributes:
        name: The run's id: names whatever must be found again after a crash.
        work: A folder of this attempt alone, for whatever the implementation keeps on the host.
        limits: What it may use.
        network: Whether it has a way out at all.
        image: The image by digest, for implementations that have images.
        environment: Further environment variables inside.
        service: A unix socket of the host's that answers inside at `SERVICE_URL`, and nothing else of the host's does.
        display: Returns a connection to the X server that answers inside at `DISPLAY`; None for no display.
        gpu: Whether it is given the machine's GPUs.
    """

    name: str
    work: Path
    limits: Limits = Limits()
    network: bool = True
    image: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    service: Path | None = None
    display: Callable[[], socket.socket] | None = None
    gpu: bool = False


class Completed(NamedTuple):
    """A command of the harness's own that ended, off the record."""

    exit_status: int
    output: bytes
    """Standard output and error together, as they came, cut at the limit that was asked for."""
    timed_out: bool
    truncated: bool


class TerminalProcess(Protocol):
    """A command running in the sandbox on a terminal whose other end the host holds."""

    def fileno(self) -> int:
        """Return the host's end of the terminal: readable bytes are what the command printed."""

    def poll(self) -> int | None:
        """Return the exit status (128 + n for signal n), or None while it runs."""

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait for the end at most `timeout` seconds; return as `poll` does."""

    def kill(self) -> None:
        """Kill the command and whatever is still in its process group and session."""

    def close(self) -> None:
        """Let go of the terminal."""


class Started(NamedTuple):
    """A program that was started inside, as the kernel saw it. Times are those of the host's monotonic clock."""

    argv: tuple[str, ...]
    """Its command line."""
    process: int
    """The number of its process on the host: the same for what took the process over."""
    started: float
    """When it was started."""
    ended: float | None
    """When it ended; None while it runs."""
    exit_status: int | None
    """Its exit status (128 + n for signal n), as far as that was seen."""
    above: int | None
    """The place, in the same list, of the program that started it, or whose process it took over."""


class Watch(Protocol):
    """A watch over the programs of one sandbox."""

    def seen(self, since: float, until: float) -> list[Started]:
        """Return the programs that were started in a span of time, in order."""


class Sandbox(Protocol):
    """One running sandbox."""

    @property
    def facts(self) -> SandboxFacts:
        """What it is and what it could not offer."""

    def environment(self) -> EnvironmentFacts:
        """Return what an agent meets inside: system, tools and their versions."""

    def spawn(
        self,
        argv: Sequence[str],
        *,
        size: TerminalSize = TerminalSize(),
        folder: str = HOME_FOLDER,
        environment: Mapping[str, str] | None = None,
    ) -> TerminalProcess:
        """Start a command on a new terminal.

        Raises:
            SandboxGone: The sandbox is no longer there.
        """

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        folder: str = HOME_FOLDER,
        timeout: float = 60,
        max_output: int = 64_000_000,
    ) -> Completed:
        """Run a command of the harness's own to its end, off the record. Output arrives whole and unchanged.

        Raises:
            SandboxGone: The sandbox is no longer there.
        """

    def put(self, source: Path, destination: str) -> None:
        """Copy a file or folder of the host to `destination` inside, owned by the agent's user.

        Symbolic links are copied as links. Raises `SandboxGone`.
        """

    def get(self, path: str, *, max_bytes: int) -> bytes | None:
        """Return the content of a regular file inside, or None where there is none.

        Links are resolved inside the sandbox, never on the host.

        Raises:
            SandboxGone: The sandbox is no longer there.
            ValueError: The file is larger than `max_bytes`.
        """

    def open(self, path: str) -> BinaryIO | None:
        """Open a regular file inside for reading; None where there is none. It can still be changed in there.

        Raises:
            SandboxGone: The sandbox is no longer there.
        """

    def connect(self, path: str) -> socket.socket:
        """Return a connection, not blocking, to a unix socket inside.

        Raises:
            SandboxGone: The sandbox is no longer there.
            OSError: Nobody listens there, or not for another connection now.
        """

    def watch(self) -> Watch | None:
        """Begin to see from outside which programs are started inside; None where this host does not let it.

        Nothing inside can stop it or keep a program from being seen.

        Raises:
            SandboxGone: The sandbox is no longer there.
        """

    def limits_hit(self) -> tuple[LimitHit, ...]:
        """Return the limits that have held so far."""

    def ended(self) -> Ending | None:
        """Return how the sandbox ended by itself (destroyed, memory or disk limit, lost), or None while it lives."""

    def destroy(self) -> None:
        """Kill everything inside and remove every trace on the host. Safe to call twice."""


class Provider(Protocol):
    """One way of making sandboxes."""

    name: str

    def lack(self) -> str | None:
        """Return in one sentence why this machine cannot run it and what mends that, or None where it can."""

    def lack_of(self, need: Need) -> str | None:
        """Return in one sentence why this machine cannot give a sandbox what some subjects need, or None where it can.

        For a provider that can run here at all.
        """

    def start(self, spec: SandboxSpec) -> Sandbox:
        """Start a sandbox.

        Raises:
            SandboxStartFailed: It could not be started; nothing is left behind.
        """

    def reap(self, name: str, work: Path) -> None:
        """Remove whatever a dead process left of the sandbox called `name` (processes, mounts, cgroups)."""


class SandboxGone(Exception):
    """The sandbox went away under the caller's feet. `ending` says how, as far as it is known."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(ending.detail or ending.how)
        self.ending = ending


class SandboxStartFailed(Exception):
    """A sandbox could not be started."""
