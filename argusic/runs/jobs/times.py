"""How long a job may take: the time of its attempts with what comes around each, within what GitHub allows."""

from __future__ import annotations

from typing import Final

from argusic.records.runners import Machine

#: Minutes around the agent's own time in each attempt: fetching the subject, the sandbox, redacting and publishing.
AROUND_ATTEMPT: Final = 15
#: Minutes of a job before its first attempt and after its last: the checkout, what is installed, what is uploaded.
AROUND_JOB: Final = 25
#: Minutes after which GitHub ends a job on a machine of its own, and one on a machine of yours (GitHub's limits of
#: Actions: 6 hours; 5 days).
MOST_HOSTED: Final = 6 * 60
MOST_OWN: Final = 5 * 24 * 60


def needed(budget_minutes: int, attempts: int) -> int:
    """Return the minutes that a job of some attempts takes at most."""
    return attempts * (budget_minutes + AROUND_ATTEMPT) + AROUND_JOB


def allowed(machine: Machine) -> int:
    """Return the minutes that GitHub gives a job on such a machine."""
    return MOST_OWN if machine.own else MOST_HOSTED


def fits(budget_seconds: int, timeout_minutes: int, elapsed_seconds: float) -> bool:
    """Return whether another attempt of a job can end before the job is given up."""
    left = 60 * (timeout_minutes - AROUND_JOB) - elapsed_seconds
    return left >= budget_seconds + 60 * AROUND_ATTEMPT
