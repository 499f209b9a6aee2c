"""Model keys on their way from the job that issued them to the jobs that use them: sealed, for anyone may read this."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from argusic.records.base import Items, Part, RunId, Slug, Text, UtcTime
from argusic.records.handing_over import JobNumber


class WrappedKey(Part):
    """The key of one attempt."""

    job: JobNumber
    """The job that may make the attempt."""
    run: RunId
    """What it was issued under, made like a run's id. The run that is made with it gets an id of its own."""
    expires: UtcTime
    """When the key dies by itself."""
    wrapped: Text
    """The key, sealed to the attempts' public key (`argusic.runs.keys.wrapping`)."""


class WrappedKeys(Part):
    """The keys of a plan's attempts."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    """The version of this shape."""
    cycle: Slug
    """The cycle."""
    keys: Items[WrappedKey]
    """The keys, by job and in the order of their use."""
