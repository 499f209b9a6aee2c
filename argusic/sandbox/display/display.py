"""A display: an X server in a sandbox of its own, for the attempt that draws on it.

An X server parses what hostile programs send it. So it gets a sandbox from the same provider as the agent, without any
network, and the agent gets nothing of it but connections: it can neither stop the server nor reach its files. Nobody
else can connect at all, so the server asks nobody who he is.
"""

from __future__ import annotations

import socket
import struct
import time
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from argusic.records.manifest import DisplayFacts
from argusic.records.run import Ending
from argusic.sandbox.display.picture import HEIGHT, WIDTH, read_picture
from argusic.sandbox.protocol import (
    HOME_FOLDER,
    Limits,
    Provider,
    Sandbox,
    SandboxGone,
    SandboxSpec,
    SandboxStartFailed,
)

#: What the server may use. Programs keep pictures in its memory.
LIMITS: Final = Limits(memory_mb=2048, cpus=1, processes=64, disk_mb=512)
_SOCKET: Final = "/tmp/.X11-unix/X0"
_FOLDER: Final = f"{HOME_FOLDER}/screen"
_LOG: Final = f"{HOME_FOLDER}/server.log"
#: Shared memory cannot be had across sandboxes, so no program shall try; an idle screen must not go dark.
_OPTIONS: Final = "-nolisten tcp -ac -noreset -extension MIT-SHM -s 0 -dpi 96"
_START: Final = (
    f"mkdir -p {_FOLDER} && exec Xvfb :0 -screen 0 {WIDTH}x{HEIGHT}x24 -fbdir {_FOLDER} {_OPTIONS} > {_LOG} 2>&1"
)
_START_SECONDS: Final = 60.0
#: The protocol's version; what an answer begins with: whether one is welcome, and further on the server's release.
_PROTOCOL: Final = (11, 0)
_ANSWER: Final = struct.Struct("<B7xI")
_WELCOME: Final = 1
_GREET_SECONDS: Final = 5.0
_LOOK_SECONDS: Final = 0.1
_LOG_BYTES: Final = 100_000


def sandbox_name(run: str) -> str:
    """Return the name of the sandbox that the display of a run is in."""
    return f"{run}-display"


def start_display(provider: Provider, run: str, work: Path) -> Display:
    """Start a display.

    Args:
        provider: Makes its sandbox.
        run: The id of the run that it is for.
        work: A folder of the attempt's, made here, for what its sandbox keeps on the host.

    Raises:
        SandboxStartFailed: It could not be started; nothing is left behind.
    """
    work.mkdir()
    sandbox = provider.start(SandboxSpec(sandbox_name(run), work, LIMITS, network=False))
    try:
        return Display(sandbox)
    except BaseException as error:
        sandbox.destroy()
        if isinstance(error, SandboxGone):
            raise SandboxStartFailed(f"The display could not be started: {error}") from error
        raise


class Display:
    """A display that runs.

    Args:
        sandbox: The sandbox to run it in. It belongs to the display from now on.

    Raises:
        SandboxStartFailed: The server does not start.
        SandboxGone: The sandbox went away.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._server = sandbox.spawn(["/bin/sh", "-c", _START])
        try:
            release = self._await()
            self._file = self._picture_file()
        except BaseException:
            self._server.close()
            raise
        self.facts = DisplayFacts(server=f"Xvfb {release}", width=WIDTH, height=HEIGHT)

    def reach(self) -> socket.socket:
        """Return a connection to the server.

        Raises:
            SandboxGone: The display is no longer there.
            OSError: The server takes none now.
        """
        return self._sandbox.connect(_SOCKET)

    def picture(self) -> bytes:
        """Return what is to be seen now.

        Raises:
            NoPicture: The server keeps no such picture.
            OSError: It cannot be read.
        """
        return read_picture(self._file)

    def ended(self) -> Ending | None:
        """Return how the attempt ends because the display did, or None while it lives.

        It is part of the machine: what fills it has used up the machine's memory or disk, and that is the doing of
        whoever drew on it. So it is where the server ends in good order: it does that only when a program asks it to,
        such as by a key that is made to mean so. That a server breaks all the same is ours.
        """
        ending = self._sandbox.ended()
        full = {hit.limit for hit in self._sandbox.limits_hit()} if ending or self._server.poll() is not None else set()
        if ending is not None and ending.how == "disk_limit":
            return Ending(how="disk_limit", detail="The display used more disk than its limit.")
        if "memory" in full or (ending is not None and ending.how == "memory_limit"):
            return Ending(how="memory_limit", detail="The display used more memory than its limit.")
        if ending is not None:
            return Ending(how="harness_error", detail=f"The display was lost. {ending.detail or ''}".strip())
        status = self._server.poll()
        if status == 0:
            return Ending(how="sandbox_destroyed", detail="The display's server was made to end by what draws on it.")
        if status is not None:
            return Ending(how="harness_error", detail=f"The display's server ended with status {status}.")
        return None

    def destroy(self) -> None:
        """Kill it and remove every trace on the host. Safe to call twice."""
        self._file.close()
        self._server.close()
        self._sandbox.destroy()

    def _await(self) -> str:
        """Wait until the server answers, and return its release."""
        deadline = time.monotonic() + _START_SECONDS
        while True:
            with suppress(OSError), self.reach() as connection:
                return _greet(connection)
            if self._server.poll() is not None or time.monotonic() > deadline:
                raise SandboxStartFailed(f"The display could not be started: {self._said()}")
            time.sleep(_LOOK_SECONDS)

    def _said(self) -> str:
        """Return what the server said last."""
        log = self._sandbox.get(_LOG, max_bytes=_LOG_BYTES) or b""
        lines = [line.strip() for line in log.decode(errors="replace").splitlines() if line.strip()]
        if self._server.poll() is None:
            return "its server does not answer."
        return (f"{lines[-1].rstrip('.')}." if lines else f"its server ended with status {self._server.poll()}.")[:300]

    def _picture_file(self) -> BinaryIO:
        file = self._sandbox.open(f"{_FOLDER}/Xvfb_screen0")
        if file is None:
            raise SandboxStartFailed("The display could not be started: its server keeps no picture.")
        return file


def _greet(connection: socket.socket) -> str:
    """Greet a server as every program does, and return the release that it answers with.

    Raises:
        OSError: It does not answer, or turns everybody away.
    """
    connection.settimeout(_GREET_SECONDS)
    connection.sendall(struct.pack("<cxHHHHxx", b"l", *_PROTOCOL, 0, 0))
    answer = b""
    while len(answer) < _ANSWER.size and (part := connection.recv(_ANSWER.size - len(answer))):
        answer += part
    if len(answer) < _ANSWER.size or (unpacked := _ANSWER.unpack(answer))[0] != _WELCOME:
        raise ConnectionRefusedError("the server lets nobody in")
    release = unpacked[1]
    return f"{release // 10**7}.{release // 10**5 % 100}.{release // 10**3 % 100}.{release % 1000}"
