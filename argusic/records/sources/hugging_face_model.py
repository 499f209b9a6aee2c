"""A model of a Hugging Face hub: its name there, pinned by the revision and by the digest of every file that counts."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from argusic.records.base import Part
from argusic.records.hub import HubFiles, HubName, HubPath, HubRevision
from argusic.records.published import PublishedSource

KIND = "hugging-face-model"


class Source(Part):
    """Which model, and where its files come from: the hub, or a published archive that holds them."""

    kind: Literal["hugging-face-model"] = "hugging-face-model"
    """Which source model this is."""
    name: HubName
    """What the hub calls it: OWNER/NAME."""
    published: PublishedSource | None = None
    """The published archive that its files are taken from, where the hub is not reachable; the hub without one."""
    folder: HubPath | None = None
    """The folder of that archive that holds the model's repository. Without one the archive itself is the model."""

    @model_validator(mode="after")
    def _folder_of_an_archive(self) -> Self:
        if self.folder is not None and self.published is None:
            raise ValueError("folder is one of a published archive, and there is none")
        return self


class Pin(Part):
    """Which files of it."""

    kind: Literal["hugging-face-model"] = "hugging-face-model"
    """Which pin model this is."""
    revision: HubRevision | None = None
    """The revision of the hub; none for files of a published archive, which says nothing of one."""
    files: HubFiles
    """The files that count: what is handed in, and nothing else is."""
