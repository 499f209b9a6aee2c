"""A container image that is made from published builds, and how image registries name what they hold."""

from __future__ import annotations

import re
from typing import Annotated, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from argusic.records.base import Items, Part, Sha256
from argusic.records.published import PublishedSource

#: Bytes that one image, or one of its parts, may have at most as a registry keeps it.
MAX_IMAGE_BYTES = 4_000_000_000
#: Layers that it may have at most.
MAX_LAYERS = 200

_REGISTRY = re.compile(
    r"localhost(:\d{1,5})?|[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?"
)


def _check_registry(value: str) -> str:
    if not _REGISTRY.fullmatch(value) or ("." not in value and ":" not in value and value != "localhost"):
        raise ValueError("must be the host of an image registry, with its port where it has one")
    return value


def _check_inside(value: str) -> str:
    parts = value.split("/")
    if not value or any(part in ("", ".", "..") for part in parts) or not value.isprintable() or "\\" in value:
        raise ValueError("must be a path within the image, without a slash before it, and without '.' and '..'")
    return value


#: The digest of something in a registry, as registries write it.
Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
#: The host of an image registry.
RegistryHost = Annotated[str, StringConstraints(max_length=255), AfterValidator(_check_registry)]
#: The name of an image within its registry.
Repository = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*$", max_length=200),
]
#: A name that a registry gives one state of an image.
Tag = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$")]
#: What an image runs on: a system and an architecture, and where there is one a variant.
Platform = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+/[a-z0-9_]+(/[a-z0-9.]+)?$", max_length=60)]
#: A path within an image.
PathInside = Annotated[str, StringConstraints(max_length=255), AfterValidator(_check_inside)]


class ImageFile(Part):
    """A file of a published build, or all files of one of its folders, and where an image has it."""

    take: Annotated[str, StringConstraints(min_length=1, max_length=255)]
    """Its path in the published file; one that ends with a slash is a folder."""
    to: PathInside
    """Where it lies in the image."""
    executable: bool = False
    """Whether it is a program."""


class ImageText(Part):
    """A small file that is written for an image, such as its list of users."""

    to: PathInside
    """Where it lies in the image."""
    text: Annotated[str, StringConstraints(max_length=20_000)]
    """What it holds."""
    executable: bool = False
    """Whether it is a program."""


class ImageLink(Part):
    """A symbolic link in an image."""

    at: PathInside
    """Where it lies."""
    leads: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._/+-]+$", max_length=100)]
    """Where it leads, as the link says it."""


class ImageLayer(Part):
    """One layer: files of one published build, and files, links and folders that are written for the image."""

    published: PublishedSource | None = None
    """The published file that its builds come from."""
    files: Items[ImageFile] = ()
    """What is taken of that."""
    texts: Items[ImageText] = ()
    """Files that are written for it."""
    links: Items[ImageLink] = ()
    """Links."""
    folders: Items[PathInside] = ()
    """Further folders, empty, which everybody may write to."""

    @model_validator(mode="after")
    def _has_something(self) -> Self:
        if bool(self.files) != (self.published is not None):
            raise ValueError("needs both a published file and what is taken of it, or neither")
        if not (self.files or self.texts or self.links or self.folders):
            raise ValueError("has nothing in it")
        return self


class ImageSettings(Part):
    """What an image says of how it is run."""

    entrypoint: Items[str] = ()
    """The program, and what always stands behind it."""
    command: Items[str] = ()
    """What stands behind that, where whoever runs it says nothing else."""
    environment: Items[Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*=[^\x00\n]*$")]] = ()
    """Environment variables, as `NAME=VALUE`."""
    folder: Annotated[str, StringConstraints(pattern=r"^/[A-Za-z0-9._/-]*$")] | None = None
    """Where it starts."""
    user: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.:-]+$", max_length=64)] | None = None
    """As whom."""
    ports: Items[Annotated[str, StringConstraints(pattern=r"^\d{1,5}/(tcp|udp)$")]] = ()
    """What it listens on."""
    volumes: Items[Annotated[str, StringConstraints(pattern=r"^/[A-Za-z0-9._/-]+$")]] = ()
    """Folders whose content is to outlive it."""
    labels: dict[str, str] = Field(default_factory=dict)
    """What it says of itself, by name."""


class MadeImage(Part):
    """A recipe by which the same image comes out byte for byte, whoever follows it and when."""

    platform: Platform = "linux/amd64"
    """What its builds run on."""
    layers: Annotated[Items[ImageLayer], Field(min_length=1, max_length=MAX_LAYERS)]
    """Its layers, the lowest first."""
    settings: ImageSettings
    """How it is run."""


class PinnedLayer(Part):
    """One layer of an image, by its digest."""

    digest: Digest
    """The digest of the layer as the registry keeps it."""
    size: Annotated[int, Field(ge=0, le=MAX_IMAGE_BYTES)]
    """Its size in bytes."""
    content: Sha256
    """The digest of what is in it once it is unpacked, as the image's own configuration lists it."""
