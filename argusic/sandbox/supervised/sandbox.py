"""One running sandbox whose first process is our supervisor, however it was started."""

from __future__ import annotations

import os
import socket
import tarfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from argusic.records.manifest import EnvironmentFacts, SandboxFacts
from argusic.records.run import Ending, LimitHit
from argusic.sandbox.facts import read_environment
from argusic.sandbox.observing.watch import Watch, begin
from argusic.sandbox.protocol import HOME_FOLDER, Completed, SandboxGone, TerminalSize
from argusic.sandbox.supervised.commands import TerminalCommand, attend, kill
from argusic.sandbox.supervised.link import Link, LinkClosed
from argusic.sandbox.unpack import TOP

_UNPACK = (files("argusic.sandbox") / "unpack.py").read_text()
_PUT_SECONDS = 600
_DEATH_SECONDS = 10
_TRIAL_SECONDS = 10


@dataclass(frozen=True)
class Parts:
    """What a running sandbox is made of.

    Attributes:
        link: The line to its supervisor.
        interpreter: The Python inside.
        facts: What it is.
        stack: What undoes it, in order.
        hits: Counts the limits that have held.
        ending: Says how it ended, where it ended by itself.
        end: Ends it for a reason.
        kill: Kills everything inside.
    """

    link: Link
    interpreter: Path
    facts: SandboxFacts
    stack: ExitStack
    hits: Callable[[], tuple[LimitHit, ...]]
    ending: Callable[[], Ending | None]
    end: Callable[[Callable[[], Ending]], None]
    kill: Callable[[], None]


