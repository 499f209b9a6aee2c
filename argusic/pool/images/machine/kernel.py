"""Keeps programs from system calls that PRoot 5.1 does not know, with which they would see the sandbox's own files.

PRoot translates the paths in the calls that it knows. Newer ones (`statx`, `faccessat2`, `openat2`, the whole of
io_uring) pass it by. They are answered as a kernel answers that has none of them, whereupon every C library, and the
runtimes of Go and Rust, fall back to the older ones.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

#: By machine: how the kernel knows its table of calls, and the numbers of `renameat2`, `execveat` and `statx` in it.
_TABLES = {"x86_64": (0xC000003E, (316, 322, 332)), "aarch64": (0xC00000B7, (276, 281, 291))}
#: From this number on calls have the same number everywhere, and those which take no path.
_NEWER = 424
_WITHOUT_PATHS = (424, 434, 436, 438, 440, 441, 448, 449, 450, 451, 453, 454, 455, 456, 462)

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.ENOSYS
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2


def call_filter(machine: str) -> bytes | None:
    """Return the kernel's program that refuses those calls; None for a machine whose calls are not known here."""
    if machine not in _TABLES:
        return None
    table, single = _TABLES[machine]
    program = [
        _one(_LOAD, 4),
        _one(_EQUAL, table, 1, 0),
        _one(_RETURN, _ALLOW),
        _one(_LOAD, 0),
        *_each(single, _REFUSE),
        _one(_AT_LEAST, _NEWER, 1, 0),
        _one(_RETURN, _ALLOW),
        *_each(_WITHOUT_PATHS, _ALLOW),
        _one(_RETURN, _REFUSE),
    ]
    return b"".join(program)


def apply(program: bytes) -> None:
    """Let the kernel refuse calls by a program, here and in everything that is started from here.

    Raises:
        OSError: It does not take the program.
    """
    library = ctypes.CDLL(None, use_errno=True)
    held = ctypes.create_string_buffer(program, len(program))
    given = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(held)))
    for call in ((_NO_NEW_PRIVILEGES, 1, 0), (_SECCOMP, _FILTER, ctypes.addressof(given))):
        if library.prctl(call[0], ctypes.c_ulong(call[1]), ctypes.c_ulong(call[2]), 0, 0) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _each(numbers: tuple[int, ...], then: int) -> list[bytes]:
    return [piece for number in numbers for piece in (_one(_EQUAL, number, 0, 1), _one(_RETURN, then))]


def _one(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("HBBI", code, yes, no, value)
