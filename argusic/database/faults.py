"""Named fault points: places where a test makes the program die as if the power went, to prove what survives.

A fault point costs one look at the environment and does nothing else unless a test asks for it by name.
"""

from __future__ import annotations

import os
import signal

#: The environment variable that names the fault point to die at.
FAULT_VARIABLE = "ARGUSIC_FAULT"

#: The fault points that a cycle passes where it is run, roughly in the order that an attempt passes them.
ATTEMPT_POINTS: tuple[str, ...] = (
    "between-attempts",
    "key-held",
    "intent-written",
    "subject-prepared",
    "sandbox-started",
    "agent-done",
    "sandbox-destroyed",
    "attempt-over",
    "evidence-stored",
    "manifest-written",
    "file-written",
    "file-renamed",
    "folder-synced",
    "folder-renamed",
    "run-published",
)
#: Those that bringing results to review passes besides.
REVIEW_POINTS: tuple[str, ...] = ("evidence-sent", "pull-opened")
#: Those of every push to a branch of the remote.
PUSH_POINTS: tuple[str, ...] = ("commit-made", "commit-pushed")
#: Every fault point there is.
FAULT_POINTS: tuple[str, ...] = (*ATTEMPT_POINTS, *REVIEW_POINTS, *PUSH_POINTS)


def fault_point(name: str) -> None:
    """Kill this process with SIGKILL when the environment asks for `name`; else do nothing.

    Raises:
        ValueError: `name` is no registered fault point.
    """
    if name not in FAULT_POINTS:
        raise ValueError(f"{name!r} is not in FAULT_POINTS")
    if os.environ.get(FAULT_VARIABLE) == name:
        os.kill(os.getpid(), signal.SIGKILL)
