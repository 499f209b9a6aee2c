"""The filter by which the kernel asks before a program is started, and before one ends, in its own language. Pure."""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from typing import Final, NamedTuple

_NUMBER, _ARCHITECTURE = 0, 4
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _ASK = 0x7FFF0000, 0x7FC00000
#: Hand out a listener, and let nothing but death interrupt who has been heard.
_NEW_LISTENER, _WAIT_KILLABLE = 1 << 3, 1 << 5


class _Numbers(NamedTuple):
    """The numbers of the calls in one of the kernel's tables."""

    execve: int
    execveat: int
    exit_group: int


_GENERIC: Final = _Numbers(221, 281, 94)
#: By machine, the tables that a program there can choose, by the number under which the kernel knows each.
_TABLES: Final[Mapping[str, Mapping[int, _Numbers]]] = {
    "x86_64": {0xC000003E: _Numbers(59, 322, 231), 0x40000003: _Numbers(11, 358, 252)},
    "aarch64": {0xC00000B7: _GENERIC, 0x40000028: _Numbers(11, 387, 248)},
    "riscv64": {0xC00000F3: _GENERIC},
}
#: The number of the system call `seccomp`.
_SECCOMP: Final = {"x86_64": 317, "aarch64": 277, "riscv64": 277}


class Asking(NamedTuple):
    """How a process has the kernel ask about it and everything that it will start."""

    call: int
    """The number of the system call."""
    flags: tuple[int, ...]
    """Its flags, the best first: an older kernel knows fewer."""
    program: bytes
    """The filter."""
    starting: str
    """The calls that start a program, as the observer takes them."""


def asking(machine: str = os.uname().machine) -> Asking | None:
    """Return what a machine's kernel has to be told, or None where its calls are not known here."""
    tables = _TABLES.get(machine)
    if tables is None:
        return None
    program: list[bytes] = []
    for architecture, numbers in tables.items():
        block = [_one(_LOAD, _NUMBER)]
        for number in numbers:
            block += [_one(_EQUAL, number, otherwise=1), _one(_RETURN, _ASK)]
        block.append(_one(_RETURN, _ALLOW))
        program += [_one(_LOAD, _ARCHITECTURE), _one(_EQUAL, architecture, otherwise=len(block)), *block]
    program.append(_one(_RETURN, _ALLOW))
    starting = ",".join(f"{architecture}:{at.execve}:{at.execveat}" for architecture, at in tables.items())
    flags = (_NEW_LISTENER | _WAIT_KILLABLE, _NEW_LISTENER)
    return Asking(_SECCOMP[machine], flags, b"".join(program), starting)


def _one(code: int, value: int, *, otherwise: int = 0) -> bytes:
    return struct.pack("=HBBI", code, 0, otherwise, value)
