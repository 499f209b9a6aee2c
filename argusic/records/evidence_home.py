"""Where a repository keeps what its runs leave beside their records: in a folder alone, or also where others reach it.

It is a statement that anyone may read. Credentials come from the environment, never from here.
"""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from argusic.records.base import Part, Record, Text

_Url = Annotated[str, Field(pattern=r"^https?://[A-Za-z0-9.\[\]:_-]+(/[^?#\s@]*)?$")]


class BucketHome(Part):
    """A private bucket with the interface of S3."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")]
    """Its name."""
    endpoint: _Url | None = None
    """The server's address; None for Amazon's own."""
    region: Text | None = None
    """Its region, where the environment does not say."""
    prefix: Annotated[str, Field(pattern=r"^([A-Za-z0-9._-]+/)*$")] = ""
    """What every name in it begins with: nothing, or folders that end with a slash."""


class ReleasesHome(Part):
    """The assets of a GitHub repository's releases."""

    repository: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$")]
    """The repository, `owner/name`."""
    api: _Url = "https://api.github.com"
    """The address of the interface; another for GitHub Enterprise."""


class RepositoryHome(Part):
    """The repository itself: packs that are committed beside the runs."""

    most_mb: Annotated[int, Field(ge=1, le=1000)] = 20
    """The most that a cycle's recordings and packs take in git, in MB."""


class EvidenceHome(Record):
    """The store beyond the folder on this machine, if there is one."""

    bucket: BucketHome | None = None
    """A bucket."""
    releases: ReleasesHome | None = None
    """Releases."""
    repository: RepositoryHome | None = None
    """The repository itself."""

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(home is not None for home in (self.bucket, self.releases, self.repository)) > 1:
            raise ValueError("names more than one store; a repository has one")
        return self
