"""A container image: a name in a registry, or a recipe that makes one from published builds, pinned by digest."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from argusic.records.base import Items, Part, Sha256, Text
from argusic.records.image import MAX_LAYERS, Digest, MadeImage, PinnedLayer, Platform, RegistryHost, Repository, Tag

KIND = "container-image"


class Source(Part):
    """Which image: either one that a registry holds, or one that is made here."""

    kind: Literal["container-image"] = "container-image"
    """Which source model this is."""
    registry: RegistryHost | None = None
    """The registry that holds it; none for an image that is made."""
    repository: Repository
    """Its name there; for one that is made, the name that its description calls it by."""
    tag: Tag | None = None
    """Which state of it is looked up for a new pin."""
    made: MadeImage | None = None
    """The recipe, where no registry that holds such an image is reachable."""
    description: Text | None = None
    """Its own description: what it does, and the commands that run it."""

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if (self.registry is None) == (self.made is None):
            raise ValueError("needs exactly one of registry and made")
        if self.made is not None and self.tag is not None:
            raise ValueError("has a tag, which an image that is made has not")
        return self


class Pin(Part):
    """Which image exactly: every byte of it follows from these digests."""

    kind: Literal["container-image"] = "container-image"
    """Which pin model this is."""
    manifest: Digest
    """The digest of its manifest: what `docker pull NAME@...` takes."""
    index: Digest | None = None
    """The digest of the list that named this manifest for the platform, where the registry has one."""
    platform: Platform
    """What it runs on."""
    config: Digest
    """The digest of its configuration, which says how it is run."""
    layers: Annotated[Items[PinnedLayer], Field(max_length=MAX_LAYERS)] = ()
    """Its layers, the lowest first."""
    description: Sha256 | None = None
    """The digest of the description that agents are given; none where there is none."""