class SupervisedSandbox:
    """A sandbox; implements `Sandbox`."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._link = parts.link
        self._lock = threading.Lock()
        self._final_hits: tuple[LimitHit, ...] | None = None
        self._destroyed = False
        self._watch: Watch | None = None
        self._watched = False

    @property
    def facts(self) -> SandboxFacts:
        """What it is and what it could not offer."""
        return self._parts.facts

    def environment(self) -> EnvironmentFacts:
        """Return what an agent meets inside: system, tools and their versions."""
        return read_environment(self)

    def spawn(
        self,
        argv: Sequence[str],
        *,
        size: TerminalSize = TerminalSize(),
        folder: str = HOME_FOLDER,
        environment: Mapping[str, str] | None = None,
    ) -> TerminalCommand:
        """Start a command on a new terminal."""
        try:
            command, fds = self._link.start(
                "terminal", argv=list(argv), folder=folder, environment=dict(environment or {}), size=list(size)
            )
        except (LinkClosed, OSError) as error:
            raise self._gone(error) from error
        return TerminalCommand(self._link, command, fds[0])

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        folder: str = HOME_FOLDER,
        timeout: float = 60,
        max_output: int = 64_000_000,
    ) -> Completed:
        """Run a command of the harness's own to its end, off the record. Output arrives whole and unchanged."""
        inner_source, source = os.pipe()
        sink, inner_sink = os.pipe()
        try:
            try:
                command, _ = self._link.start(
                    "pipes", (inner_source, inner_sink), argv=list(argv), folder=folder, environment={}
                )
            except (LinkClosed, OSError) as error:
                os.close(source)
                raise self._gone(error) from error
            finally:
                os.close(inner_source)
                os.close(inner_sink)
            completed = attend(self._link, command, source, sink, stdin=stdin, timeout=timeout, max_output=max_output)
        finally:
            os.close(sink)
        if self._link.closed.is_set():
            raise self._gone()
        return completed

    def put(self, source: Path, destination: str) -> None:
        """Copy a file or folder of the host to `destination` inside. Symbolic links are copied as links.

        Raises:
            OSError: It could not be written there.
        """
        inner_source, feed = os.pipe()
        sink, inner_sink = os.pipe()
        argv = [str(self._parts.interpreter), "-I", "-S", "-B", "-c", _UNPACK, destination]
        try:
            try:
                command, _ = self._link.start(
                    "pipes", (inner_source, inner_sink), argv=argv, folder="/", environment={}
                )
            except (LinkClosed, OSError) as error:
                os.close(feed)
                raise self._gone(error) from error
            finally:
                os.close(inner_source)
                os.close(inner_sink)
            overdue = threading.Timer(_PUT_SECONDS, kill, (self._link, command))
            overdue.daemon = True
            overdue.start()
            try:
                with os.fdopen(feed, "wb") as stream:
                    _pack(source, stream.fileno())
            except BrokenPipeError:
                pass  # What ended the unpacking early is in its output.
            finally:
                status = command.wait(_PUT_SECONDS)
                overdue.cancel()
            os.set_blocking(sink, False)
            said = _read_some(sink)
        finally:
            os.close(sink)
        if self._link.closed.is_set():
            raise self._gone()
        if status != 0:
            reason = said.decode(errors="replace").strip().rpartition("\n")[2]
            raise OSError(f"{source} could not be put at {destination} in the sandbox: {reason or status}")

    def get(self, path: str, *, max_bytes: int) -> bytes | None:
        """Return the content of a regular file inside, or None where there is none."""
        file = self.open(path)
        if file is None:
            return None
        with file:
            content = file.read(max_bytes + 1)
        if len(content) > max_bytes:
            raise ValueError(f"{path} is larger than {max_bytes} bytes")
        return content

    def open(self, path: str) -> BinaryIO | None:
        """Open a regular file inside for reading; None where there is none. It can still be changed in there."""
        try:
            fds = self._link.order("open", path=str(PurePosixPath(HOME_FOLDER) / path))
        except LinkClosed as error:
            raise self._gone() from error
        except OSError:
            return None
        return os.fdopen(fds[0], "rb") if fds else None

    def connect(self, path: str) -> socket.socket:
        """Return a connection to a unix socket inside.

        Raises:
            OSError: Nobody listens there, or not for another connection now.
        """
        try:
            (caller,) = self._link.order("connect", path=path)
        except LinkClosed as error:
            raise self._gone() from error
        return socket.socket(fileno=caller)

    def watch(self) -> Watch | None:
        """Begin to see from outside which programs are started inside; None where this host does not let it."""
        with self._lock:
            if not self._watched and not self._destroyed:
                self._watched = True
                self._watch = self._begin_watch()
            return self._watch

    def _begin_watch(self) -> Watch | None:
        watch = begin(self._link)
        if watch is None:
            return None
        self._parts.stack.callback(watch.stop)
        self._parts.stack.callback(self._parts.kill)  # Before nobody answers what is still started.
        return watch if watch.tries(lambda argv: self.run(argv, timeout=_TRIAL_SECONDS)) else None

    def limits_hit(self) -> tuple[LimitHit, ...]:
        """Return the limits that have held so far."""
        return self._parts.hits() if self._final_hits is None else self._final_hits

    def ended(self) -> Ending | None:
        """Return how the sandbox ended by itself, or None while it lives."""
        return self._parts.ending()

    def destroy(self) -> None:
        """Kill everything inside and remove every trace on the host. Safe to call twice."""
        with self._lock:
            if not self._destroyed:
                self._destroyed = True
                self._final_hits = self._parts.hits()
                self._parts.stack.close()

    def _gone(self, error: Exception | None = None) -> SandboxGone:
        if isinstance(error, OSError):
            # Its terminals are used up, or its first process was tampered with: nothing can be done in it any more.
            what = f"The sandbox's first process can start nothing any more: {error}."
            self._parts.end(lambda: Ending(how="sandbox_destroyed", detail=what))
        self._link.closed.wait(_DEATH_SECONDS)
        lost = Ending(how="sandbox_lost", detail="The sandbox is no longer there.")
        return SandboxGone(self._parts.ending() or lost)


def _pack(source: Path, sink: int) -> None:
    """Write a file or folder as a tar stream whose owner is the agent. Devices, sockets and pipes are left out."""

    def owned(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        return entry if entry.isfile() or entry.isdir() or entry.issym() or entry.islnk() else None

    with (
        os.fdopen(sink, "wb", closefd=False) as stream,
        tarfile.open(fileobj=stream, mode="w|", bufsize=1 << 18) as archive,
    ):
        archive.add(source, arcname=TOP, filter=owned)


def _read_some(fd: int) -> bytes:
    try:
        return os.read(fd, 1 << 16)
    except BlockingIOError:
        return b""
