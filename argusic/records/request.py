"""A request that the stronger agent be run on a subject that the standard agent could not verify."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from argusic.records.base import Record, Slug, SubjectRef, Text, UtcTime


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
