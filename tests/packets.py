"""Everything that passes on a sandbox's network, its own loopback included, as the kernel sees it: root's alone."""

from __future__ import annotations

import ctypes
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import psutil

from argusic.sandbox.protocol import Need, Provider, Sandbox, SandboxSpec

_NETWORK: Final = 0x40000000  # CLONE_NEWNET
_EVERY_PROTOCOL: Final = 0x0003  # ETH_P_ALL
_BUFFER: Final = 33  # SO_RCVBUFFORCE
_LARGEST: Final = 1 << 18


class Listened:
    """A provider whose sandboxes are listened to from before they are handed over.

    Attributes:
        heard: What passed, packet after packet, headers included. A packet of the loopback stands in it twice.
    """

    def __init__(self, provider: Provider, stack: ExitStack) -> None:
        self.name = provider.name
        self.heard = bytearray()
        self._provider = provider
        self._stack = stack

    def lack(self) -> str | None:
        return self._provider.lack()

    def lack_of(self, need: Need) -> str | None:
        return self._provider.lack_of(need)

    def reap(self, name: str, work: Path) -> None:
        self._provider.reap(name, work)

    def start(self, spec: SandboxSpec) -> Sandbox:
        sandbox = self._provider.start(spec)
        space = sandbox.run(["readlink", "/proc/self/ns/net"]).output.decode().strip()
        self._stack.enter_context(self._listening(_socket_in(_a_process_in(space))))
        return sandbox

    @contextmanager
    def _listening(self, listener: socket.socket) -> Iterator[None]:
        over = threading.Event()

        def listen() -> None:
            while True:
                try:
                    self.heard += listener.recv(_LARGEST)
                except TimeoutError:
                    if over.is_set():
                        return

        thread = threading.Thread(target=listen)
        with listener:
            listener.settimeout(0.2)
            thread.start()
            try:
                yield
            finally:
                over.set()
                thread.join()


@contextmanager
def listened(provider: Provider) -> Iterator[Listened]:
    """Give a provider whose sandboxes are listened to. At the end everything that passed was heard."""
    with ExitStack() as stack:
        yield Listened(provider, stack)


def _a_process_in(space: str) -> int:
    """Return a process of this machine that is in a network namespace."""
    for pid in psutil.pids():
        try:
            if str(Path(f"/proc/{pid}/ns/net").readlink()) == space:
                return pid
        except OSError:
            continue
    raise AssertionError(f"no process is in {space}")


def _socket_in(pid: int) -> socket.socket:
    """Return a socket that hears every interface of a process's network. Only the thread that makes it goes there."""
    made: list[socket.socket | OSError] = []

    def make() -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        space = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        try:
            if libc.setns(space, _NETWORK) != 0:
                raise OSError(ctypes.get_errno(), "setns")
            listener = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_EVERY_PROTOCOL))
            listener.setsockopt(socket.SOL_SOCKET, _BUFFER, 64_000_000)
            made.append(listener)
        except OSError as error:
            made.append(error)
        finally:
            os.close(space)

    thread = threading.Thread(target=make)
    thread.start()
    thread.join()
    (one,) = made
    if isinstance(one, OSError):
        raise one
    return one
