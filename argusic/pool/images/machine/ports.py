"""What `-p` means where an image shares the machine's loopback: a port that leads to the one that it listens on."""

from __future__ import annotations

import re
import socket
import threading
from contextlib import suppress
from typing import NamedTuple

from .wrong import Wrong

_LOWEST = "/proc/sys/net/ipv4/ip_unprivileged_port_start"
_AT_ONCE = 256
_PORT = re.compile(r"[0-9]{1,5}")


class Published(NamedTuple):
    """A port of this machine that leads to one of an image."""

    address: str
    outside: int
    """The machine's; 0 where the machine may choose."""
    inside: int
    """The image's."""


def read(said: str) -> Published:
    """Return what a value of `-p` means.

    Raises:
        Wrong: It means nothing that can be done here.
    """
    plain, _, protocol = said.partition("/")
    *front, inside = (
        plain.rsplit(":", 2) if not plain.startswith("[") else [plain.rpartition(":")[0], plain.rpartition(":")[2]]
    )
    if protocol not in ("", "tcp"):
        raise Wrong(f"the port {said} is one of {protocol}; only tcp is led on here.")
    address = front[0] if len(front) == 2 else "0.0.0.0"
    outside = front[-1] if front else "0"
    if (
        not _PORT.fullmatch(inside)
        or not _PORT.fullmatch(outside or "0")
        or not 0 < int(inside) < 65536
        or int(outside or 0) > 65535
    ):
        raise Wrong(f"{said!r} names no port; ranges are not done here.")
    return Published(address or "0.0.0.0", int(outside or 0), int(inside))


def lowest() -> int:
    """Return the lowest port that anybody may listen on in this machine."""
    try:
        with open(_LOWEST, encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return 1024


class Forwarder:
    """A port of this machine that is held, and leads on once it is begun.

    Where both ports are the same there is nothing to lead on: the image listens on it itself.

    Args:
        published: The port.

    Raises:
        Wrong: It is taken, or nobody may listen on it.
    """

    def __init__(self, published: Published) -> None:
        self.inside = published.inside
        held = socket.socket()
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            held.bind((published.address, published.outside))
        except PermissionError as error:
            held.close()
            raise Wrong(f"this machine gives nobody a port below {lowest()}, such as {published.outside}.") from error
        except OSError as error:
            held.close()
            raise Wrong(f"the port {published.outside} cannot be had: {error.strerror}.") from error
        self.outside = int(held.getsockname()[1])
        self._held: socket.socket | None = held
        if self.outside == self.inside:
            held.close()
            self._held = None
        else:
            held.listen(_AT_ONCE)

    def begin(self) -> None:
        """Lead on what comes, in threads that end with this process."""
        if self._held is not None:
            threading.Thread(target=self._accept, args=(self._held,), daemon=True).start()

    def _accept(self, held: socket.socket) -> None:
        room = threading.Semaphore(_AT_ONCE)
        while True:
            caller, _ = held.accept()
            room.acquire()
            threading.Thread(target=self._lead, args=(caller, room), daemon=True).start()

    def _lead(self, caller: socket.socket, room: threading.Semaphore) -> None:
        try:
            with caller, socket.create_connection(("127.0.0.1", self.inside), 10) as called:
                called.settimeout(None)
                back = threading.Thread(target=_pour, args=(called, caller), daemon=True)
                back.start()
                _pour(caller, called)
                back.join()
        except OSError:
            return  # Nothing listens there yet: the caller meets an end, as with an engine.
        finally:
            room.release()


def _pour(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(65536):
            target.sendall(piece)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
