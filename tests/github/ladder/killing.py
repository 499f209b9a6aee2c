"""Dying at a fault point in a copy of this very process, which begins far sooner than another one."""

from __future__ import annotations

import os
from collections.abc import Callable
from unittest import mock

from argusic.database.faults import FAULT_VARIABLE


def killed_at(fault: str, call: Callable[[], object]) -> int:
    """Call something in a child that dies at a fault point; return its exit status, negative for a signal."""
    child = os.fork()
    if child == 0:
        try:
            with mock.patch.dict(os.environ, {FAULT_VARIABLE: fault}):
                call()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)
