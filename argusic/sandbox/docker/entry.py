"""The first program in a container: becomes user 0 of a namespace of its own, gives everything up, and supervises.

The engine starts it as an ordinary user without any privilege. It runs on the image's own Python (3.8 or later) from a
folder that the host shows inside, which it needs no more once it has read it: the first argument names the folder.
What code inside could do as user 0 of that namespace is what an ordinary user of the host can do, and no more.
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import sys

#: What lies in the folder: the host's socket, the supervisor's source, and the filter of system calls.
LINE, SUPERVISOR, CALLS = "line", "supervisor.py", "calls"
#: As in the supervisor, which is not there yet when this is read.
CHANNEL_VARIABLE = "ARGUSIC_CHANNEL"

_CLONE_NEWUSER = 0x10000000
_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2
_PR_CAPBSET_DROP = 24
_CAPABILITY_VERSION = 0x20080522
_INSTRUCTION_BYTES = 8


def _checked(status: int, what: str) -> None:
    if status != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def become_root(libc: ctypes.CDLL) -> None:
    """Become user 0 of a new user namespace, in which nobody else exists."""
    uid, gid = os.getuid(), os.getgid()
    _checked(libc.unshare(_CLONE_NEWUSER), "user namespace")
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def give_up_everything(libc: ctypes.CDLL) -> None:
    """Give up every capability in the new namespace, for good."""
    capability = 0
    while libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) == 0:
        capability += 1
    head = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    _checked(libc.capset(head, bytes(24)), "capabilities")


def refuse_calls(libc: ctypes.CDLL, program: bytes) -> None:
    """Let the kernel refuse the system calls that a filter refuses, here and in everything started from here."""
    held = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("@HP", len(program) // _INSTRUCTION_BYTES, ctypes.addressof(held))
    _checked(libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, head, 0, 0), "filter of system calls")


def main() -> None:
    """Take up the line to the host, then run the supervisor in this process."""
    folder = sys.argv[1]
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    channel.connect(f"{folder}/{LINE}")
    with open(f"{folder}/{SUPERVISOR}", "rb") as file:
        supervisor = file.read()
    with open(f"{folder}/{CALLS}", "rb") as file:
        program = file.read()
    libc = ctypes.CDLL(None, use_errno=True)
    become_root(libc)
    give_up_everything(libc)
    refuse_calls(libc, program)
    os.environ[CHANNEL_VARIABLE] = str(channel.detach())
    exec(compile(supervisor, SUPERVISOR, "exec"), {"__name__": "__main__"})


if __name__ == "__main__":
    main()
