"""A kind of subject as the methodology declares it: what "does it run" means for it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from argusic.records.base import Record, Text


class Kind(Record):
    """One of the kinds of subject. A kind is in use from the day a real run of it is recorded."""

    kind: Annotated[str, Field(pattern=r"^[a-z][a-z-]*$")]
    """Its id."""
    title: Text
    """Its name."""
    runs_when: Text
    """What "does it run" means here, in one sentence."""
    verified_by: Text | None = None
    """Which verification is open to it, in one sentence."""
    selected_by: Text | None = None
    """How subjects of it are chosen for a pool, in one sentence."""
    place: Annotated[int, Field(ge=1)]
    """Its place in the methodology's table."""
