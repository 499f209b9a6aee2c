"""Linear algebra on one thread, so that the same data give the same bits on a machine with any number of them.

BLAS splits a factorisation among its threads, and another split adds in another order: other last bits, which rounding
hides except on its edges. The index computes with one thread instead. At its size that is no slower.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock

# Both bring a BLAS of their own: what is loaded when they are looked for is what can be held.
import numpy.linalg  # noqa: F401
import scipy.linalg  # noqa: F401
from threadpoolctl import ThreadpoolController


@contextmanager
def one_thread() -> Iterator[None]:
    """Within it, or in a function that it decorates, BLAS computes with one thread.

    It may be entered again inside itself, and from several threads at once.
    """
    _held.enter()
    try:
        yield
    finally:
        _held.leave()


class _Held:
    """The number of threads belongs to the whole process: the first to enter sets it, the last to leave restores it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0

    def enter(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._limit = _blas().limit(limits=1, user_api="blas")
            self._inside += 1

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._limit.restore_original_limits()


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()


_held = _Held()
