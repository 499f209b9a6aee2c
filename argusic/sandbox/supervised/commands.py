"""Commands in a sandbox: on a terminal for the recorder, or on pipes for the harness's own needs."""

from __future__ import annotations

import os
import selectors
import time
from collections.abc import Callable
from contextlib import suppress

from argusic.sandbox.protocol import Completed
from argusic.sandbox.supervised.link import Command, Link, LinkClosed

_CHUNK = 1 << 20
#: How long a silent pipe is still listened to after its command ended: a process left behind may hold it for ever.
_QUIET_SECONDS = 0.1
_KILLED = 137


class TerminalCommand:
    """A command on a terminal; implements `TerminalProcess`."""

    def __init__(self, link: Link, command: Command, terminal: int) -> None:
        self._link = link
        self._command = command
        self._terminal: int | None = terminal

    def fileno(self) -> int:
        """Return the host's end of the terminal."""
        if self._terminal is None:
            raise ValueError("the terminal has been closed")
        return self._terminal

    def poll(self) -> int | None:
        """Return the exit status (128 + n for signal n), or None while it runs."""
        return self._command.poll()

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait for the end at most `timeout` seconds; return as `poll` does."""
        return self._command.wait(timeout)

    def kill(self) -> None:
        """Kill the command and whatever is still in its process group and session."""
        kill(self._link, self._command)

    def close(self) -> None:
        """Let go of the terminal."""
        if self._terminal is not None:
            os.close(self._terminal)
            self._terminal = None

    def __del__(self) -> None:
        self.close()


def kill(link: Link, command: Command) -> None:
    """Kill a command's session. A sandbox that is gone has killed it already."""
    with suppress(LinkClosed, OSError):
        link.order("kill", job=command.number)


def attend(
    link: Link, command: Command, source: int, sink: int, *, stdin: bytes, timeout: float, max_output: int
) -> Completed:
    """Feed a command that runs on pipes, collect its output to its end, and kill it when its time is over.

    Args:
        link: The line to the sandbox it runs in.
        command: The command.
        source: The writing end of its input. Closed here.
        sink: The reading end of its output. Closed by the caller.
        stdin: What it reads.
        timeout: Its time in seconds.
        max_output: How many bytes of output to keep; the rest is read and dropped.
    """
    deadline = time.monotonic() + timeout
    output = _Kept(max_output)
    with selectors.DefaultSelector() as selector, _Feed(source, stdin) as feed:
        os.set_blocking(sink, False)
        selector.register(sink, selectors.EVENT_READ, lambda: output.read(sink))
        if feed.more():
            selector.register(source, selectors.EVENT_WRITE, feed.more)
        while (left := deadline - time.monotonic()) > 0 and sink in _fds(selector):
            ready = selector.select(min(left, _QUIET_SECONDS))
            for key, _ in ready:
                step: Callable[[], bool] = key.data
                if not step():
                    selector.unregister(key.fileobj)
            if not any(key.fd == sink for key, _ in ready) and command.poll() is not None:
                break
    status = command.wait(max(0, deadline - time.monotonic()))
    timed_out = status is None
    if timed_out:
        kill(link, command)
        status = command.wait(5)
        output.read(sink)
    return Completed(_KILLED if status is None else status, output.content(), timed_out, output.dropped)


def _fds(selector: selectors.BaseSelector) -> set[int]:
    return {key.fd for key in selector.get_map().values()}


class _Kept:
    def __init__(self, limit: int) -> None:
        self._parts: list[bytes] = []
        self._room = limit
        self.dropped = False

    def read(self, fd: int) -> bool:
        """Read once; return whether more may come."""
        try:
            part = os.read(fd, _CHUNK)
        except BlockingIOError:
            return True
        if len(part) > self._room:
            self.dropped = True
        self._parts.append(part[: self._room])
        self._room -= len(self._parts[-1])
        return bool(part)

    def content(self) -> bytes:
        return b"".join(self._parts)


class _Feed:
    def __init__(self, fd: int, data: bytes) -> None:
        self._fd: int | None = fd
        self._left = memoryview(data)
        os.set_blocking(fd, False)

    def __enter__(self) -> _Feed:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def more(self) -> bool:
        """Write what fits; return whether there is more to write. Closes the pipe where there is not."""
        if self._fd is None:
            return False
        try:
            while self._left:
                self._left = self._left[os.write(self._fd, self._left[:_CHUNK]) :]
        except BlockingIOError:
            return True
        except BrokenPipeError:
            pass  # The command does not want the rest.
        self._close()
        return False

    def _close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
