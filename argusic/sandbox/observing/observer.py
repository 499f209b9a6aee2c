"""Answers the kernel's questions about a sandbox's programs: reads what is to be started, lets it, writes it down.

The kernel halts a process of the sandbox that starts another program, or ends, until whoever holds the listener has
answered. So this runs as a process of its own on the host, on the standard library alone: whatever keeps the rest of
the host busy, the sandbox hardly waits. Nothing is ever refused here. A line is written for each start and each end.

    python observer.py LISTENER OUTPUT 59,322,11,358
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import struct
import sys
import time
from contextlib import suppress

_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_CONTINUE = 1
_COMPAT_ARCHITECTURES = (0x40000003, 0x40000028)
#: The most that is read of one command line, and how many words of it.
_MOST_BYTES, _MOST_WORDS = 131_072, 4096
_PIECE = 4096
#: The most that is written down; what comes then is counted.
_MOST_WRITTEN = 256_000_000
#: How far up the line of parents is followed.
_GENERATIONS = 64


class Observer:
    """Whoever holds the listener.

    Args:
        listener: The listener's descriptor.
        output: Where lines go.
        starting: The numbers of the calls that start a program, by architecture; each other call is an end.
    """

    def __init__(self, listener: int, output: int, starting: dict[int, tuple[int, int]]) -> None:
        self._listener = listener
        self._output = output
        self._starting = starting
        self._alive: dict[int, int] = {}
        """A descriptor of each process that was seen to start a program, by its number."""
        self._poll = select.poll()
        self._of: dict[int, int] = {}
        self._written = 0
        self.dropped = 0

    def serve(self) -> None:
        """Answer until the sandbox is gone, or the host lets go of the standard input."""
        self._poll.register(self._listener, select.POLLIN)
        self._poll.register(0, select.POLLIN)
        while True:
            for fd, events in self._poll.poll():
                if fd == self._listener:
                    if events & select.POLLIN:
                        self._answer()
                    elif events & (select.POLLHUP | select.POLLERR):
                        self._poll.unregister(fd)  # Nobody is left who could ask.
                elif fd == 0:
                    return
                else:
                    self._gone(self._of[fd])

    def _answer(self) -> None:
        asked = bytearray(80)
        try:
            fcntl.ioctl(self._listener, _RECEIVE, asked)
        except OSError:
            return  # It was killed while it asked.
        cookie, thread = struct.unpack_from("=QI", asked)
        number, architecture = struct.unpack_from("=iI", asked, 16)
        arguments = struct.unpack_from("=6Q", asked, 32)
        now = time.monotonic()
        at = self._starting.get(architecture)
        line: dict[str, object] | None
        pid = thread if thread in self._alive else _status(thread).get("Tgid", thread)
        if at is not None and number in at:
            words = arguments[1 if number == at[0] else 2]
            argv = _argv(thread, words, 4 if architecture in _COMPAT_ARCHITECTURES else 8)
            line = {"start": pid, "under": self._above(pid), "at": now, "argv": argv}
        else:
            line = {"end": pid, "at": now, "status": arguments[0] & 0xFF} if pid in self._alive else None
        try:
            fcntl.ioctl(self._listener, _SEND, struct.pack("=QqiI", cookie, 0, 0, _CONTINUE))
        except OSError:
            return  # It was killed, or will ask again.
        if line is None:
            return
        if "end" in line:
            self._forget(pid)
        elif pid not in self._alive:
            with suppress(OSError):
                fd = os.pidfd_open(pid)
                self._alive[pid], self._of[fd] = fd, pid
                self._poll.register(fd, select.POLLIN)
        self._write(line)

    def _above(self, pid: int) -> int | None:
        """Return the nearest process, itself or above, that was seen to start a program."""
        for _ in range(_GENERATIONS):
            if pid in self._alive:
                return pid
            pid = _status(pid).get("PPid", 0)
            if pid <= 1:
                break
        return None

    def _gone(self, pid: int) -> None:
        """A process is gone that has not said so: it was killed."""
        status: int | None = None
        with suppress(OSError, ValueError, IndexError), open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b") ")[2].split()
            if fields[0] == b"Z":
                raw = int(fields[49])
                status = 128 + (raw & 0x7F) if raw & 0x7F else raw >> 8
        self._forget(pid)
        self._write({"end": pid, "at": time.monotonic(), "status": status})

    def _forget(self, pid: int) -> None:
        fd = self._alive.pop(pid)
        del self._of[fd]
        self._poll.unregister(fd)
        os.close(fd)

    def _write(self, line: dict[str, object]) -> None:
        data = json.dumps(line).encode() + b"\n"
        if self._written + len(data) > _MOST_WRITTEN:
            self.dropped += 1
            return
        self._written += len(data)
        with suppress(OSError):  # A full disk must not halt the sandbox.
            os.write(self._output, data)


def _status(pid: int) -> dict[str, int]:
    found = {}
    with suppress(OSError, ValueError), open(f"/proc/{pid}/status", "rb") as file:
        for line in file.read(1024).splitlines():
            name, _, value = line.partition(b":\t")
            if name in (b"Tgid", b"PPid"):
                found[name.decode()] = int(value)
    return found


def _argv(thread: int, address: int, width: int) -> list[str] | None:
    """Return the words of a command line out of a halted process; None where its memory cannot be read."""
    words: list[str] = []
    left = _MOST_BYTES
    try:
        memory = os.open(f"/proc/{thread}/mem", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        while address and len(words) < _MOST_WORDS and left > 0:
            block = os.pread(memory, width * 32, address)
            for (pointer,) in struct.iter_unpack("=Q" if width == 8 else "=I", block[: len(block) // width * width]):
                if pointer == 0:
                    return words
                word = _word(memory, pointer, left)
                left -= len(word) + 1
                words.append(word.decode(errors="surrogateescape").encode(errors="replace").decode())
                if left <= 0:
                    break
            address += width * 32
    except OSError:
        return words or None
    finally:
        os.close(memory)
    return words


def _word(memory: int, pointer: int, most: int) -> bytes:
    parts: list[bytes] = []
    while most > 0:
        # Up to the end of its page: what lies behind may not be there.
        piece = os.pread(memory, min(most, _PIECE - pointer % _PIECE), pointer)
        word, end, _ = piece.partition(b"\0")
        parts.append(word)
        if end or not piece:
            break
        pointer += len(piece)
        most -= len(piece)
    return b"".join(parts)


def main() -> None:
    """Serve."""
    starting = {}
    for entry in sys.argv[3].split(","):
        architecture, first, second = map(int, entry.split(":"))
        starting[architecture] = (first, second)
    observer = Observer(int(sys.argv[1]), int(sys.argv[2]), starting)
    observer.serve()


if __name__ == "__main__":
    main()
