"""A run: what happened in one attempt. Facts alone; outcome and score are derived by `argusic.rules`."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from argusic.records.audit import AuditedClaims
from argusic.records.base import (
    EditionId,
    Items,
    Part,
    Record,
    RunId,
    Sha256,
    Slug,
    SubjectRef,
    Text,
    Tier,
    UtcTime,
)
from argusic.records.report import Report
from argusic.records.subject import AnyPin
from argusic.records.usage import ModelUse

#: How an attempt ended. A closed set: `argusic.rules.endings` says of each whether the run is valid, whether
#: it is run again, and whose doing it was.
EndingClass = Literal[
    "completed",
    "time_limit",
    "agent_crashed",
    "sandbox_destroyed",
    "memory_limit",
    "disk_limit",
    "sandbox_start_failed",
    "program_not_installed",
    "model_unavailable",
    "sandbox_lost",
    "subject_unavailable",
    "host_disk_full",
    "recording_incomplete",
    "report_unreadable",
    "harness_error",
    "withheld",
    "interrupted",
    "cancelled",
]


#: No phase takes longer: what says so is made to break whoever adds it up.
MOST_SECONDS: Final = 10**9


class Ending(Part):
    """How the attempt ended, and what is known of it."""

    how: EndingClass
    """Its class."""
    detail: Text | None = None
    """One sentence of particulars, where there are any."""


class Phase(Part):
    """One phase of the attempt on the wall clock."""

    name: Literal["prepare", "start", "agent", "collect", "destroy"]
    """Fetching and verifying the pin; starting the sandbox; the agent's own time; reading what it left;
    destroying the sandbox."""
    started: UtcTime
    """When it began."""
    seconds: Annotated[float, Field(ge=0, le=MOST_SECONDS)]
    """How long it took, by the monotonic clock."""


class LimitHit(Part):
    """A limit that the sandbox held during the attempt."""

    limit: Literal["memory", "processes", "disk", "output", "command_time"]
    """Which one."""
    count: Annotated[int, Field(ge=1)]
    """How often it was seen to hold."""


class RunReport(Part):
    """What became of the agent's report."""

    state: Literal["read", "missing", "malformed"]
    """Whether the edition's reader accepted it. A report that our own tooling failed to read is an ending
    (`report_unreadable`), not a state."""
    problem: Text | None = None
    """Why it was not accepted."""
    content: Report | None = None
    """The report, when it was accepted."""

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if (self.state == "read") != (self.content is not None):
            raise ValueError("content is present exactly when state is 'read'")
        if (self.state == "read") == (self.problem is not None):
            raise ValueError("problem is present exactly when state is not 'read'")
        return self


class Run(Record):
    """The record of one attempt."""

    run: RunId
    """Its id."""
    cycle: Slug
    """The cycle it belongs to."""
    subject: SubjectRef
    """The subject's address."""
    agent: Slug
    """The agent's id."""
    edition: EditionId
    """The edition that the cycle pinned; the run is scored under it for ever."""
    purpose: Literal["verdict", "board", "control"]
    """Whether the attempt belongs to the subject's verdict chain, to a board set, or to a control."""
    tier: Tier
    """The time budget's name."""
    budget_seconds: Annotated[int, Field(gt=0)]
    """The time budget."""
    pin: AnyPin
    """What exactly was tested, verified before anything ran."""
    model_use: ModelUse | None = None
    """What its model took; absent for an agent without one, and where that could not be told any more."""
    conditions_sha256: Sha256 | None = None
    """The digest of the conditions that every attempt of the cycle got alike; absent in runs made before they were
    written down."""
    worker: Literal["cpu", "gpu"] = "cpu"
    """Whether the machine offered a GPU."""
    started: UtcTime
    """When the attempt began; the id carries the same second."""
    finished: UtcTime
    """When its evidence was complete."""
    ending: Ending
    """How it ended."""
    phases: Items[Phase]
    """Its phases, in order."""
    commands: Annotated[int, Field(ge=0)]
    """How many commands the agent ran, as the command table lists them."""
    limits_hit: Items[LimitHit] = ()
    """The limits that held, if any."""
    report: RunReport
    """What the agent said."""
    audit: AuditedClaims | None = None
    """What the record contradicts of it; absent where there was no report to audit."""

    @model_validator(mode="after")
    def _times(self) -> Self:
        if self.finished < self.started:
            raise ValueError("finished is before started")
        if self.run[:16] != self.started.strftime("%Y%m%dT%H%M%SZ"):
            raise ValueError("run does not carry the second of started")
        return self
