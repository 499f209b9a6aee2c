"""The system calls that a sandbox's kernel refuses to what runs inside: a filter in the kernel's own language.

Refused are calls upon the first process that the kernel would grant, since user and privileges are the same: its
limits and its share of the processors. With them code inside could kill or starve it, which would look like a
machine that was lost. Refused as well are the kernel's keys: whoever asks for one can have a program of the host run.
And, where nothing else does so, further user namespaces: in one of its own code has every privilege upon itself.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

_FIRST_PROCESS: Final = 1
_PRIO_USER, _IOPRIO_WHO_USER = 2, 3
_JOIN_SESSION_KEYRING: Final = 1
_CLONE_NEWUSER: Final = 0x10000000
#: Set in the numbers of a second family of calls on x86_64, which has other uses for hardly anyone.
_X32: Final = 0x40000000

# Where the kernel shows a filter what, and what the filter's instructions are called.
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000


class _Numbers(NamedTuple):
    """The numbers of the calls in one of the kernel's tables."""

    prlimit: int
    sched_setparam: int
    sched_setscheduler: int
    sched_setaffinity: int
    sched_setattr: int
    setpriority: int
    ioprio_set: int
    add_key: int
    request_key: int
    keyctl: int
    clone: int
    unshare: int
    clone3: int = 435


_GENERIC = _Numbers(261, 118, 119, 122, 274, 140, 30, 217, 218, 219, 220, 97)
#: By machine, the tables that a program there can choose, by the number under which the kernel knows each.
_TABLES: Final[Mapping[str, Mapping[int, _Numbers]]] = {
    "x86_64": {
        0xC000003E: _Numbers(302, 142, 144, 203, 314, 141, 251, 248, 249, 250, 56, 272),
        0x40000003: _Numbers(340, 154, 156, 241, 351, 97, 289, 286, 287, 288, 120, 310),
    },
    "aarch64": {
        0xC00000B7: _GENERIC,
        0x40000028: _Numbers(369, 154, 156, 241, 380, 97, 314, 309, 310, 311, 120, 337),
    },
    "riscv64": {0xC00000F3: _GENERIC},
}


def call_filter(machine: str = os.uname().machine, *, user_namespaces: bool = True) -> bytes | None:
    """Return the filter for a machine, or None where its calls are not known here.

    Args:
        machine: Its kind.
        user_namespaces: Whether code inside may make them as far as this filter is concerned.
    """
    tables = _TABLES.get(machine)
    if tables is None:
        return None
    program: list[bytes] = []
    for architecture, numbers in tables.items():
        block = [_one(_LOAD, _NUMBER)]
        if machine == "x86_64":
            block += _when(_ANY_BIT, _X32, [_refuse(errno.ENOSYS)])
        for number, rule in [*_rules(numbers), *(() if user_namespaces else _namespace_rules(numbers))]:
            block += _when(_EQUAL, number, [*rule, _one(_RETURN, _ALLOW)])
        program += [_one(_LOAD, _ARCHITECTURE), *_when(_EQUAL, architecture, [*block, _one(_RETURN, _ALLOW)])]
    return b"".join([*program, _refuse(errno.ENOSYS)])


def _rules(numbers: _Numbers) -> Iterator[tuple[int, list[bytes]]]:
    refuse = [_refuse(errno.EPERM)]
    for number in numbers[:5]:
        yield number, [_argument(0), *_when(_EQUAL, _FIRST_PROCESS, refuse)]
    for number, of_user in ((numbers.setpriority, _PRIO_USER), (numbers.ioprio_set, _IOPRIO_WHO_USER)):
        whose = [_argument(0), *_when(_EQUAL, of_user, refuse)]
        yield number, [*whose, _argument(1), *_when(_EQUAL, _FIRST_PROCESS, refuse)]
    absent = [_refuse(errno.ENOSYS)]
    yield numbers.add_key, absent
    yield numbers.request_key, absent
    # But for a new keyring without a name, which the first process takes.
    unnamed = [_argument(1, half=1), *_when(_EQUAL, 0, [_one(_RETURN, _ALLOW)])]
    unnamed = [_argument(1), *_when(_EQUAL, 0, unnamed)]
    yield numbers.keyctl, [_argument(0), *_when(_EQUAL, _JOIN_SESSION_KEYRING, unnamed), *absent]


def _namespace_rules(numbers: _Numbers) -> Iterator[tuple[int, list[bytes]]]:
    for number in (numbers.clone, numbers.unshare):
        yield number, [_argument(0), *_when(_ANY_BIT, _CLONE_NEWUSER, [_refuse(errno.EPERM)])]
    # Its flags lie where a filter cannot look. Programs do without it where it is absent.
    yield numbers.clone3, [_refuse(errno.ENOSYS)]


def _argument(position: int, *, half: int = 0) -> bytes:
    """Load one half of an argument. The lower one is all that the kernel looks at in a number of a process."""
    return _one(_LOAD, _ARGUMENTS + 8 * position + 4 * half)


def _when(test: int, value: int, then: list[bytes]) -> list[bytes]:
    return [_one(test, value, otherwise=len(then)), *then]


def _refuse(reason: int) -> bytes:
    return _one(_RETURN, _REFUSE | reason)


def _one(code: int, value: int, *, otherwise: int = 0) -> bytes:
    return struct.pack("=HBBI", code, 0, otherwise, value)
