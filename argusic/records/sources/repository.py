"""An open source repository: a git address, pinned by commit."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

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


def _check_folder(value: str) -> str:
    parts = value.split("/")
    if any(part in ("", ".", "..") or part.lower() == ".git" for part in parts) or re.search(
        r"[\x00-\x1f\x7f\\]", value
    ):
        raise ValueError("must be a folder's path from the top, with / between its parts and none of them . or ..")
    return value


#: A folder of a repository, from its top.
Folder = Annotated[str, StringConstraints(max_length=1000), AfterValidator(_check_folder)]


class Source(Part):
    """Which repository: either an address, or a published archive that it is made from."""

    kind: Literal["repository"] = "repository"
    """Which source model this is."""
    url: Annotated[str, AfterValidator(_check_url)] | None = None
    """Any address that git fetches from."""
    published: PublishedSource | None = None
    """The published archive to make it from, where the repository itself is not reachable."""
    folder: Folder | None = None
    """The folder of it that holds the subject, where it holds several; the whole commit is handed in all the same."""

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
    pointers: Annotated[int, Field(gt=0)] | None = None
    """How many of its files, those of its submodules included, hold only a pointer to content that git LFS keeps
    elsewhere and that is not handed in; none where there is no such file."""
