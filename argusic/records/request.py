"""What somebody asked for: the stronger agent on a subject, or a sealed agent's run made again by its keepers."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from argusic.records.base import Record, RunId, Slug, SubjectRef, Text, UtcTime


class StrongerRequest(Record):
    """Somebody's request for a run of the cycle's stronger agent on one subject."""

    cycle: Slug
    """The cycle."""
    subject: SubjectRef
    """The subject."""
    reason: Text
    """Why, as readers see it."""
    by: Text
    """Who asked."""
    at: UtcTime
    """When."""
    issue: Annotated[int, Field(gt=0)] | None = None
    """The number of the issue with which they asked, where it was one."""


class ReproductionRequest(Record):
    """Somebody's request that a run of a sealed agent be made again, which its keepers alone can do."""

    run: RunId
    """The run."""
    cycle: Slug
    """Its cycle."""
    reason: Text
    """Why, as readers see it."""
    by: Text
    """Who asked."""
    at: UtcTime
    """When."""
    issue: Annotated[int, Field(gt=0)] | None = None
    """The number of the issue with which they asked, where it was one."""
