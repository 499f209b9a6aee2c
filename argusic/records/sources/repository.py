"""An open source repository: a git address, pinned by commit."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, model_validator

from argusic.records.base import CommitId, Part
from argusic.records.published import PublishedSource

KIND = "repository"

_URL = re.compile(
    r"(https?|ssh|git|file)://[^-\s\x00-\x1f][^\s\x00-\x1f]*"
    r"|[A-Za-z0-9_.][A-Za-z0-9_.-]*@[A-Za-z0-9.][A-Za-z0-9.-]*:[^-\s\x00-\x1f][^\s\x00-\x1f]*"
    r"|/[^\x00-\x1f]*"
)


def _check_url(value: str) -> str:
    if not _URL.fullmatch(value):
        raise ValueError("must be a git address: https, ssh, git or file, user@host:path, or an absolute folder")
    if re.match(r"https?://[^/]*@|[a-z]+://[^/]*:[^/]*@", value):
        raise ValueError("must not carry a password or token")
    return value


class Source(Part):
    """Which repository: either an address, or a published archive that it is made from."""

    kind: Literal["repository"] = "repository"
    """Which source model this is."""
    url: Annotated[str, AfterValidator(_check_url)] | None = None
    """Any address that git fetches from."""
    published: PublishedSource | None = None
    """The published archive to make it from, where the repository itself is not reachable."""

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if (self.url is None) == (self.published is None):
            raise ValueError("needs exactly one of url and published")
        return self


class Pin(Part):
    """Which commit of it."""

    kind: Literal["repository"] = "repository"
    """Which pin model this is."""
    commit: CommitId
    """The full commit id."""
