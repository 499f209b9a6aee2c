"""What happened in an attempt, gathered while it runs, and the one table from an exception to an ending class."""

from __future__ import annotations

import errno
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from argusic.evidence.redaction.known import KnownSecret
from argusic.pool.kinds.protocol import SubjectUnavailable
from argusic.records.manifest import VideoFacts
from argusic.records.run import Ending, EndingClass, LimitHit, Phase, RunReport
from argusic.records.usage import ModelUse
from argusic.runs.keys.access import ModelUnavailable
from argusic.runs.watching import Cancelled
from argusic.sandbox.protocol import SandboxGone, SandboxStartFailed

PhaseName = Literal["prepare", "start", "agent", "collect", "destroy"]

#: Exceptions that end an attempt, and the class of ending each one is. What is in none of these rows is a fault
#: of our own. `argusic.rules.endings` says what each class means for the run.
CLASS_OF: tuple[tuple[type[Exception], EndingClass], ...] = (
    (SubjectUnavailable, "subject_unavailable"),
    (SandboxStartFailed, "sandbox_start_failed"),
    (Cancelled, "cancelled"),
    (ModelUnavailable, "model_unavailable"),
)


def ending_of(error: Exception) -> Ending:
    """Return how an attempt ended that `error` broke off."""
    if isinstance(error, SandboxGone):
        return error.ending
    detail = " ".join(str(error).split())[:500] or type(error).__name__
    # A sandbox that finds no room says so by what it was raised from.
    cause = error.__cause__ if isinstance(error, SandboxStartFailed) else error
    if isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT):
        return Ending(how="host_disk_full", detail=detail)
    for kind, how in CLASS_OF:
        if isinstance(error, kind):
            return Ending(how=how, detail=detail)
    return Ending(how="harness_error", detail=f"{type(error).__name__}: {detail}")


@dataclass
class Happened:
    """The facts of one attempt so far.

    Attributes:
        agent_seconds: Length of the agent's phase.
        finished: When the attempt ended, where that is not now.
        model_use: What its model took, where it had one and that is known.
        known: The credentials that it held, to be masked wherever they show.
        withhold: Why nothing of it may be served, whatever is found; None where it may.
        video: What the video of its display covers; None where there was no display.
    """

    ending: Ending | None = None
    phases: list[Phase] = field(default_factory=list)
    report: RunReport = field(
        default_factory=lambda: RunReport(state="missing", problem="The attempt left no report.", content=None)
    )
    limits_hit: tuple[LimitHit, ...] = ()
    agent_seconds: float = 0.0
    finished: datetime | None = None
    model_use: ModelUse | None = None
    known: tuple[KnownSecret, ...] = field(default=(), repr=False)
    withhold: str | None = None
    video: VideoFacts | None = None

    @contextmanager
    def phase(self, name: PhaseName) -> Iterator[None]:
        """Time one phase; it is kept however it ends."""
        started = datetime.now(UTC)
        clock = time.monotonic()
        try:
            yield
        finally:
            seconds = round(time.monotonic() - clock, 3)
            self.phases.append(Phase(name=name, started=started, seconds=seconds))
            if name == "agent":
                self.agent_seconds = seconds
