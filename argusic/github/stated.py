"""What GitHub states of artifacts, jobs and roles, as records; and texts as long as it takes them."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

_CUT: Final = "\n\nThe rest is left out: GitHub takes no longer text.\n"


class _Told(BaseModel):
    """Takes the few things that are needed of what GitHub states."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class StatedArtifact(_Told):
    """An artifact of a workflow run."""

    id: Annotated[int, Field(gt=0)]
    name: str
    size_in_bytes: Annotated[int, Field(ge=0)]
    expired: bool
    digest: str | None = None


class StatedJob(_Told):
    """A job of a workflow run."""

    id: int
    name: str
    conclusion: str | None = None
    run_attempt: Annotated[int, Field(gt=0)] | None = None


class StatedStart(_Told):
    """When a workflow run began."""

    run_started_at: datetime | None = None
    created_at: datetime


class Page(_Told):
    """One page of a list."""

    total_count: int
    artifacts: tuple[StatedArtifact, ...] = ()
    jobs: tuple[StatedJob, ...] = ()
    workflow_runs: tuple[StatedStart, ...] = ()


class StatedRole(_Told):
    """What somebody may do: the older, coarser field, and the role's name."""

    permission: str
    role_name: str | None = None


def sha256_of(digest: str | None) -> str | None:
    """Return the SHA-256 of a stated digest; None where it is none, or another."""
    found = re.fullmatch(r"sha256:([0-9a-f]{64})", digest or "")
    return found[1] if found else None


def shortened(text: str, most: int) -> str:
    """Return a text as one line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def cut(text: str, most: int) -> str:
    """Return a text of at most so many characters, cut behind a line, and saying so."""
    if len(text) <= most:
        return text
    return f"{text[: most - len(_CUT)].rpartition(chr(10))[0]}{_CUT}"
