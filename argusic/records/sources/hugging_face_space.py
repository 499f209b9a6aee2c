"""A Space of a Hugging Face hub, pinned by revision and the digest of every file, or by the commit of an archive."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from argusic.records.base import CommitId, Part
from argusic.records.hub import HubFiles, HubName, HubPath, HubRevision
from argusic.records.published import PublishedSource

KIND = "hugging-face-space"

#: What runs a Space.
Sdk = Literal["gradio", "streamlit", "docker", "static"]


class Source(Part):
    """Which Space: either one of the hub, or a published archive that holds its definition."""

    kind: Literal["hugging-face-space"] = "hugging-face-space"
    """Which source model this is."""
    name: HubName | None = None
    """What the hub calls it: OWNER/NAME."""
    published: PublishedSource | None = None
    """The published archive that holds it, where the hub is not reachable."""
    folder: HubPath | None = None
    """The folder of that archive that its owner uploads as the Space. Without one all of it is the Space."""

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if (self.name is None) == (self.published is None):
            raise ValueError("needs exactly one of name and published")
        if self.folder is not None and self.published is None:
            raise ValueError("folder is one of a published archive, and there is none")
        return self


class Pin(Part):
    """Which state of it."""

    kind: Literal["hugging-face-space"] = "hugging-face-space"
    """Which pin model this is."""
    sdk: Sdk | None = None
    """What runs it, as its definition says."""
    revision: HubRevision | None = None
    """The revision of the hub."""
    files: HubFiles | None = None
    """All its files at that revision: they are handed in, and nothing else is."""
    commit: CommitId | None = None
    """The full id of the commit that the published archive makes."""

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if (self.revision is None) != (self.files is None):
            raise ValueError("needs revision and files together")
        if (self.revision is None) == (self.commit is None):
            raise ValueError("needs either revision and files, or commit")
        return self
